#!/bin/sh
# Whether a program of Boost.Interprocess compiles after the substitutions that docs/how-to/migrating.md gives.
# usage: check_substitution.sh COMPILER...
set -eu
document=$(dirname "$0")/../../docs/how-to/migrating.md
command=$(sed -n "s/^ *\(sed -i '.*'\) FILE\$/\1/p" "$document")
[ -n "$command" ] || { echo "$document has no line 'sed -i … FILE'" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/program.cpp" <<'PROGRAM'
#include <boost/interprocess/detail/workaround.hpp>
#include <boost/interprocess/allocators/allocator.hpp>
#include <boost/interprocess/containers/vector.hpp>
#include <boost/interprocess/managed_mapped_file.hpp>
using namespace boost::interprocess;
namespace bip = boost::interprocess;
using numbers = vector<int, allocator<int, managed_mapped_file::segment_manager>>;
int main() {
  boost::interprocess::managed_mapped_file file(open_or_create, "numbers", 65536);
  file.find_or_construct<numbers>("numbers")(file.get_segment_manager())->push_back(1);
  bip::file_mapping::remove("numbers");
}
PROGRAM
eval "$command" '"$work/program.cpp"'
if grep -n 'boost::interprocess' "$work/program.cpp"; then
  echo "is left" >&2
  exit 1
fi
"$@" -fsyntax-only "$work/program.cpp"
