#!/bin/bash
# Kills the machine while stores are written, on DAX memory and on a disk, boots it again and checks that each store
# is at its last acknowledged checkpoint: once by killing QEMU, once by 'poweroff -f' inside. Exits 77 when there is
# no machine to be had.
#
# usage: kill-machine.sh PREPARED_DIRECTORY KERNEL KEPT_STORE_PROGRAM
set -u
here=$(cd "$(dirname "$0")" && pwd)
prepared=$1 kernel=$1/$2 program=$3
. "$here/judge.sh"
skip_if_unavailable "$prepared"

work=$(mktemp -d)
machine=""
finish() {
  [ -z "$machine" ] || kill -KILL "$machine" 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT
console=$work/console

write_plan() {
  cat <<PLAN
write sh /write-until-dead $program
PLAN
}

check_plan() {
  local place
  for place in pmem disk; do
    echo "$place.keeps-$(acknowledged $place) $program check /mnt/$place/store $(acknowledged $place)"
  done
  echo "dax.keeps-$(acknowledged dax) PERDURE_TESTED_BACKING=dax $program check /mnt/pmem/dax $(acknowledged dax)"
}

# acknowledged PLACE: the last epoch whose checkpoint the console of the killed machine acknowledged
acknowledged() {
  sed -n "s/^kept $1 \([0-9]*\) \.\$/\1/p" "$work/written" | sort -n | tail -n 1
}

# boot PLAN [KERNEL_OPTION...]: in the background; $machine is QEMU, as machine.sh becomes it
boot() {
  "$here/make-initramfs.sh" "$kernel" "$1" "$work/initramfs" || exit 1
  shift
  "$here/machine.sh" "$kernel" "$work/initramfs" "$work" "$@" >"$console" 2>&1 &
  machine=$!
}

# wait_for_end SECONDS
wait_for_end() {
  local waited=0
  while kill -0 "$machine" 2>/dev/null && [ $waited -lt "$1" ]; do
    sleep 1
    waited=$((waited + 1))
  done
  kill -KILL "$machine" 2>/dev/null && echo "the machine was killed after $1 s"
  wait "$machine" 2>/dev/null
  machine=""
}

# all_acknowledged EPOCH
all_acknowledged() {
  tr -d '\r' <"$console" >"$work/written"
  for place in pmem dax disk; do
    [ "$(acknowledged $place)" ] && [ "$(acknowledged $place)" -ge "$1" ] || return 1
  done
}

# write_until EPOCH HOW [KERNEL_OPTION...]: boots, and lets all stores reach that epoch before the machine is killed
write_until() {
  local epoch=$1 how=$2 waited=0
  shift 2
  write_plan >"$work/plan"
  boot "$work/plan" "$@"
  until all_acknowledged "$epoch" || [ $waited -ge 1000 ] || ! kill -0 "$machine" 2>/dev/null; do
    sleep 0.2
    waited=$((waited + 1))
  done
  if [ "$how" = kill ]; then kill -KILL "$machine" 2>/dev/null; fi
  wait_for_end 120 2>/dev/null
  if ! all_acknowledged 1 || grep -aE "$kernel_complaints|^vm: fail" "$work/written"; then
    sed 's/^/| /' "$work/written"
    echo "vm: fail the machine did not write the stores"
    exit 1
  fi
  echo "$how: acknowledged pmem $(acknowledged pmem), dax $(acknowledged dax), disk $(acknowledged disk)"
}

check_stores() {
  check_plan >"$work/plan"
  boot "$work/plan"
  wait_for_end 300
  judge_console "$console" "$work/plan" || exit 1
}

write_until 12 kill format
check_stores
write_until 100000 poweroff poweroff_after=$((3 + RANDOM % 9))
check_stores
