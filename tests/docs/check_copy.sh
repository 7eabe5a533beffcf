#!/bin/sh
# A block of a document that begins with the first line of a program is that program.
#
# usage: check_copy.sh DOCUMENT PROGRAM
set -eu
document=$1
program=$2
awk -v first="$(head -n 1 "$program")" '
  /^```/ { if (inside) exit; next }
  $0 == first { inside = 1 }
  inside { print }' "$document" | diff "$program" -
