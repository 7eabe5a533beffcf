#!/bin/sh
# Runs the notebooks of examples/ with Jupyter's client and kernel, on the package in build/release/python. What their cells print is
# compared by the tests of the package, which do without Jupyter.
#
# usage: scripts/check-notebooks.sh
set -eu
cd "$(dirname "$0")/.."
[ -e build/python/requirements.txt ] || { echo "The notebooks are left out: the Python package is not built"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build/python/bin/python -m venv --system-site-packages "$scratch/python"
"$scratch/python/bin/pip" install --quiet --disable-pip-version-check nbclient ipykernel
numpy=$(build/python/bin/python -c 'import pathlib, numpy; print(pathlib.Path(numpy.__file__).parent.parent)')
PYTHONPATH=$PWD/build/release/python:$numpy
export PYTHONPATH
# A notebook runs in its own folder, and makes its stores there.
cp examples/*.ipynb "$scratch"
for notebook in "$scratch"/*.ipynb; do
  "$scratch/python/bin/jupyter" execute --kernel_name=python3 "$notebook"
done
echo "notebooks: run"
