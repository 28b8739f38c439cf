# The front door. CMake does the work (CMakePresets.json); each target here is one thing a person wants done.
PREFIX ?= /usr/local
TIME ?= 30

all: build/default/build.ninja
	@cmake --build --preset default

build/%/build.ninja:
	@cmake --preset $* >/dev/null

deps:
	@sh scripts/deps.sh all

demo:
	@sh scripts/deps.sh --if-missing build
	@$(MAKE) -s build/default/build.ninja
	@echo "Building libhurray and the command hurray"
	@cmake --build --preset default -- --quiet
	@sh scripts/demo.sh build/default/hurray

test:
	@sh scripts/deps.sh --if-missing test
	@python3 scripts/run_tests.py

bench:
	@sh scripts/deps.sh --if-missing bench
	@$(MAKE) -s build/bench/build.ninja
	@cmake --build --preset bench
	@sh scripts/bench.sh build/bench

fuzz:
	@sh scripts/deps.sh --if-missing fuzz
	@sh scripts/fuzz.sh $(TIME)

prove:
	@sh scripts/deps.sh --if-missing prove
	@sh scripts/prove.sh

install: all
	@cmake --install build/default --prefix "$(PREFIX)"

format:
	@sh scripts/deps.sh --if-missing lint
	@sh scripts/format.sh

lint:
	@sh scripts/deps.sh --if-missing lint
	@sh scripts/lint.sh

clean:
	rm -rf build

.PHONY: all deps demo test bench fuzz prove install format lint clean
