# Perdure. The targets install what they need by name (scripts/install-deps.sh), then build and run.
#
#   make demo    build, then keep two graphs between processes and show what that saves
#   make test    build, then run the tests
#   make quick FOLDER=store   build tests/store and run its tests once each, for the change under way
#   make build   the library and the program build/release/bin/perdure
#   make python  build the Python package against the library of `make build`, in build/release/python, and test it
#   make python-check   suites of others, random tests and mpiexec on the package; a part of make check
#   make python-sanitizers   the package's tests under AddressSanitizer; a part of make check
#   make docs    the documentation as a site that opens from disk: build/site/index.html
#   make bench   measure against other libraries; results in build/bench/results.json
#   make crash-test MINUTES=10   recover stores from simulated crashes for that long, a quarter of it from power
#                cuts under the real program (needs root and /dev/fuse)
#   make crash-file-systems MINUTES=10 KILLS=200   kill ingestion on new XFS, ext4, btrfs and tmpfs; then cut
#                the power of disks with the first three on them for that long, and let their write-back fail; needs
#                root, loop devices, /dev/fuse
#   make mutate FOLDER=store/commit SAMPLE=150 SEED=1   plant mistakes in a folder of src, one at a time, and name
#                those that no test notices; without SAMPLE all of them (docs/dev/surviving-mutants.md)
#   make headers every header for other libraries' programs compiles alone
#   make lint    formatting, layering, and clang-tidy of what has changed; make format writes the formatting
#   make asan    the tests under AddressSanitizer and UndefinedBehaviorSanitizer
#   make tsan    the tests under ThreadSanitizer
#   make check   all tests, also with clang and under the sanitizers, lint, every page tracker, long crash replay, a
#                smoke run of the benchmarks; renews the records of what has passed (.ci/evidence)
#   make install PREFIX=/usr/local   build the libraries and the program, and install them; make uninstall removes them
#   make install-deps, make clean

SHELL := /bin/sh
.DEFAULT_GOAL := build
.PHONY: python python-check python-sanitizers docs format headers help build build-test quick build-asan build-tsan check test crash-test crash-file-systems mutate demo bench lint asan tsan clang install uninstall install-deps clean
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# Of the crash replay; the same seed replays the same runs.
SEED ?= $(shell date +%s)
export JOBS

# $(call configure_and_build,PRESET[,TARGETS])
configure_and_build = cmake --preset $(1) && cmake --build --preset $(1) --parallel $(JOBS) $(2)

help:
	@sed -n "s/^#   //p" Makefile

install-deps:
	@scripts/install-deps.sh build test

build:
	@scripts/install-deps.sh build test
	@$(call configure_and_build,release,--target perdure perdure_cli)

# The package is built by the Python of build/python, and beside the library.
PYTHON_PACKAGE = -DPERDURE_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/python/bin/python
python:
	@scripts/install-deps.sh build test python
	@scripts/python-environment.sh
	@cmake --preset release $(PYTHON_PACKAGE) && cmake --build --preset release --parallel $(JOBS) --target perdure_stubs python_objects perdure_cli
	@ctest --test-dir build/release/python --output-on-failure

# Long tests of the package.
python-check: python
	@scripts/install-deps.sh python-check mpi
	@scripts/python-environment.sh check
	@PYTHONPATH=build/release/python PERDURE_PROGRAMS=$(CURDIR)/build/release/bin \
	  build/python-check/bin/python -X dev -B -m pytest -m long python/tests

# The extension of the package under AddressSanitizer and UndefinedBehaviorSanitizer.
python-sanitizers:
	@scripts/install-deps.sh build test python
	@scripts/check-python-sanitizers.sh

# With the tools that make file systems, where the tests may mount some, and both MPIs. The Python package is left out,
# with a sentence, where Python is too old or its packages cannot be had.
build-test:
	@scripts/install-deps.sh build test file-systems mpi python
	@scripts/python-environment.sh || echo "The Python package is left out: see above"
	@tests/vm/prepare.sh build/vm
	@if cmp -s python/requirements.txt build/python/requirements.txt; \
	  then cmake --preset release $(PYTHON_PACKAGE); else cmake --preset release -DPERDURE_BUILD_PYTHON=OFF; fi
	@cmake --build --preset release --parallel $(JOBS)

test: build-test
	@scripts/run-tests.sh release

# What repeats a program with another page tracker or backing, and what is long, is left to `make test`.
FOLDER ?= store
quick:
	@[ -e build/release/build.ninja ] || cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target tests/$(FOLDER)/all
	@ctest --test-dir build/release/tests/$(FOLDER) --parallel $(JOBS) --output-on-failure --progress \
	  -LE 'long|vm|repeated'

# What the headers that are compiled alone depend on.
HEADERS_INPUTS = include compat cmake CMakeLists.txt CMakePresets.json tests/compat/CMakeLists.txt
headers:
	@scripts/install-deps.sh build test
	@if [ "$(EVIDENCE)" = use ] && scripts/evidence.py holds headers-alone $(HEADERS_INPUTS); then exit 0; fi; \
	  $(call configure_and_build,release,--target compat_headers_alone) && \
	  { [ -z "$(EVIDENCE)" ] || scripts/evidence.py keep headers-alone $(HEADERS_INPUTS); }

