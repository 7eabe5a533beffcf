#!/bin/sh
# Runs the tests of one build; then says which took longest and how each mutant was caught, and ends with the
# line 'N passed, N failed[, N skipped]', counted from ctest's own report. Exits as ctest does.
#
# usage: scripts/run-tests.sh PRESET [--exclude REGEX] [CTEST OPTION...]
# environment:
#   TMPDIR            where all tests' stores are; unset: as below
#   TEST_TABLE=FILE   adds a line 'SECONDS NAME' for each test to FILE
#   EVIDENCE=use      leaves out tests that passed before with the same inputs: of a release build the virtual machine
#                     and the mutants, of a sanitizers' build all but a third, which EVIDENCE_SEED chooses
#   EVIDENCE=renew    runs all tests, and records those that pass (scripts/evidence.py)
set -u
preset=$1
shift
exclude=""
if [ "${1:-}" = --exclude ]; then
  exclude=$2
  shift 2
fi
report=build/$preset/test-results.xml
rm -f "$report"

run=""
case $preset in
  *tsan*)
    # ThreadSanitizer's shadow needs the addresses that a high-entropy layout (vm.mmap_rnd_bits > 28) takes.
    if setarch "$(uname -m)" -R true 2>/dev/null; then run="setarch $(uname -m) -R"; fi
    ;;
esac

# Where nothing waits for a device, if there is room. Sanitizers look for mistakes with memory and threads, so all their
# tests have their stores there: test_snapshot took 52 s on ext4 and takes 4.5 s so. The release build's tests have them where
# a user's stores are, but for repetitions, which go there by tests/scratch/on-tmpfs.sh.
if [ -z "${TMPDIR:-}" ] && [ "$(df --output=avail -m /dev/shm 2>/dev/null | tail -n 1)" -ge 4096 ] 2>/dev/null; then
  TESTS_ON_TMPFS=$(mktemp -d /dev/shm/perdure-tests-XXXXXX) && export TESTS_ON_TMPFS && trap 'rm -rf "$TESTS_ON_TMPFS"' EXIT
  case $preset in
    *asan* | *tsan*) export TMPDIR="$TESTS_ON_TMPFS" ;;
  esac
fi

# Only whole runs of the builds that CI tests have records.
stage=""
case ${EVIDENCE:-}:$#:${PERDURE_TRACKER:-}:$preset in
  ?*:0::release) stage=tests-$preset && set -- --only '^(vm|crash([.][a-z]+)?[.]mutant)[.]' ;;
  ?*:0::asan | ?*:0::tsan) stage=tests-$preset && set -- --again 3 "${EVIDENCE_SEED:-0}" ;;
esac
if [ -n "$stage" ]; then
  scripts/evidence.py select "$preset" "$stage" ${exclude:+--exclude "$exclude"} "$@" || exit 1
  set -- -I "$(pwd)/build/$preset/selected-tests"
elif [ -n "$exclude" ]; then
  set -- -E "$exclude" "$@"
fi

# The report needs the last lines of what a test says, and ctest keeps the first unless told.
$run ctest --preset "$preset" --output-junit "$(pwd)/$report" --no-tests=error --test-output-truncation head \
  --parallel "${JOBS:-$(nproc)}" --timeout "${TEST_TIMEOUT:-600}" "$@"
status=$?

scripts/report-tests.py "$report" ${TEST_TABLE:+--table "$TEST_TABLE"} || exit 1
[ -z "$stage" ] || scripts/evidence.py record "$preset" "$stage" "$report"
exit $status
