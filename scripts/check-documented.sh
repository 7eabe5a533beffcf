#!/bin/sh
# Reports public declarations that have no documentation comment, in the folders whose reference is complete. Doxygen
# finds them in a second, as it writes no pages.
#
# usage: scripts/check-documented.sh [FOLDER...]
# With folders it looks at those instead, such as one whose comments are being written.
set -eu
cd "$(dirname "$0")/.."

# In these folders a public declaration without documentation is an error.
documented="include formats/include graph/include inspect/include kmer/include workload/include fortran"

if [ -z "$(command -v doxygen)" ]; then
  echo "check-documented.sh: needs doxygen: scripts/install-deps.sh docs installs it" >&2
  exit 1
fi
folders=${*:-$documented}
for folder in $folders; do
  [ -d "$folder" ] || { echo "check-documented.sh: $folder: no such folder" >&2; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Doxygen looks at functions outside of classes only where their namespace or file has documentation, so all get some.
grep -rhoE '^namespace perdure[a-z_:]*' --include='*.hpp' --include='*.h' $folders | sort -u |
  sed 's|^namespace \(.*\)|/** \\namespace \1 Names of the library. */|' > "$scratch/namespaces.dox"
{
  cat site/Doxyfile
  echo "INPUT = $folders $scratch/namespaces.dox"
  echo "FILE_PATTERNS += *.dox"
  # The filter of the site makes comments of Fortran what Doxygen reads as documentation.
  echo "FILTER_PATTERNS = *.f90=site/link-pages.py \"*.h=sed '1s|^|/** @file */|'\""
  printf '%s\n' "INPUT_FILTER =" "USE_MDFILE_AS_MAINPAGE =" "EXTRACT_ALL = NO" "GENERATE_TAGFILE ="
  printf '%s\n' "OUTPUT_DIRECTORY = $scratch" "GENERATE_HTML = NO" "GENERATE_XML = YES"
  printf '%s\n' "WARN_IF_UNDOCUMENTED = YES" "WARN_LOGFILE = $scratch/warnings"
} | doxygen -
if grep 'is not documented' "$scratch/warnings" >&2; then
  echo "check-documented.sh: the declarations above need a comment that says what they are for" >&2
  echo "  (behind the comment of the first, ///@{ and ///@} around several make them share it)" >&2
  exit 1
fi
