#!/bin/sh
# Checks docs/compatibility.md against the headers: each symbol that it says is offered is there, and few are not.
set -eu
cd "$(dirname "$0")/.."

# Lines "KIND SYMBOL" of the tables: the symbols are what stands between backquotes in the first column.
symbols=$(awk -F'|' '$3 ~ /^ (same|kinder|not offered) $/ {
  kind = $3; gsub(/^ | $/, "", kind); sub(" ", "-", kind)
  n = split($2, part, "`")
  for (i = 2; i <= n; i += 2) print kind, part[i]
}' docs/compatibility.md)

missing=0
while read -r kind symbol; do
  [ "$kind" != not-offered ] || continue
  case $symbol in
    */*) [ -e "compat/include/$symbol" ] && continue ;;
    *) grep -rqw -- "$symbol" compat/include include/perdure/offset_ptr.hpp && continue ;;
  esac
  echo "compatibility: $symbol is in the table, but not in the headers" >&2
  missing=1
done <<EOF
$symbols
EOF

all=$(echo "$symbols" | wc -l)
without=$(echo "$symbols" | grep -c '^not-offered' || true)
if [ $((without * 100)) -gt $((all * 3)) ]; then
  echo "compatibility: $without of $all symbols are not offered, more than 3 %" >&2
  missing=1
fi
echo "compatibility: $all symbols, $without not offered"
exit $missing
