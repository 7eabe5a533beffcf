#!/bin/sh
# Runs a test with its stores where syncing costs nothing, if scripts/run-tests.sh has found such a place: one that the
# disk has seen already, with another tracker or backing.
#
# usage: on-tmpfs.sh PROGRAM [ARGUMENT...]
if [ -n "${TESTS_ON_TMPFS:-}" ]; then export TMPDIR="$TESTS_ON_TMPFS"; fi
exec "$@"
