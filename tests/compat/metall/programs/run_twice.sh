#!/bin/sh
# Runs a program twice in an empty folder, with the path of a store, and compares what both runs print.
# usage: run_twice.sh PROGRAM EXPECTED
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
  "$1" "$folder/store"
  "$1" "$folder/store"
} >"$folder/actual"
diff -u "$2" "$folder/actual"
