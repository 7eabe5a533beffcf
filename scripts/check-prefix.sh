#!/bin/sh
# Checks that files can be written below an installation's prefix, before anything is built for it.
# usage: scripts/check-prefix.sh WHAT PREFIX     WHAT begins the message: "make install"
# DESTDIR stands before the prefix, as CMake has it.
set -eu
what=$1
root=${DESTDIR:-}$(realpath -m -- "$2")

refuse() {
  echo "$what: $1; give a directory that is yours, as in PREFIX=\$HOME/.local, or become root" >&2
  exit 1
}

there=$root
while [ ! -e "$there" ] && [ "$there" != / ]; do there=$(dirname -- "$there"); done
[ -d "$there" ] || refuse "$root cannot be made, as $there is no directory"
for directory in "$there" "$root/bin" "$root/include" "$root/lib" "$root/share"; do
  [ ! -e "$directory" ] || { [ -w "$directory" ] && [ -x "$directory" ]; } ||
    refuse "$(id -un) may not write to $directory, so nothing can be installed in $root"
done