MINUTES ?= 10
KILLS ?= 200
crash-test:
	@scripts/install-deps.sh build test
	@$(call configure_and_build,release,--target crash_replay crash_unsynced)
	@build/release/bin/crash_replay --states 0 --seconds $$(($(MINUTES) * 45)) --jobs $(JOBS) --seed $(SEED)
	@[ ! -x build/release/bin/crash_unsynced ] || \
	  build/release/bin/crash_unsynced --seconds $$(($(MINUTES) * 15)) --seed $(SEED) || [ $$? -eq 77 ]

crash-file-systems:
	@scripts/install-deps.sh build test file-systems
	@$(call configure_and_build,release,--target crash_kill_loop crash_block crash_write_back)
	@KILLS=$(KILLS) SEED=$(SEED) scripts/kill-loops.sh
	@for kind in xfs ext4 ext4-writeback btrfs; do \
	  [ -x build/release/bin/crash_block ] || break; \
	  build/release/bin/crash_block --file-system $$kind --seconds $$(($(MINUTES) * 15)) --seed $(SEED) || \
	    [ $$? -eq 77 ] || exit 1; \
	  for backing in private paged; do \
	    PERDURE_BACKING=$$backing build/release/bin/crash_write_back --file-system $$kind \
	      --runs $$(($(MINUTES) * 100)) --seed $(SEED) || [ $$? -eq 77 ] || exit 1; done; done

mutate: build-test
	@scripts/install-deps.sh mutation
	@tests/mutation/mutate.py $(FOLDER) $(if $(SAMPLE),--sample $(SAMPLE) --seed $(SEED))

demo: build
	@GRAPH='$(GRAPH)' scripts/demo.sh

docs:
	@scripts/install-deps.sh docs
	@scripts/build-docs.sh

# The suite `python` is left out, with a sentence, where Python is too old or its packages cannot be had.
bench:
	@scripts/install-deps.sh build bench python
	@scripts/python-environment.sh bench || echo "The benchmarks of the Python package are left out: see above"
	@if [ -e build/python-bench/requirements.txt ]; \
	  then cmake --preset bench -DPERDURE_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/python-bench/bin/python; \
	  else cmake --preset bench -DPERDURE_BUILD_PYTHON=OFF; fi
	@cmake --build --preset bench --parallel $(JOBS)
	@python3 bench/run.py $(BENCH)

asan tsan clang:
	@scripts/install-deps.sh build test $(if $(filter clang,$@),check)
	@$(call configure_and_build,$@,$(if $(filter asan,$@),--target all crash_rigs))
	@scripts/run-tests.sh $@

build-asan build-tsan: build-%:
	@scripts/install-deps.sh build test
	@$(call configure_and_build,$*)

# Kernels differ in which page trackers they have; every fallback must do.
check: TIDIED = --all --deep
# Nothing is left out because it has passed before; the records are renewed.
check: export EVIDENCE = renew
check: test clang asan tsan headers lint
	@for tracker in pagemap mprotect; do \
	  PERDURE_TRACKER=$$tracker scripts/run-tests.sh release --exclude '^package' || exit 1; done
	@scripts/run-tests.sh release -R 'model|random' --repeat until-fail:5
	@scripts/install-deps.sh long
	@cmake --build --preset release --parallel $(JOBS) --target graph_mutants debugger_shown
	@scripts/run-tests.sh release -C Long -R '^vm|^graph[.]mutant|^mpi.*long$$|^kmer_all_genomes$$|^debugger|^documents[.]|^report_in_browser$$'
	@scripts/check-debian-package.py build/release
	@scripts/check-recipes.py
	@$(MAKE) crash-test MINUTES=3
	@build/release/bin/random_rank_graphs --runs 10000 --seed $(SEED)
	@for rig in edges array_files library_files sequences; do build/release/bin/fuzz_$$rig --runs 30000 --seed $(SEED) || exit 1; done
	@$(MAKE) python-check
	@$(MAKE) python-sanitizers
	@scripts/check-python-wheels.sh
	@scripts/check-notebooks.sh
	@$(MAKE) bench BENCH=--quick

lint:
	@scripts/install-deps.sh build test check
	@cmake --preset clang
	@scripts/lint.sh $(TIDIED)

format:
	@scripts/install-deps.sh check
	@clang-format-16 -i $$(git ls-files '*.cpp' '*.hpp' '*.c' '*.h')

install:
	@scripts/check-prefix.sh 'make install' '$(PREFIX)'
	@scripts/install-deps.sh build test
	@$(call configure_and_build,release,--target perdure_installed)
	@scripts/install.sh build/release '$(PREFIX)'

uninstall:
	@scripts/check-prefix.sh 'make uninstall' '$(PREFIX)'
	@scripts/uninstall.sh '$(PREFIX)'

clean:
	rm -rf build
