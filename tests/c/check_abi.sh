#!/bin/sh
# Compares what programs built against the C API rely on with the committed list: each exported symbol with its
# version, each prototype, struct, member and number. Whatever is removed or changed breaks such programs.
#
# usage: check_abi.sh LIBRARY TABLE_PROGRAM LIST NM [--update]
set -eu
export LC_ALL=C
library=$1
table=$2
list=$3
nm=$4

found=$(mktemp)
trap 'rm -f "$found"' EXIT
{
  # GNU and LLVM nm both append the version; a symbol without one is one that src/c/perdure.map lacks.
  "$nm" --dynamic --defined-only "$library" |
    sed -n 's/^[0-9a-f]* [TDBR] \(perdure_[a-z0-9_]*\)/symbol \1/p' | sort
  "$table" | sort
} >"$found"

if [ "${5:-}" = --update ]; then
  cp "$found" "$list"
  exit 0
fi

status=0
sort "$list" >"$found.list"
sort "$found" >"$found.now"
comm -23 "$found.list" "$found.now" >"$found.gone"
comm -13 "$found.list" "$found.now" >"$found.new"
if [ -s "$found.gone" ]; then
  echo "Removed or changed; programs built before would break:"
  sed 's/^/  - /' "$found.gone"
  status=1
fi
if [ -s "$found.new" ]; then
  echo "Not in $list yet:"
  sed 's/^/  + /' "$found.new"
  status=1
fi
unversioned=$(grep '^symbol ' "$found" | grep -v '@@PERDURE_' || true)
if [ -n "$unversioned" ]; then
  echo "Without a version; add them to src/c/perdure.map:"
  echo "$unversioned"
  status=1
fi
# Every symbol has a prototype in the table, so that none goes unchecked.
sed -n 's/^symbol \([^@]*\).*/\1/p' "$found" | sort >"$found.gone"
sed -n 's/^function \([^:]*\):.*/\1/p' "$found" | sort >"$found.new"
if ! diff "$found.gone" "$found.new"; then
  echo "Symbols (<) and prototypes in tests/c/abi_table.cpp (>) differ."
  status=1
fi
rm -f "$found.list" "$found.now" "$found.gone" "$found.new"
if [ "$status" -ne 0 ]; then
  echo "If nothing is lost by it: $0 $library $table $list $nm --update"
fi
exit "$status"
