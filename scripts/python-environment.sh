#!/bin/sh
# Makes the environment that the Python package is built and tested in, build/python, with the packages of
# python/requirements.txt; does nothing where it is there. With `bench` or `check` it makes another, build/python-bench or
# build/python-check, which has those of python/requirements-bench.txt or requirements-check.txt too.
#
# usage: scripts/python-environment.sh [bench|check]
set -eu
cd "$(dirname "$0")/.."
python=build/python${1:+-$1}
mkdir -p build
cat python/requirements.txt ${1:+"python/requirements-$1.txt"} >"$python.wanted"

# The copy shows what was installed; it is written last.
if ! cmp -s "$python.wanted" "$python/requirements.txt"; then
  rm -rf "$python"
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "python-environment.sh: the Python package needs Python 3.11 or later; python3 is $(python3 --version)" >&2
    exit 1
  }
  python3 -m venv "$python"
  "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$python.wanted" || {
    echo "python-environment.sh: pip could not install the packages of python/requirements*.txt; see its message above, and try again" >&2
    exit 1
  }
  cp "$python.wanted" "$python/requirements.txt"
fi
