# The doors of the project. Behind them is CMake: see CMakePresets.json and CONTRIBUTING.md.
#
#   make                install what the program needs, build it: build/release/bin/agentnet
#   make test           install what tests need, build them, run every test; in CI also sanitizers, fuzzing and lint
#   make python         the Python package: its wheel in build/release/python/wheel, installed in .../python/venv
#   make package        a .deb, a tarball and the wheel, in build/packages
#   make demo           see it work
#   make asan, tsan     tests and fuzz targets with the address and undefined behaviour sanitizers; the thread sanitizer
#   make fuzz           only a short run of every fuzz target
#   make bench          every benchmark
#   make format, tidy   reformat the sources; lint them
#   make install        into $(DESTDIR)$(PREFIX)
#   make clean          remove build/

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
CI ?= false
# OFF: a program without the viewer's page, built without npm; its tests are skipped.
AGENTNET_WEB ?= ON

# A CI machine takes every warning as an error and has the time for the slower checks.
ifeq ($(CI),true)
WERROR := ON
CI_CHECKS := tidy-quick asan-quick
else
WERROR := OFF
endif
# Benchmarks are compiled where they run, and in CI, so that they keep compiling.
BENCH := $(if $(filter true,$(CI)),ON,OFF)

# Warnings are errors in the release build, which sees every file.
#
# $(call configure_and_build,PRESET), which may be followed by --target, and $(call run_tests,PRESET); ctest's words
# stay in build/PRESET/ctest.log.
configure_and_build = cmake --preset $(1) $(if $(filter release,$(1)),-DAGENTNET_WERROR=$(WERROR) -DAGENTNET_WEB=$(AGENTNET_WEB) $(PARTS),-DAGENTNET_WERROR=OFF) >/dev/null && cmake --build --preset $(1) -j $(JOBS)
run_tests = ctest --preset $(1) -j $(JOBS) --output-log build/$(1)/ctest.log
# $(call lint,FOLDERS)
lint = git ls-files -- $(foreach folder,$(1),'$(folder)/*.cpp') | xargs -P $(JOBS) -n 1 clang-tidy -p build/release --quiet

.DEFAULT_GOAL := release
.NOTPARALLEL:
.PHONY: deps deps-program deps-python deps-tests deps-bench deps-checks deps-package release everything test release-test asan asan-quick tsan fuzz python package demo bench format format-check tidy tidy-quick install clean

deps:
	@scripts/install-deps

deps-program:
	@scripts/install-deps program

deps-python:
	@scripts/install-deps program python

deps-tests:
	@scripts/install-deps program python tests

deps-bench:
	@scripts/install-deps program python tests bench

deps-checks:
	@scripts/install-deps checks

deps-package:
	@scripts/install-deps program python package

# The program and the libraries it is made of: nobody who wants to use it waits for its tests or for their packages. A
# folder that is set up with tests stays so.
release: PARTS = $(if $(wildcard build/release/CMakeCache.txt),,-DAGENTNET_BUILD_TESTS=OFF -DAGENTNET_BUILD_BENCH=OFF)
release: deps-program
	$(call configure_and_build,release) --target agentnet_cli

everything: PARTS = -DAGENTNET_BUILD_TESTS=ON -DAGENTNET_BUILD_BENCH=$(BENCH)
everything: $(if $(filter ON,$(BENCH)),deps-bench,deps-tests)
	$(call configure_and_build,release)

test: format-check release-test $(CI_CHECKS)

release-test: everything
	$(call run_tests,release)

asan tsan fuzz: deps
	$(call configure_and_build,$@)
	$(call run_tests,$@)

# The part of asan that every CI run can afford: whatever reads or writes files, and the fuzz targets.
ASAN_QUICK := capi_test readers_test settings_test run_test predict_test explain_test damaged_set_test
asan-quick: deps
	$(call configure_and_build,asan) --target $(ASAN_QUICK) agentnet_fuzzers
	$(call run_tests,asan) -R '^($(shell echo $(ASAN_QUICK) | tr ' ' '|')|fuzz_)'

# Ends with the names of the wheel and of the virtual environment that has it.
python: PARTS = $(if $(wildcard build/release/CMakeCache.txt),,-DAGENTNET_BUILD_TESTS=OFF -DAGENTNET_BUILD_BENCH=OFF)
python: deps-python
	$(call configure_and_build,release) --target agentnet_python

# Ends with the names of the packages, which lie in build/packages.
package: PARTS = $(if $(wildcard build/release/CMakeCache.txt),,-DAGENTNET_BUILD_TESTS=OFF -DAGENTNET_BUILD_BENCH=OFF)
package: deps-package
	$(call configure_and_build,release) --target agentnet_packages

# Ends with the name of a page to open.
demo: release
	build/release/bin/agentnet demo $(if $(filter ON,$(AGENTNET_WEB)),--page build/demo.html --force)

bench: BENCH = ON
bench: deps-bench everything
	@for program in build/release/bench/bench_*; do [ ! -x $$program ] || $$program || exit 1; done

format: deps-checks
	git ls-files -- '*.cpp' '*.h' | xargs -r clang-format -i

format-check: deps-checks
	git ls-files -- '*.cpp' '*.h' | xargs -r clang-format --dry-run --Werror

tidy: deps everything
	$(call lint,src cli bench fuzz tests)

# The part of tidy that every CI run can afford.
tidy-quick: deps release
	$(call lint,src/core src/graph)

install: release
	cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build
