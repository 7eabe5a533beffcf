#!/bin/bash
# Boots the virtual machine once, runs a plan of tests (see make-initramfs.sh) in it, and passes when each of them
# passed there. Exits 77 when there is no machine to be had.
#
# usage: run-tests.sh PREPARED_DIRECTORY KERNEL PLAN [KERNEL_OPTION...]
#   PREPARED_DIRECTORY  what prepare.sh filled; KERNEL is 'stable' or 'newest'
#   KERNEL_OPTION       seconds=N: how long each test may take (300)
set -u
here=$(cd "$(dirname "$0")" && pwd)
prepared=$1 kernel=$1/$2 plan=$3
shift 3
. "$here/judge.sh"
skip_if_unavailable "$prepared"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/make-initramfs.sh" "$kernel" "$plan" "$work/initramfs" || exit 1
timeout --kill-after=10 "${PERDURE_VM_SECONDS:-900}" \
  "$here/machine.sh" "$kernel" "$work/initramfs" "$work" format "$@" >"$work/console" 2>&1
judge_console "$work/console" "$plan"
