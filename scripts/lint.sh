#!/bin/sh
# Formatting, comments and documentation, layering and clang-tidy over the tree; needs the clang preset configured (compile
# commands).
# usage: scripts/lint.sh [FILE... | --all [--deep] | --format-only]
# clang-tidy looks at the sources that differ from what .ci/evidence/clang-tidy says was clean; or at those given, all, or none.
# --deep lets its analyser follow more paths (scripts/tidy-folders.py).
set -eu
cd "$(dirname "$0")/.."
commands=build/clang/compile_commands.json

sources=$(git ls-files '*.cpp' '*.hpp' '*.c' '*.h')
# shellcheck disable=SC2086 # a list of names without spaces
clang-format-16 --dry-run -Werror $sources
echo "formatting: clean"

scripts/check-comments.py --self-check
scripts/check-comments.py
echo "comments that the change touches: clean"

scripts/check-documented.sh
echo "documentation of public declarations: complete"

scripts/check-prose.py --self-check
scripts/check-prose.py
echo "prose that the change touches: clean"

scripts/check-layers.sh
echo "layers: clean"

scripts/check-links.py
echo "links: clean"

scripts/draw-charts.py --self-check
scripts/draw-charts.py --check
echo "charts: as their tables"

scripts/check-versions.py --self-check
scripts/check-versions.py
echo "versions: equal"

for script in scripts/*.sh tests/package/*.sh tests/c/*.sh tests/compat/*.sh examples/*.sh .ci/run; do
  [ ! -e "$script" ] || bash -n "$script"
done

[ "${1:-}" != --format-only ] || exit 0
if [ $# -eq 0 ] || [ "$1" = --all ]; then
  # Tests lean on macros that trip the analyser; everything that ships is checked.
  git ls-files 'src/*.cpp' 'addons/*.cpp' 'workload/*.cpp' 'formats/*.cpp' 'graph/*.cpp' 'kmer/*.cpp' 'inspect/*.cpp' 'tools/*.cpp' 'examples/*.cpp' 'compat/*.cpp' | scripts/tidy-folders.py "$@"
else
  for file in "$@"; do
    if grep -qF "/$file\"" "$commands"; then echo "$file"; fi
  done | xargs -r -n 2 -P "${JOBS:-$(nproc)}" clang-tidy-16 -p build/clang --quiet
fi
echo "clang-tidy: clean"
