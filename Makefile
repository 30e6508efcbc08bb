# One door for people and machines: `make test` does all of its own set-up.
.PHONY: test fmt lint unit doctest doc deny fuzz bench clean

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

bench:
	$(CARGO) bench --workspace --locked
