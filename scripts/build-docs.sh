#!/bin/sh
# Builds the documentation as a site that opens from disk, build/site/index.html: the pages of docs/ by MkDocs, and the
# reference of C++, C and Fortran by Doxygen. Installs MkDocs in the versions of site/requirements.txt below build/.
#
# usage: scripts/build-docs.sh
set -eu
cd "$(dirname "$0")/.."
python=build/docs-python
mkdir -p build/docs

# The copy shows what was installed; it is written last.
if ! cmp -s site/requirements.txt "$python/requirements.txt"; then
  rm -rf "$python"
  python3 -m venv "$python"
  "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps -r site/requirements.txt || {
    echo "build-docs.sh: pip could not install the packages of site/requirements.txt; see its message above, and try again" >&2
    exit 1
  }
  cp site/requirements.txt "$python/requirements.txt"
fi

scripts/check-documented.sh

rm -rf build/docs/api
doxygen site/Doxyfile
NO_MKDOCS_2_WARNING=1 "$python/bin/mkdocs" --quiet build --strict --clean --config-file site/mkdocs.yml

rm -rf build/site
cp -r build/docs/pages build/site
cp -r build/docs/api build/site/api
scripts/check-links.py --site build/site
echo "documentation: build/site/index.html"
