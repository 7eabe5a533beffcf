#!/bin/sh
# Installs a small project as `make install` does, removes it as `make uninstall` does, and has both refuse what they must.
# usage: check_installation.sh SOURCE_DIRECTORY SCRATCH_DIRECTORY
set -eu
source=$1
scratch=$2
unset DESTDIR MAKEFLAGS MAKELEVEL
export HOME="$scratch"
fail() {
  echo "$*" >&2
  exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch/project" "$scratch/kept/share"
cat >"$scratch/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
file(WRITE ${CMAKE_BINARY_DIR}/a "a")
install(FILES ${CMAKE_BINARY_DIR}/a DESTINATION include/small/deep RENAME a.hpp)
install(FILES ${CMAKE_BINARY_DIR}/a DESTINATION "share/a name")
END
cmake -S "$scratch/project" -B "$scratch/build" >"$scratch/log"

# A directory that was there, and a file that nobody installed, stay; all else goes.
"$source/scripts/install.sh" "$scratch/build" "$scratch/kept" >>"$scratch/log"
"$source/scripts/install.sh" "$scratch/build" "$scratch/kept" >>"$scratch/log"
[ -e "$scratch/kept/include/small/deep/a.hpp" ] || fail "nothing was installed"
echo mine >"$scratch/kept/include/mine"
said=$("$source/scripts/uninstall.sh" "$scratch/kept")
[ "$said" = "removed 3 files from $scratch/kept" ] || fail "after the removal: $said"
left=$(cd "$scratch/kept" && find . | sort | tr '\n' ' ')
[ "$left" = ". ./include ./include/mine ./share " ] || fail "left over: $left"

# A prefix that the installation made goes too, also below DESTDIR.
DESTDIR=$scratch/root "$source/scripts/install.sh" "$scratch/build" /opt/small >>"$scratch/log"
[ -e "$scratch/root/opt/small/share/a name/a" ] || fail "DESTDIR was not heeded"
DESTDIR=$scratch/root "$source/scripts/uninstall.sh" /opt/small >>"$scratch/log"
[ ! -e "$scratch/root/opt/small" ] || fail "the prefix is left over: $(find "$scratch/root")"

# refused WHAT TARGET PREFIX: `make` ends at once, with one line that has WHAT.
refused() {
  if make -C "$source" --no-print-directory "$2" PREFIX="$3" >"$scratch/out" 2>"$scratch/err"; then
    fail "make $2 accepted $3"
  fi
  [ ! -s "$scratch/out" ] || fail "make $2 began: $(head -n 3 "$scratch/out")"
  grep -q "^make $2: .*$1" "$scratch/err" || fail "make $2 said: $(cat "$scratch/err")"
}
refused 'nothing was removed, as there is no' uninstall "$scratch/kept"
refused 'is no directory; give a directory that is yours' install "$scratch/kept/include/mine/prefix"

# Root may write everywhere, so somebody else asks.
mkdir -m 555 "$scratch/closed"
somebody=""
if [ "$(id -u)" -eq 0 ]; then
  command -v setpriv >/dev/null || { echo "skipped: an unwritable prefix, as there is no setpriv"; exit 0; }
  somebody="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
# shellcheck disable=SC2086 # words of a command, or none
if $somebody sh -s -- 'make install' "$scratch/closed/prefix" <"$source/scripts/check-prefix.sh" 2>"$scratch/err"; then
  fail "a prefix in a directory without permission was accepted"
fi
grep -q '^make install: .* may not write to ' "$scratch/err" || fail "of the closed directory: $(cat "$scratch/err")"
echo "installed, removed, and refused what cannot be"
