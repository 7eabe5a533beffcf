#!/usr/bin/env bash
# Mishaps of one rank of perdure-mpi: it is killed, or its disk is full, at one of its calls of MPI or of the file system.
# The job must end soon with a message that names the rank, and leave the set at its last commit, or no set; and the same
# command must succeed afterwards.
#
# usage: check_mishaps.sh [--all N] [--seed N] PERDURE PERDURE_MPI DIRECTORY MPIRUN...
#   --all  N mishaps of each kind and command, among 3 ranks; else one of some commands, among 2 ranks
#   --seed  where they happen follows from it
set -euo pipefail
mishaps=1 ranks=2 seed=1
while [[ $1 == --* ]]; do
  case $1 in
    --all) mishaps=$2 ranks=3 ;;
    --seed) seed=$2 ;;
    *)
      echo "check_mishaps.sh: unknown option $1" >&2
      exit 2
      ;;
  esac
  shift 2
done
perdure=$1 program=$2 directory=$3
shift 3
mpirun=("$@")
seconds=60 # within which a job must end
rm -rf "$directory"
mkdir -p "$directory"
cd "$directory"

fail() {
  echo "FAILED: $*" >&2
  [ ! -s err ] || sed 's/^/  /' err >&2
  exit 1
}
# by MISHAP COMMAND...
by() {
  local mishap=$1
  shift
  PERDURE_TEST_MISHAP=$mishap timeout "$seconds" "${mpirun[@]}" -n "$ranks" "$program" graph "$@"
}
# The edges of the set, and the values of vertices that it keeps; or that there are none.
content() {
  "$perdure" graph export set -o - 2>&1 || true
  "$perdure" array dump set:kept 2>&1 || true
}

# The set is whole: it has all that it had before, or all that it was to have.
check_set() {
  "$perdure" verify set > found 2>&1 || fail "$*: the set is damaged: $(cat found)"
  content > found
  cmp -s found after || { [ -n "$from" ] && cmp -s found before; } || fail "$*: the set has neither what it had nor what it was to have"
}
# There is no set, or a whole one, which is removed.
check_new_set() {
  if "$perdure" info set > found 2>&1; then
    check_set "$@"
    rm -rf set
  else
    grep -q "the path does not exist\|its creation was not finished" found || fail "$*: $(cat found)"
  fi
}

random=$seed
draw() { # below $1
  random=$(((random * 1103515245 + 12345) % 2147483648))
  drawn=$((random / 65536 % $1))
}
total=0
# befall SET COMMAND...: the mishaps of a command that begins with a copy of this set; of one that makes a set where it is
# empty
befall() {
  local from=$1 calls mishap rank call kind
  local check=${1:+check_set}
  check=${check:-check_new_set}
  shift
  begin() { rm -rf set; [ -z "$from" ] || cp -r "$from" set; }
  begin
  content > before
  by count:0:0 "$@" > out 2> err || fail "$*: without a mishap"
  mv err counts
  content > after
  ! cmp -s before after || [[ $1 = repartition ]] || fail "$*: it changes nothing"
  for ((mishap = 0; mishap < mishaps; ++mishap)); do
    for kind in kill no_space; do
      draw "$ranks"
      rank=$drawn
      calls=$(sed -n "s/^mishap: rank $rank made \([0-9]*\) calls$/\1/p" counts)
      # In each piece of the run of this size one call.
      draw $((calls / mishaps + 1))
      call=$((calls * mishap / mishaps + drawn))
      ((call < calls)) || call=$((calls - 1))
      begin
      local what="$* with $kind:$rank:$call"
      local status=0
      total=$((total + 1))
      by "$kind:$rank:$call" "$@" > out 2> err || status=$?
      [ "$status" != 124 ] || fail "$what: it did not end in $seconds s"
      if [ "$status" != 0 ]; then
        grep -q "^perdure-mpi: .*rank $rank\b" err || fail "$what: no message names the rank"
        $check "$what"
      else
        [ "$kind" != kill ] || fail "$what: it succeeded"
        [ -n "$from" ] || rm -rf set
      fi
      # Edges that are there are not appended a second time.
      [ "$1" != append ] || { content > found && cmp -s found before; } || continue
      by none "$@" > out 2> err || fail "$what, and then once more"
      check_set "$what, and then once more"
    done
  done
}

by none generate rgg --vertices 300 --seed 3 -o set > out 2> err || fail "generate"
by none cc set --store-as kept > out 2> err || fail "cc"
"$perdure" graph export set -o all.edges > /dev/null
printf '0 299\n1 300\n' > more.edges
rm -rf stored
mv set stored
befall "" generate rgg --vertices 300 --seed 3 -o set
befall stored louvain set --first-phase --store-as kept
if ((ranks == 3)); then
  befall "" ingest all.edges -o set
  befall stored louvain set --starts 1 --store-as kept
  befall stored bfs set --source 0 --store-as kept
  befall stored pagerank set --store-as kept
  befall stored append set more.edges
  cp -r stored divided
  "$perdure" repartition divided --parts 2 > /dev/null
  befall divided repartition set
fi
echo "$total mishaps"
