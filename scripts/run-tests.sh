#!/bin/sh
# Runs the tests of one build and ends with the line 'N passed, N failed[, N skipped]', counted from
# ctest's own report. Exits as ctest does.
#
# usage: scripts/run-tests.sh PRESET [CTEST OPTION...]
set -u
preset=$1
shift
report=build/$preset/test-results.xml
rm -f "$report"

run=""
case $preset in
  *tsan*)
    # ThreadSanitizer's shadow needs the addresses that a high-entropy layout (vm.mmap_rnd_bits > 28) takes.
    if setarch "$(uname -m)" -R true 2>/dev/null; then run="setarch $(uname -m) -R"; fi
    ;;
esac

$run ctest --preset "$preset" --output-junit "$(pwd)/$report" --no-tests=error \
  --parallel "${JOBS:-$(nproc)}" --timeout "${TEST_TIMEOUT:-600}" "$@"
status=$?

if [ ! -s "$report" ]; then
  echo "ctest left no report, so nothing is known to have passed"
  echo "0 passed, 1 failed"
  exit 1
fi
awk '
  /<testcase / {
    if (match($0, /status="[a-z]*"/)) {
      state = substr($0, RSTART + 8, RLENGTH - 9)
      if (state == "run") passed++
      else if (state == "notrun" || state == "disabled") skipped++
      else failed++
    }
  }
  END {
    printf "%d passed, %d failed", passed, failed
    if (skipped) printf ", %d skipped", skipped
    printf "\n"
  }' "$report"
exit $status
