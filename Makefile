# One door for people and machines: `make test` does all of its own set-up.
.PHONY: test fmt lint package unit browser doctest doc python wheel first-hour site site-api deny fuzz torture bench

CARGO ?= cargo
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)

test: fmt lint package unit browser doctest doc python
	@if $(HAS_CHROMIUM); then echo "make test: everything passed"; \
	else echo "make test: everything passed that was run; SKIPPED: the browser tests, there is no Chromium"; fi

fmt:
	$(CARGO) fmt --all -- --check

lint:
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# Every crate as it would be published: its manifest is complete, and its files are its own.
package:
	$(CARGO) package --workspace --locked --offline --no-verify --allow-dirty --quiet

# nextest runs each test in its own process and prints slow ones; plain `cargo test` does where it is missing.
unit:
ifeq ($(NEXTEST),yes)
	$(CARGO) nextest run --workspace --locked --no-fail-fast
else
	$(CARGO) test --workspace --locked --all-targets --no-fail-fast
endif

# The report in a real browser. Chromium comes from Debian's packages where they can be installed; where it is missing all
# the same, these tests are skipped, and say so here and in the last line of `make test`.
HAS_CHROMIUM := { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null
ifeq ($(NEXTEST),yes)
BROWSER_TESTS := $(CARGO) nextest run --workspace --locked --test browser --run-ignored all
else
BROWSER_TESTS := $(CARGO) test --workspace --locked --test browser -- --ignored
endif
browser:
	@$(HAS_CHROMIUM) || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && { \
		echo "browser tests: installing chromium"; \
		apt-get install -y --no-install-recommends chromium >/dev/null 2>&1 || \
		{ apt-get update && apt-get install -y --no-install-recommends chromium; } >/dev/null 2>&1; }; } || true
	@if $(HAS_CHROMIUM); then $(BROWSER_TESTS); \
	else echo "SKIPPED: the browser tests of the report: install chromium to run them"; fi

doctest:
	$(CARGO) test --workspace --locked --doc

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --locked --no-deps

# The Python package on the libraries and the program that the tests of Rust build, in a virtual environment of its own.
# The tests that need one of USED are skipped and listed where it cannot be had.
PYTHON ?= python3
TARGET := $(or $(CARGO_TARGET_DIR),target)
VENV := $(abspath $(TARGET))/python-venv
LIBRARY := $(if $(filter Darwin,$(shell uname -s)),dylib,so)
PIP_INSTALL := $(VENV)/bin/pip install --quiet --disable-pip-version-check
USED := pandas polars pyarrow networkx scikit-learn tqdm mypy nbclient nbformat ipykernel markdown
CLUSTER := dask[dataframe,distributed] ray

$(VENV)/ready: Makefile
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) numpy pytest
	-$(PIP_INSTALL) $(USED)
	-$(PIP_INSTALL) $(CLUSTER)
	touch $@

python: $(VENV)/ready
	$(CARGO) test --workspace --locked --no-run --test packaging --test verbs
	cp $(TARGET)/debug/deps/lib_native.$(LIBRARY) crates/python/python/gflowcausal/_native.abi3.so
	cd crates/python && PYTHONPATH=$(abspath crates/python/python) MYPYPATH=$(abspath crates/python/python) GFLOWCAUSAL=$(abspath $(TARGET))/debug/gflowcausal $(VENV)/bin/python -m pytest -q

# One wheel for every Python from 3.10 on, in target/wheels.
wheel: $(VENV)/ready
	$(PIP_INSTALL) maturin
	cd crates/python && $(VENV)/bin/maturin build --profile dist --locked --out ../../target/wheels

# What a new user does: the wheel in an empty environment, both examples of the README, the command.
first-hour: wheel
	rm -rf target/first-hour && $(PYTHON) -m venv target/first-hour
	target/first-hour/bin/pip install --quiet --disable-pip-version-check target/wheels/*.whl
	cd target/first-hour && ./bin/python ../../scripts/readme_examples.py ../../README.md

# The documentation as a small site of its own, in target/site, with a report of today; a link that leads nowhere is an error.
site: $(VENV)/ready
	$(PIP_INSTALL) markdown
	$(CARGO) run --release --locked -p gflowcausal-cli -- discover sachs --score bic --quiet --overwrite --out target/site-run
	$(VENV)/bin/python scripts/site.py docs target/site --notebooks crates/python/notebooks --report target/site-run/report.html $(SITE_FLAGS)

# The reference of both interfaces beside it (pdoc needs the native half: `make python` builds it).
site-api: SITE_FLAGS := --api
site-api: site
	$(PIP_INSTALL) pdoc
	PYTHONPATH=$(abspath crates/python/python) $(VENV)/bin/pdoc gflowcausal --output-directory target/site/api/python
	$(CARGO) doc --workspace --locked --no-deps --target-dir target
	mkdir -p target/site/api && rm -rf target/site/api/rust && cp -r target/doc target/site/api/rust

# Licences, sources and banned crates of the dependency tree (needs cargo-deny).
deny:
	$(CARGO) deny check licenses bans sources

# Every reader, on RUNS inputs each (needs cargo-fuzz). The stable compiler takes the fuzzer's flags by RUSTC_BOOTSTRAP.
RUNS ?= 2000000
fuzz:
	cd fuzz && for target in $$($(CARGO) fuzz list); do \
		mkdir -p corpus/$$target seeds/$$target && \
		case $$target in run_*) length=16384;; *) length=2048;; esac && \
		RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run -s none $$target corpus/$$target seeds/$$target -- \
			-runs=$(RUNS) -max_len=$$length -rss_limit_mb=2048 || exit 1; \
	done

# Runs that are killed at any moment, files that are cut and damaged: ROUNDS times. `make test` has nine rounds.
ROUNDS ?= 1000
torture:
	TORTURE_ROUNDS=$(ROUNDS) $(CARGO) test --workspace --locked --test reliability -- --nocapture torture

bench:
	$(CARGO) bench --workspace --locked
