#!/bin/sh
# Fails where a program is more than LINES after the preprocessor.
# usage: check_size.sh LINES COMPILER [FLAG...]
set -eu
most=$1
shift
lines=$("$@" -E | wc -l)
echo "$lines lines after the preprocessor, at most $most"
[ "$lines" -gt 1000 ] && [ "$lines" -le "$most" ]
