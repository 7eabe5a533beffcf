#!/bin/sh
# Compiles a source. There must be an error, with TEXT, for each line that says "// refused: TEXT", and no other error.
# Where the line goes on with "// at: PATH" the compiler must name that member.
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

# ":LINE MESSAGE // at: PATH" of each error. gcc names the line of the source before the error in the header and the path
# behind it, clang the path with the error and the line behind it.
awk -v name="$name" -v quote="'" '
  /^In file included|^ +from / { next }
  /: (fatal )?error: / {
    finish()
    message = $0
    sub(/.*error: /, "", message)
    sub("^static assertion failed( due to requirement " quote "[^" quote "]*" quote ")?: ", "", message)
    path = path_in($0)
    if ($0 ~ name ":[0-9]+:") place($0)
    place_of_error = line
    line = ""
    next
  }
  / note: .*can_live_in_a_store<.* evaluates to false/ { path = path_in($0) }
  $0 ~ name ":[0-9]+:" && /required from here|requested here/ {
    if (message != "" && place_of_error == "") {
      place($0)
      place_of_error = line
      line = ""
    } else {
      finish()
      place($0)
    }
  }
  END { finish() }
  function finish() {
    if (message == "") return
    print ":" (place_of_error == "" ? "0" : place_of_error), message (path == "" ? "" : " // at: " path)
    message = ""
  }
  function place(text) { line = text; sub(".*" name ":", "", line); sub(/:.*/, "", line) }
  # The path is a template argument, in one piece or several: path<4>{"abc"}, path<3>{".d"}.
  function path_in(text,   found) {
    if (text !~ /can_live_in_a_store</) return ""
    found = ""
    while (match(text, /\{"[^"]*"\}/)) {
      found = found substr(text, RSTART + 2, RLENGTH - 4)
      text = substr(text, RSTART + RLENGTH)
    }
    return found
  }
' "$work/output" >"$work/errors"

failed=0
while read -r line expected; do
  text=${expected%% // at: *}
  path=${expected#"$text"}
  grep -F -e ":$line $text" "$work/errors" >"$work/found" || {
    echo "$name:$line: no error says '$text'" >&2
    failed=1
    continue
  }
  if [ -n "$path" ] && [ "$(sed 's,.* // at: , // at: ,' "$work/found")" != "$path" ]; then
    echo "$name:$line: the error is not$path" >&2
    failed=1
  fi
done <"$work/expected"
if [ "$(wc -l <"$work/errors")" -ne "$(wc -l <"$work/expected")" ]; then
  echo "$name: other errors than the expected" >&2
  failed=1
fi
[ $failed -eq 0 ] || cat "$work/errors" >&2
exit $failed
