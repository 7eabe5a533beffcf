#!/bin/sh
# Compiles a header as C++17: that must fail with one sentence that says what is needed, and an end to it.
# usage: check_cxx17.sh HEADER COMPILER [FLAG...]
set -eu
header=$1
shift
output=$(echo "#include <$header>" | "$@" -std=c++17 -fsyntax-only -fdiagnostics-color=never -x c++ - 2>&1) && {
  echo "$header was compiled as C++17" >&2
  exit 1
}
echo "$output"
echo "$output" | grep -q 'error: .*Perdure needs C++20'
[ "$(echo "$output" | grep -c 'error: ')" -le 2 ]
