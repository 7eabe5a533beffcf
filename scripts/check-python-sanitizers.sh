#!/bin/sh
# Runs the tests of the Python package on an extension that is compiled with AddressSanitizer and
# UndefinedBehaviorSanitizer. The interpreter itself has neither: the sanitizer is loaded before it, and does not look for
# leaks, as Python keeps memory until its end. ThreadSanitizer is not used: it knows nothing of the interpreter's lock.
#
# usage: scripts/check-python-sanitizers.sh
set -eu
cd "$(dirname "$0")/.."
scripts/python-environment.sh
python=$PWD/build/python/bin/python
build=build/python-asan
# These give a process little memory or address space, of which sanitizers take much.
left_out='ctrl_c or limits_of_memory or cannot_grow'

cmake --preset asan -B "$build" -DPERDURE_BUILD_PYTHON=ON -DPERDURE_BUILD_TESTS=OFF -DPERDURE_BUILD_EXAMPLES=OFF \
  -DPERDURE_BUILD_TOOLS=OFF -DPERDURE_FORTRAN=OFF -DPython_EXECUTABLE="$python" >"$build.log" || { cat "$build.log"; exit 1; }
cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target perdure_python
# In a file, as pytest keeps what the process writes, and would lose it.
report=$PWD/$build/report
rm -f "$report".*
status=0
# The C++ library's exceptions need its runtime beside the sanitizer's.
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_segv=0:log_path=$report \
  UBSAN_OPTIONS=print_stacktrace=1:log_path=$report \
  LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so.6)" \
  PYTHONPATH="$PWD/$build/python" PYTHONMALLOC=malloc PERDURE_PROGRAMS="$PWD/build/release/bin" \
  "$python" -B -m pytest -q -p no:cacheprovider -k "not ($left_out)" python/tests || status=1
for one in "$report".*; do
  [ ! -e "$one" ] || { cat "$one" >&2; status=1; }
done
exit $status
