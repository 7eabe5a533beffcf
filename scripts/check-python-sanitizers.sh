#!/bin/sh
# Runs the tests of the Python package on an extension that is compiled with AddressSanitizer and
# UndefinedBehaviorSanitizer (asan), or with ThreadSanitizer (tsan). The interpreter itself has neither: the sanitizer is
# loaded before it, and does not look for leaks, as Python keeps memory until its end.
#
# usage: scripts/check-python-sanitizers.sh [asan|tsan]...     both unless given
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- asan tsan
scripts/python-environment.sh
python=$PWD/build/python/bin/python

# ThreadSanitizer knows no pages that the kernel protects or a handler fills, so what forks or pages by itself is left to
# AddressSanitizer; with it run the tests of threads.
in_tsan='threads or pickle or values or arrays or containers or groups or open'
# These give a process little memory or address space, of which sanitizers take much.
left_out='ctrl_c or limits_of_memory or cannot_grow'

for sanitizer in "$@"; do
  build=build/python-$sanitizer
  cmake --preset "$sanitizer" -B "$build" -DPERDURE_BUILD_PYTHON=ON -DPERDURE_BUILD_TESTS=OFF -DPERDURE_BUILD_EXAMPLES=OFF \
    -DPERDURE_BUILD_TOOLS=OFF -DPERDURE_FORTRAN=OFF -DPython_EXECUTABLE="$python" >"$build.log" || { cat "$build.log"; exit 1; }
  cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target perdure_python
  # A file, as pytest keeps what the process writes, and would lose it.
  report=$PWD/$build/report
  rm -f "$report".*
  case $sanitizer in
    asan)
      runtime=$(g++ -print-file-name=libasan.so)
      chosen="not ($left_out)"
      options=ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_segv=0:log_path=$report
      ;;
    tsan)
      runtime=$(g++ -print-file-name=libtsan.so)
      chosen="($in_tsan) and not fork and not ($left_out)"
      options=TSAN_OPTIONS=suppressions=$PWD/python/tests/tsan.supp:halt_on_error=1:exitcode=66:report_signal_unsafe=0:log_path=$report
      ;;
  esac
  # The C++ library's exceptions need its runtime beside the sanitizer's.
  env "$options" UBSAN_OPTIONS=print_stacktrace=1:log_path="$report" LD_PRELOAD="$runtime $(g++ -print-file-name=libstdc++.so.6)" \
    PYTHONPATH="$PWD/$build/python" PYTHONMALLOC=malloc PERDURE_PROGRAMS="$PWD/build/release/bin" \
    "$python" -B -m pytest -q -p no:cacheprovider -k "$chosen" python/tests || { cat "$report".* >&2; exit 1; }
  for one in "$report".*; do
    [ ! -e "$one" ] || { cat "$one" >&2; exit 1; }
  done
done
