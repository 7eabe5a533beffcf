#!/bin/sh
# Installs the Python package by pip from a clone of what is committed, into an environment of its own for each CPython of
# 3.11 to 3.13 that is installed, and runs its tests there. From 3.12 on one wheel serves all.
#
# usage: scripts/check-python-wheels.sh
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git clone --quiet . "$scratch/source"
printf '[pytest]\naddopts = -m "not long"\nmarkers = long\n' >"$scratch/pytest.ini"
mkdir "$scratch/stable"

passed=0
for minor in 11 12 13; do
  python=""
  for candidate in "python3.$minor" "$HOME"/.pyenv/versions/3."$minor".*/bin/python3; do
    if "$candidate" -c "import sys, venv; sys.exit(sys.version_info[:2] != (3, $minor))" 2>/dev/null; then python=$candidate; fi
  done
  [ -n "$python" ] || { echo "Python 3.$minor is not installed: left out"; continue; }
  own=$scratch/python3.$minor
  "$python" -m venv "$own"
  if [ "$minor" -ge 12 ]; then
    [ -n "$(ls "$scratch/stable")" ] || "$own/bin/pip" wheel --quiet --no-deps --wheel-dir "$scratch/stable" "$scratch/source"
    "$own/bin/pip" install --quiet pytest pyarrow xarray zarr "$scratch"/stable/*.whl
  else
    "$own/bin/pip" install --quiet pytest pyarrow xarray zarr "$scratch/source"
  fi
  "$own/bin/python" -X dev -B -m pytest -q -p no:cacheprovider -c "$scratch/pytest.ini" --rootdir "$scratch" "$scratch/source/python/tests"
  passed=$((passed + 1))
done
echo "$passed passed, 0 failed"
