#!/bin/sh
# Runs a test with its stores where syncing costs nothing, if there is room: one that the disk has seen already, with
# another tracker or backing.
#
# usage: on-tmpfs.sh PROGRAM [ARGUMENT...]
if [ -z "${TMPDIR:-}" ] && [ "$(df --output=avail -m /dev/shm 2>/dev/null | tail -n 1)" -ge 2048 ] 2>/dev/null; then
  export TMPDIR=/dev/shm
fi
exec "$@"
