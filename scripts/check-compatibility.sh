#!/bin/sh
# Checks docs/reference/compatibility.md against the headers: each symbol that its tables say is offered is there, every name of
# Boost's that the headers pass on, and every one of memkind's, is in a table, no note contradicts what a row says, the
# counts at its top are right, and few symbols are not offered.
# usage: scripts/check-compatibility.sh [DOCUMENT]
set -eu
cd "$(dirname "$0")/.."
document=${1:-docs/reference/compatibility.md}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=$work/include
cp -r compat/include "$include"
cmake -D PASSED_ON_DIR="$include" -P compat/passed_on.cmake
failed=0
fail() {
  echo "compatibility: $*" >&2
  failed=1
}

# symbols_of SECTION: lines "KIND SYMBOL" of the tables under that heading. The symbols are what stands between
# backquotes in the first column, without template arguments; of a constructor it is its tag.
symbols_of() {
  awk -F'|' -v section="## $1" '
    /^## / { inside = $0 == section }
    inside && $3 ~ /^ (same|safer|differs|not offered|ours) $/ {
      kind = $3; gsub(/^ | $/, "", kind); sub(" ", "-", kind)
      n = split($2, part, "`")
      for (i = 2; i <= n; i += 2) {
        symbol = part[i]
        if (symbol !~ /^operator/) gsub(/<[^>]*>/, "", symbol)
        gsub(/[(),]/, " ", symbol); sub(/^ */, "", symbol); sub(/ .*/, "", symbol)
        gsub(/.*::/, "", symbol)
        print kind, symbol
      }
    }' "$document"
}

# contradictions_in SECTION: rows that say "same", and something else in the note.
contradictions_in() {
  awk -F'|' -v section="## $1" '
    /^## / { inside = $0 == section }
    inside && $3 == " same " && $4 ~ /no effect|choose nothing|differ|only name|[Oo]ther (values|figures|words|contents|statistics)|up to [0-9]+ .iB|, which Boost/ {
      print $2
    }' "$document"
}

# words_of FILE...: every identifier and operator outside comments.
words_of() {
  sed 's,//.*,,' "$@" | grep -oE 'operator *[^a-zA-Z_ (]+|[A-Za-z_][A-Za-z0-9_]*' | sort -u
}

# headers_of FOLDER: `.` stands for the headers beside the folders, which are memkind's.
headers_of() {
  case $1 in
    .) find "$include" -maxdepth 1 -name '*.h' ;;
    *) find "$include/$1" -name '*.h' -o -name '*.hpp' ;;
  esac
}

# check SECTION FOLDER COLUMN: the symbols of a section against the headers in a folder, and against its column of
# the counts.
check() {
  section=$1 folder=$2 column=$3
  symbols_of "$section" >"$work/symbols"
  contradictions=$(contradictions_in "$section")
  [ -z "$contradictions" ] || fail "$section: said to be the same, which the note contradicts:" "$contradictions"
  # shellcheck disable=SC2046 # names without spaces
  words_of $(headers_of "$folder") include/perdure/offset_ptr.hpp \
    >"$work/words"
  while read -r kind symbol; do
    [ "$kind" != not-offered ] || continue
    case $symbol in
      */* | *.h) [ -e "$include/$symbol" ] ;;
      # A macro of the program's that steers nothing is named in a comment only.
      METALL_*) grep -rqw -e "$symbol" "$include/$folder" ;;
      *) grep -qxF -e "$symbol" "$work/words" ;;
    esac || fail "$section: $symbol is in the table, but not in the headers"
  done <"$work/symbols"

  # shellcheck disable=SC2046 # names without spaces
  grep -hoE '^using boost::[a-z_:]+' $(headers_of "$folder") | sed 's/.*:://' | sort -u >"$work/passed_on" || true
  while read -r symbol; do
    grep -qE " $symbol\$" "$work/symbols" || fail "$section: $symbol is in the headers, but not in the table"
  done <"$work/passed_on"

  if [ "$folder" = . ]; then
    grep -E '^(memkind|hbw|memtier)_[a-z_]+$|^(MEMKIND|HBW_P|HBW_T|MEMTIER)[A-Z0-9_]+$' "$work/words" |
      grep -vE '_deprecated$|^HBW_PREFERRED' | while read -r symbol; do
      grep -qE " $symbol\$" "$work/symbols" || echo "$symbol"
    done >"$work/missing"
    [ ! -s "$work/missing" ] || fail "$section: in the headers, but not in the table:" $(cat "$work/missing")
  fi

  # What only Perdure has is no part of the other library's interface.
  grep -v '^ours' "$work/symbols" >"$work/theirs"
  all=$(wc -l <"$work/theirs")
  for kind in same safer differs not-offered; do
    count=$(grep -c "^$kind " "$work/theirs" || true)
    share=$(((count * 2000 / all + 1) / 2))
    expected="$count ($((share / 10)).$((share % 10)) %)"
    said=$(awk -F'|' -v kind="$(echo "$kind" | tr - ' ')" -v column="$column" '
      index($2, " " kind ":") == 1 { gsub(/^ | $/, "", $column); print $column; exit }' "$document")
    [ "$said" = "$expected" ] || fail "$section: the document counts '$said' symbols as $kind; it is '$expected'"
    [ $kind != not-offered ] || [ $((count * 100)) -le $((all * 3)) ] ||
      fail "$section: $count of $all symbols are not offered, more than 3 %"
  done
  said=$(awk -F'|' -v column="$column" '/^\| public symbols / { gsub(/ /, "", $column); print $column; exit }' "$document")
  [ "$said" = "$all" ] || fail "$section: the document counts '$said' symbols; there are $all"
  echo "compatibility: $section: $all symbols"
}

check Metall metall 3
check Boost.Interprocess perdure_interprocess 4
check memkind . 5
exit $failed
