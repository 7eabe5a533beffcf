#!/bin/sh
# Runs the tests of one build; then says which took longest and how each mutant was caught, and ends with the
# line 'N passed, N failed[, N skipped]', counted from ctest's own report. Exits as ctest does.
#
# usage: scripts/run-tests.sh PRESET [CTEST OPTION...]
# TEST_TABLE=FILE in the environment: adds a line 'SECONDS NAME' for each test to FILE.
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

# The report needs the last lines of what a test says, and ctest keeps the first unless told.
$run ctest --preset "$preset" --output-junit "$(pwd)/$report" --no-tests=error --test-output-truncation head \
  --parallel "${JOBS:-$(nproc)}" --timeout "${TEST_TIMEOUT:-600}" "$@"
status=$?

scripts/report-tests.py "$report" ${TEST_TABLE:+--table "$TEST_TABLE"} || exit 1
exit $status
