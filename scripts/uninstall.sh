#!/bin/sh
# Removes the files that scripts/install.sh listed in a prefix, and those directories it made that are empty then.
# usage: scripts/uninstall.sh PREFIX     DESTDIR stands before the prefix, as CMake has it
set -eu
root=${DESTDIR:-}$(realpath -m -- "$1")
list=$root/share/perdure/installed-files
if [ ! -r "$list" ]; then
  echo "make uninstall: nothing was removed, as there is no $list; give the PREFIX that 'make install' was given" >&2
  exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The list names itself; it goes last, so that a removal that was cut off can be repeated.
grep -v '/$' "$list" | grep -vx share/perdure/installed-files >"$scratch/files"
grep '/$' "$list" | sort -r >"$scratch/directories" || true

removed=0
while IFS= read -r file; do
  [ -e "$root/$file" ] || [ -L "$root/$file" ] || continue
  rm -f -- "$root/$file"
  removed=$((removed + 1))
done <"$scratch/files"
rm -f -- "$list"
# A directory sorts before what is in it, and './' before all: reversed, each is empty when its turn comes.
while IFS= read -r directory; do
  [ ! -d "$root/$directory" ] || rmdir --ignore-fail-on-non-empty -- "$(realpath -s -- "$root/$directory")"
done <"$scratch/directories"
echo "removed $((removed + 1)) files from $root"
