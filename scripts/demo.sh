#!/bin/sh
# Keeps two graphs, a synthetic and a real one (and with GRAPH=FILE an edge list of yours), in stores between
# processes, shows what re-attaching costs compared with ingesting, and kills a process to show what stays.
#
# usage: scripts/demo.sh      environment: GRAPH=FILE, DEMO_SCALE=20, TMPDIR
set -eu
cd "$(dirname "$0")/.."
perdure=$PWD/build/release/bin/perdure
scale=${DEMO_SCALE:-20}
if [ ! -x "$perdure" ]; then
  echo "demo.sh: $perdure is missing; run 'make build' first" >&2
  exit 1
fi

# A disk, not a memory file system: a durable close is the point.
work=$(mktemp -d "${TMPDIR:-/var/tmp}/perdure-demo-XXXXXX")
writer=""
clean_up() {
  [ -z "$writer" ] || kill -9 "$writer" 2>/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# field FILE KEY: one number or word of a JSON object printed by perdure
field() {
  sed -n 's/^ *"'"$2"'": "\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' "$1" | head -n 1
}

heading() { printf '\n== %s\n\n' "$1"; }

grouped() {
  printf '%s\n' "$1" | awk '{ s = $1; while (match(s, /^[0-9]+[0-9][0-9][0-9]($|,)/)) {
    head = s; sub(/[0-9][0-9][0-9](,.*)?$/, "", head); s = head "," substr(s, length(head) + 1) } print s }'
}

# keep NAME LABEL INGEST-ARGUMENTS...: one process ingests and exits, others re-attach and ask.
keep() {
  name=$1
  label=$2
  shift 2
  echo "$label"
  "$perdure" graph ingest "$work/$name" "$@" --json >"$work/$name.ingest"
  "$perdure" graph info "$work/$name" --top 1 --json >"$work/$name.info"
  source=$(field "$work/$name.info" id)
  "$perdure" graph bfs "$work/$name" --source "$source" --json >"$work/$name.bfs"
  "$perdure" graph cc "$work/$name" --json >"$work/$name.cc"
  echo "  $(grouped "$(field "$work/$name.info" vertices)") vertices," \
    "$(grouped "$(field "$work/$name.info" edges)") edges;" \
    "$(grouped "$(field "$work/$name.bfs" reached)") reached from vertex $source," \
    "$(grouped "$(field "$work/$name.cc" components)") components"
  kept="$kept $name"
}
kept=""

heading "One process ingests each graph and exits; others re-attach and ask"

keep R-MAT "R-MAT, scale $scale, edge factor 16, undirected" --rmat-scale "$scale" --undirected

# The package dependency graph of this machine: what the package lists offer, or what is installed. An edge
# leads from a package to one that depends on it, so a search from libc6 finds what would break without it.
packages() {
  if command -v apt-cache >/dev/null 2>&1 && [ -n "$(apt-cache dumpavail 2>/dev/null | head -c 1)" ]; then
    apt-cache dumpavail
  fi
  [ ! -r /var/lib/dpkg/status ] || cat /var/lib/dpkg/status
}

if [ -r /var/lib/dpkg/status ]; then
  packages | awk -v names="$work/package-names.txt" '
    function number(name) {
      if (!(name in ids)) { ids[name] = ++count; print count "\t" name > names }
      return ids[name]
    }
    function clean(name) { sub(/^[ \t]+/, "", name); sub(/[ \t:(\[].*$/, "", name); return name }
    /^Package: / { package = $2; next }
    /^(Pre-)?Depends: / {
      sub(/^[^:]*: /, "")
      parts = split($0, part, /[,|]/)
      for (i = 1; i <= parts; i++) {
        name = clean(part[i])
        if (name == "" || seen[package, name]++) continue
        print number(name) "\t" number(package)
      }
    }' >"$work/packages.txt"
  keep packages "Debian packages of this machine: dependency -> dependent" "$work/packages.txt"
fi

if [ -n "${GRAPH:-}" ]; then
  keep yours "$GRAPH, undirected" "$GRAPH" --undirected
fi

printf '\n%-10s %12s %12s %10s %10s %10s %10s %10s   %s\n' graph vertices edges ingest 'dur. close' re-attach BFS \
  components 're-attach is'
for name in $kept; do
  awk -v name="$name" -v vertices="$(grouped "$(field "$work/$name.info" vertices)")" \
    -v edges="$(grouped "$(field "$work/$name.info" edges)")" \
    -v ingest="$(field "$work/$name.ingest" ingest_seconds)" -v close_s="$(field "$work/$name.ingest" close_seconds)" \
    -v attach="$(field "$work/$name.bfs" attach_seconds)" \
    -v bfs_index="$(field "$work/$name.bfs" index_seconds)" -v bfs="$(field "$work/$name.bfs" seconds)" \
    -v cc_index="$(field "$work/$name.cc" index_seconds)" -v cc="$(field "$work/$name.cc" seconds)" '
    function t(s) { return s < 1 ? sprintf("%.2f ms", s * 1000) : sprintf("%.2f s", s) }
    BEGIN {
      printf "%-10s %12s %12s %10s %10s %10s %10s %10s   %.0f times faster than ingest\n", name, vertices, edges,
        t(ingest), t(close_s), t(attach), t(bfs_index + bfs), t(cc_index + cc), ingest / attach
    }'
done

if [ -r "$work/package-names.txt" ]; then
  heading "What the package graph says"
  "$perdure" graph info "$work/packages" --top 5 --json >"$work/top"
  "$perdure" graph info "$work/packages" --top 5 | awk -v names="$work/package-names.txt" '
    BEGIN { while ((getline line < names) > 0) { split(line, part, "\t"); name[part[1]] = part[2] } }
    /^vertex / { printf "  %-24s %7s packages depend on it directly\n", name[$2], $3 }'
  libc=$(awk '$2 == "libc6" { print $1; exit }' "$work/package-names.txt")
  if [ -n "$libc" ]; then
    "$perdure" graph bfs "$work/packages" --source "$libc" | awk '
      BEGIN { print "" }
      /^level [1-9]/ {
        gsub(",", "", $3); sum += $3
        printf "  within %d hop%s of libc6: %7d packages\n", $2, ($2 == 1 ? " " : "s"), sum
      }'
  fi
fi

heading "A process that is killed while it ingests"

# The shell that will run the program may be slower than the look at what it has written.
: >"$work/killed.log"
"$perdure" graph ingest "$work/killed" --rmat-scale "$scale" --checkpoint-every "$(((16 << scale) / 8))" \
  >"$work/killed.log" 2>&1 &
writer=$!
# Half way: four of its eight checkpoints.
while [ "$(grep -c '^checkpoint' "$work/killed.log" || true)" -lt 4 ] && kill -0 "$writer" 2>/dev/null; do
  sleep 0.05
done
kill -9 "$writer" 2>/dev/null || true
wait "$writer" 2>/dev/null || true
writer=""
sed 's/^/  /' "$work/killed.log"
echo "  kill -9, in the middle of $(grouped "$((16 << scale))") edges"
"$perdure" graph info "$work/killed" --json >"$work/killed.info"
"$perdure" graph cc "$work/killed" --json >"$work/killed.cc"
echo "  the store reopens at its last checkpoint: epoch $(field "$work/killed.info" epoch)," \
  "$(grouped "$(field "$work/killed.info" edges)") edges, and answers:" \
  "$(grouped "$(field "$work/killed.cc" components)") components"
