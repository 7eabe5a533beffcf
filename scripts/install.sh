#!/bin/sh
# Installs what a build directory has, and leaves a list of it in PREFIX/share/perdure for uninstall.sh. Directories that
# the installation made end with '/' there. What an earlier installation in the same place listed stays listed.
# usage: scripts/install.sh BUILD_DIRECTORY PREFIX     DESTDIR stands before the prefix, as CMake has it
set -eu
build=$1
prefix=$(realpath -m -- "$2")
root=${DESTDIR:-}$prefix
list=$root/share/perdure/installed-files
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C

# An installation that was cut off may have left a copy of the list alone.
[ ! -e "$list" ] || cp "$list" "$scratch/earlier"
[ ! -d "$root" ] || (cd "$root" && find . -type d) | sed 's,^\./,,; s,$,/,' | sort >"$scratch/directories"

cmake --install "$build" --prefix "$prefix"

# The parents of each file, up to the prefix itself, which is './'.
{ cat "$build/install_manifest.txt" && printf '\n%s\n' "$prefix/share/perdure/installed-files"; } |
  sed -n "s|^$prefix/||p" >"$scratch/files"
{
  echo ./
  sed -n 's,/[^/]*$,/,p' "$scratch/files" | sort -u |
    while IFS= read -r directory; do
      while [ "$directory" != . ]; do
        printf '%s/\n' "${directory%/}"
        directory=$(dirname "$directory")
      done
    done
} | sort -u >"$scratch/parents"
mkdir -p "$root/share/perdure"
touch "$scratch/directories" "$scratch/earlier"
comm -23 "$scratch/parents" "$scratch/directories" | sort -u - "$scratch/files" "$scratch/earlier" >"$scratch/list"
cp "$scratch/list" "$list"
