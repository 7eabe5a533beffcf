#!/bin/sh
# Compiles a source. There must be an error, with TEXT, for each line that says "// refused: TEXT", and no other error.
# usage: check_refused.sh SOURCE COMPILER [FLAG...]
set -eu
source=$1
shift
name=$(basename "$source")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

grep -n ' // refused: ' "$source" | sed -E 's,^([0-9]+):.* // refused: ,\1 ,' >"$work/expected"
[ -s "$work/expected" ]
all_errors=
if "$@" --version | grep -q clang; then all_errors=-ferror-limit=0; fi
if "$@" -fsyntax-only $all_errors -fdiagnostics-color=never "$source" >"$work/output" 2>&1; then
  echo "$name was compiled, but must be refused" >&2
  exit 1
fi

# "LINE MESSAGE" of each error. gcc names the line of the source before the error in the header, clang behind it.
awk -v name="$name" -v quote="'" '
  /^In file included|^ +from / { next }
  /: (fatal )?error: / {
    message = $0
    sub(/.*error: /, "", message)
    sub("^static assertion failed( due to requirement " quote "[^" quote "]*" quote ")?: ", "", message)
    if ($0 ~ name ":[0-9]+:") { place($0); print line, message; line = ""; next }
    if (line != "") { print line, message; line = ""; next }
    waiting = message
    next
  }
  $0 ~ name ":[0-9]+:" && /required from here|requested here/ {
    place($0)
    if (waiting != "") { print line, waiting; waiting = ""; line = "" }
  }
  END { if (waiting != "") print "0", waiting }
  function place(text) { line = text; sub(".*" name ":", "", line); sub(/:.*/, "", line) }
' "$work/output" >"$work/errors"

failed=0
while read -r line text; do
  grep -qF -e "$line $text" "$work/errors" || {
    echo "$name:$line: no error says '$text'" >&2
    failed=1
  }
done <"$work/expected"
if [ "$(wc -l <"$work/errors")" -ne "$(wc -l <"$work/expected")" ]; then
  echo "$name: other errors than the expected" >&2
  failed=1
fi
[ $failed -eq 0 ] || cat "$work/errors" >&2
exit $failed
