#!/bin/sh
# A run that is killed twice and goes on with other numbers of ranks ends with the bits of an undisturbed one.
#
# usage: heat_mpi.sh PROGRAM SCRATCH_DIRECTORY MPIRUN...
set -eu
program=$1
scratch=$2
shift 2
mpirun=$*
rm -rf "$scratch"
mkdir -p "$scratch"
on() { # RANKS ARGUMENTS...
  ranks=$1
  shift
  # shellcheck disable=SC2086 # the words of a command
  timeout 100 $mpirun -n "$ranks" "$program" "$@"
}

on 2 "$scratch/undisturbed.set" 300 | tee "$scratch/undisturbed"
wanted=$(sed -n 's/^step 300, digest //p' "$scratch/undisturbed")
[ -n "$wanted" ]

if on 4 "$scratch/plate.set" 300 110 2>"$scratch/first.err"; then
  echo "the rank was not killed" >&2
  exit 1
fi
if on 3 "$scratch/plate.set" 300 210 >"$scratch/second" 2>"$scratch/second.err"; then
  echo "the rank was not killed" >&2
  exit 1
fi
cat "$scratch/second"
on 1 "$scratch/plate.set" 300 | tee "$scratch/last"
grep -q '^on 3 ranks from step 100$' "$scratch/second"
grep -q '^on 1 ranks from step 200$' "$scratch/last"
[ "$(sed -n 's/^step 300, digest //p' "$scratch/last")" = "$wanted" ]
echo "the same bits"
