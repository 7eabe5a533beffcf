#!/bin/sh
# Kills `perdure graph ingest` again and again on real file systems, each freshly made in a file and mounted;
# afterwards each is unmounted and checked by its own fsck. Needs root; says so and leaves otherwise.
#
# usage: scripts/kill-loops.sh [FILE-SYSTEM...]     xfs ext4 btrfs tmpfs
#        environment: KILLS=60 or else MINUTES=N for each, SEED, SCALE=16, TMPDIR
set -eu
cd "$(dirname "$0")/.."
rig=$PWD/build/release/bin/crash_kill_loop
if [ ! -x "$rig" ]; then
  echo "kill-loops.sh: $rig is missing; run 'make crash-file-systems'" >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "kill-loops.sh skipped: mounting file systems needs root"
  exit 0
fi
# In a mount namespace of its own nothing stays mounted, even if this script is killed.
if [ -z "${KILL_LOOPS_UNSHARED:-}" ] && command -v unshare >/dev/null 2>&1; then
  export KILL_LOOPS_UNSHARED=1
  if unshare --mount true 2>/dev/null; then exec unshare --mount --propagation private "$0" "$@"; fi
fi
[ $# -gt 0 ] || set -- xfs ext4 btrfs tmpfs

work=$(mktemp -d "${TMPDIR:-/var/tmp}/perdure-kill-loops-XXXXXX")
place=$work/mounted
mkdir "$place"
running=""
clean_up() {
  # What the rig has started ends by itself soon.
  if [ -n "$running" ]; then kill "$running" 2>/dev/null && wait "$running" || true; fi
  if mountpoint -q "$place"; then umount "$place" || umount -l "$place" || true; fi
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# make KIND: a file system of that kind at $place
make() {
  if [ "$1" = tmpfs ]; then
    mount -t tmpfs -o size=2g tmpfs "$place"
    return
  fi
  if ! command -v "mkfs.$1" >/dev/null 2>&1; then
    echo "mkfs.$1 is missing (scripts/install-deps.sh file-systems)"
    return 1
  fi
  truncate -s 2G "$work/image"
  "mkfs.$1" -q "$work/image" && mount -o loop "$work/image" "$place"
}

# check KIND: what its fsck says of the image, changing nothing
check() {
  case $1 in
    ext4) e2fsck -fn "$work/image" ;;
    xfs) xfs_repair -n "$work/image" ;;
    btrfs) btrfs check --readonly "$work/image" ;;
    tmpfs) ;;
  esac
}

limit="--kills ${KILLS:-60}"
if [ -z "${KILLS:-}" ] && [ -n "${MINUTES:-}" ]; then limit="--minutes $MINUTES"; fi
failed=""
for kind in "$@"; do
  rm -f "$work/image"
  if ! make "$kind" >"$work/log" 2>&1; then
    echo "$kind: skipped, it cannot be mounted here: $(tail -n 1 "$work/log")"
    continue
  fi
  # In the background, so that a signal is heard at once.
  # shellcheck disable=SC2086 # an option and its value
  "$rig" --directory "$place" $limit --seed "${SEED:-1}" --scale "${SCALE:-16}" >"$work/log" 2>&1 &
  running=$!
  if wait "$running"; then
    echo "$kind: $(cat "$work/log")"
  else
    echo "$kind: FAILED: $(cat "$work/log")"
    failed="$failed $kind"
  fi
  running=""
  umount "$place"
  if ! check "$kind" >"$work/log" 2>&1; then
    echo "$kind: FAILED: its own check of the image finds errors: $(cat "$work/log")"
    failed="$failed $kind"
  fi
done
[ -z "$failed" ]
