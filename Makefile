# The doors of the project. Behind them is CMake: see CMakePresets.json and CONTRIBUTING.md.
#
#   make                build the program: build/release/bin/agentnet
#   make test           install what is missing, build, run every test; in CI also sanitizers, fuzzing and lint
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

# Warnings are errors in the release build, which sees every file.
#
# $(call configure_and_build,PRESET), which may be followed by --target, and $(call run_tests,PRESET); ctest's words
# stay in build/PRESET/ctest.log.
configure_and_build = cmake --preset $(1) $(if $(filter release,$(1)),-DAGENTNET_WERROR=$(WERROR) -DAGENTNET_WEB=$(AGENTNET_WEB),-DAGENTNET_WERROR=OFF) >/dev/null && cmake --build --preset $(1) -j $(JOBS)
run_tests = ctest --preset $(1) -j $(JOBS) --output-log build/$(1)/ctest.log
# $(call lint,FOLDERS)
lint = git ls-files -- $(foreach folder,$(1),'$(folder)/*.cpp') | xargs -P $(JOBS) -n 1 clang-tidy -p build/release --quiet

.DEFAULT_GOAL := release
.NOTPARALLEL:
.PHONY: deps release everything test release-test asan asan-quick tsan fuzz demo bench format format-check tidy tidy-quick install clean

deps:
	@scripts/install-deps

# The program and the libraries it is made of: nobody who wants to use it waits for its tests.
release: deps
	$(call configure_and_build,release) --target agentnet_cli

everything: deps
	$(call configure_and_build,release)

test: deps format-check release-test $(CI_CHECKS)

release-test: everything
	$(call run_tests,release)

asan tsan fuzz: deps
	$(call configure_and_build,$@)
	$(call run_tests,$@)

# The part of asan that every CI run can afford: whatever reads or writes files, and the fuzz targets.
ASAN_QUICK := readers_test settings_test run_test infer_test
asan-quick: deps
	$(call configure_and_build,asan) --target $(ASAN_QUICK) agentnet_fuzzers
	$(call run_tests,asan) -R '^($(shell echo $(ASAN_QUICK) | tr ' ' '|')|fuzz_)'

# Ends with the name of a page to open.
demo: release
	build/release/bin/agentnet demo $(if $(filter ON,$(AGENTNET_WEB)),--page build/demo.html --force)

bench: everything
	@for program in build/release/bench/bench_*; do [ ! -x $$program ] || $$program || exit 1; done

format: deps
	git ls-files -- '*.cpp' '*.h' | xargs -r clang-format -i

format-check: deps
	git ls-files -- '*.cpp' '*.h' | xargs -r clang-format --dry-run --Werror

tidy: release
	$(call lint,src cli bench fuzz tests)

# The part of tidy that every CI run can afford.
tidy-quick: release
	$(call lint,src/core src/graph)

install: release
	cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build
