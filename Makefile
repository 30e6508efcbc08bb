# One door for people and machines: `make test` does all of its own set-up.
.PHONY: test fmt lint unit doctest doc deny fuzz bench

CARGO ?= cargo
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)

test: fmt lint unit doctest doc
	@echo "make test: everything passed"

fmt:
	$(CARGO) fmt --all -- --check

lint:
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# nextest runs each test in its own process and prints slow ones; plain `cargo test` does where it is missing.
unit:
ifeq ($(NEXTEST),yes)
	$(CARGO) nextest run --workspace --locked --no-fail-fast
else
	$(CARGO) test --workspace --locked --all-targets --no-fail-fast
endif

doctest:
	$(CARGO) test --workspace --locked --doc

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --locked --no-deps

# Licences, sources and banned crates of the dependency tree (needs cargo-deny).
deny:
	$(CARGO) deny check licenses bans sources

# Every reader, on RUNS inputs each (needs cargo-fuzz). The stable compiler takes the fuzzer's flags by RUSTC_BOOTSTRAP.
RUNS ?= 2000000
fuzz:
	cd fuzz && for target in $$($(CARGO) fuzz list); do \
		mkdir -p corpus/$$target seeds/$$target && \
		RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run -s none $$target corpus/$$target seeds/$$target -- \
			-runs=$(RUNS) -max_len=2048 -rss_limit_mb=2048 || exit 1; \
	done

bench:
	$(CARGO) bench --workspace --locked
