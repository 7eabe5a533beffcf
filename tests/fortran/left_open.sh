#!/bin/sh
# Runs the program that leaves a store open: it fails, says so, and loses nothing that it has written to its units.
#
# usage: left_open.sh PROGRAM FOLDER
set -eu
program=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder"
if "$program" "$folder/run.store" >"$folder/out" 2>"$folder/err"; then
  echo "the program does not fail" >&2
  exit 1
fi
grep -q 'are lost: the program ended by exit() with the store open' "$folder/err"
[ "$(cat "$folder/out")" = printed ]
[ "$(cat "$folder/run.store.txt")" = 'written to a file' ]
