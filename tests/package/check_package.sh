#!/bin/sh
# usage: check_package.sh BUILD_DIRECTORY SCRATCH_DIRECTORY COMPILER C_COMPILER [LAUNCHER WORD...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
scratch=$2
compiler=$3
c_compiler=$4
shift 4
launcher=$*

rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
# Nothing may depend on where the tree was installed.
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix

cmake -S "$here/consumer" -B "$scratch/consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_LAUNCHER="$(echo "$launcher" | tr ' ' ';')" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$scratch/consumer"

[ "$("$scratch/consumer/consumer" "$scratch/store")" = 1 ]
[ "$("$scratch/consumer/consumer" "$scratch/store")" = 2 ]
[ "$("$scratch/consumer/inspect_consumer" "$scratch/store" runs)" = 2 ]
[ "$("$scratch/consumer/metall_consumer" "$scratch/metall.store")" = 1 ]
[ "$("$scratch/consumer/metall_consumer" "$scratch/metall.store")" = 2 ]
[ "$("$scratch/consumer/boost_consumer" "$scratch/boost.store")" = 1 ]
[ "$("$scratch/consumer/boost_consumer" "$scratch/boost.store")" = 2 ]
[ -e "$scratch/boost.store/super" ]
[ "$("$scratch/consumer/memkind_consumer")" = default ]
printf '1 2\n2 3\n' | gzip >"$scratch/edges.gz"
[ "$("$scratch/consumer/graph_consumer" "$scratch/graph.store" "$scratch/edges.gz")" = "1 component, 2 edges, fresh" ]
[ "$("$scratch/consumer/graph_consumer" "$scratch/graph.store" "$scratch/edges.gz")" = "1 component, 4 edges, fresh" ]
echo '1|1|no rank|' >"$scratch/nodes.dmp"
echo '1|root||scientific name|' >"$scratch/names.dmp"
printf '>kraken:taxid|1\nACGTTGCAAGCTTAGCCATGACTGATCGGCTAAGTCTACGGATTCGCATTGACCGTTAACG\n' | gzip >"$scratch/genomes.gz"
# Classifies its own genomes, after a read of other bases.
expect_kmers() {
  rm -rf "$scratch/kmer.store"
  printf '>other\n%060d\n' 0 | tr 0 A >"$scratch/reads.fa"
  gzip -dc "$scratch/genomes.gz" >>"$scratch/reads.fa"
  [ "$("$1" "$scratch/kmer.store" "$scratch/nodes.dmp" "$scratch/names.dmp" "$scratch/genomes.gz" \
    "$scratch/reads.fa")" = "1 of 2" ]
}
expect_kmers "$scratch/consumer/kmer_consumer"
if [ -n "$(find "$prefix" -path "*bin/perdure")" ]; then
  for document in man1/perdure.1 man1/perdure-graph-bfs.1 completions/perdure site-functions/_perdure vendor_completions.d/perdure.fish; do
    [ -n "$(find "$prefix" -path "*/$document")" ] || { echo "$document is not installed" >&2; exit 1; }
  done
fi
echo "find_package: the program built, linked and kept its count"

if [ -n "$(find "$prefix" -name perdure_hdf5.so)" ]; then
  examples=$here/../../examples
  "$examples/run.sh" "$scratch/consumer/link_network" "$examples/link_network.expected" "$scratch/network"
  # Checkpoints are kept where files share blocks.
  if [ "$(id -u)" -eq 0 ] && command -v mkfs.xfs >/dev/null; then
    mkdir "$scratch/mounted"
    truncate -s 400M "$scratch/image"
    mkfs.xfs -q "$scratch/image"
    if mount -o loop "$scratch/image" "$scratch/mounted"; then
      trap 'umount "$scratch/mounted"' EXIT
      (cat "$examples/link_network.expected" && printf '$ was added\n1001 links\n') >"$scratch/kept.expected"
      "$examples/run.sh" "$scratch/consumer/link_network" "$scratch/kept.expected" "$scratch/mounted/network"
      umount "$scratch/mounted"
      trap - EXIT
      echo "a kept checkpoint was opened on XFS"
    fi
  fi
  echo "find_package: the program with every library kept its network"
fi

# A shared library of the name that the installed file is for brings the printers along, wherever the tree is.
if command -v gdb >/dev/null; then
  loader=$(find "$prefix" -name 'libperdure.so.*-gdb.py')
  mkdir -p "$scratch/moved"
  cp -r "$prefix" "$scratch/moved/prefix"
  loader=$scratch/moved/prefix/${loader#"$prefix"/}
  "$c_compiler" -shared -x c /dev/null -o "${loader%-gdb.py}"
  gdb -nx -batch -ex "add-auto-load-safe-path $scratch/moved" -ex "file ${loader%-gdb.py}" -ex "info pretty-printer global perdure" \
    >"$scratch/gdb.txt" 2>&1
  grep -q 'offset_ptr' "$scratch/gdb.txt" || { cat "$scratch/gdb.txt" >&2; exit 1; }
  rm -rf "$scratch/moved"
  echo "gdb: the pretty printers were loaded with the library"
fi

pc=$(find "$prefix" -name perdure.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
library=$(find "$prefix" -name 'libperdure.*' -not -path '*/shared/*' | head -n 1)
# shellcheck disable=SC2046,SC2086 # flags are words
$launcher "$compiler" -std=c++20 -O2 -c $(pkg-config --cflags perdure) "$here/consumer/consumer.cpp" -o "$scratch/consumer.o"
# shellcheck disable=SC2046
"$compiler" "$scratch/consumer.o" $(pkg-config --libs perdure) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/by_pkg_config"
[ "$("$scratch/by_pkg_config" "$scratch/store")" = 3 ]
echo "pkg-config: the program built, linked and read the other program's store"

cmake -S "$here/c_consumer" -B "$scratch/c_consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$scratch/c_consumer"
[ "$("$scratch/c_consumer/c_consumer" "$scratch/store")" = 4 ]
echo "find_package in C: the program built, linked and counted on in the C++ programs' store"

# shellcheck disable=SC2046
"$c_compiler" -std=c99 -Wall -Wextra -pedantic -Werror $(pkg-config --cflags perdure) "$here/c_consumer/c_consumer.c" \
  $(pkg-config --libs perdure) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/c_by_pkg_config"
[ "$("$scratch/c_by_pkg_config" "$scratch/store")" = 5 ]
echo "pkg-config in C99: the program built, linked and counted on"
# shellcheck disable=SC2046
"$c_compiler" -std=c99 $(pkg-config --cflags perdure-shared) "$here/c_consumer/c_consumer.c" \
  $(pkg-config --libs perdure-shared) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/c_of_shared"
[ "$("$scratch/c_of_shared" "$scratch/store")" = 6 ]
[ "$("$scratch/consumer/shared_consumer" "$scratch/store")" = 7 ]
version=$(pkg-config --modversion perdure)
for program in c_of_shared consumer/shared_consumer; do
  readelf -d "$scratch/$program" | grep -q "NEEDED.*\[libperdure.so.${version%.*}\]"
done
echo "find_package and pkg-config: programs of the shared library counted on"
# shellcheck disable=SC2046,SC2086
$launcher "$compiler" -std=c++20 -O2 -c $(pkg-config --cflags perdure-compat) "$here/consumer/metall_consumer.cpp" -o "$scratch/metall_consumer.o"
# shellcheck disable=SC2046
"$compiler" "$scratch/metall_consumer.o" $(pkg-config --libs perdure-compat) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/metall_by_pkg_config"
[ "$("$scratch/metall_by_pkg_config" "$scratch/metall.store")" = 3 ]
echo "pkg-config: the program for Metall built, linked and found its store"
# shellcheck disable=SC2046,SC2086
$launcher "$compiler" -std=c++20 -O2 -c $(pkg-config --cflags perdure-in-place-of-boost) "$here/consumer/boost_consumer.cpp" -o "$scratch/boost_consumer.o"
# shellcheck disable=SC2046
"$compiler" "$scratch/boost_consumer.o" $(pkg-config --libs perdure-in-place-of-boost) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/boost_by_pkg_config"
[ "$("$scratch/boost_by_pkg_config" "$scratch/boost.store")" = 3 ]
echo "pkg-config: the program for Boost.Interprocess built, linked and found its store"
# shellcheck disable=SC2046,SC2086
$launcher "$compiler" -std=c++20 -O2 -c $(pkg-config --cflags perdure-memkind) "$here/consumer/memkind_consumer.cpp" -o "$scratch/memkind_consumer.o"
# shellcheck disable=SC2046
"$compiler" "$scratch/memkind_consumer.o" $(pkg-config --libs perdure-memkind) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/memkind_by_pkg_config"
[ "$("$scratch/memkind_by_pkg_config")" = default ]
echo "pkg-config: the program for memkind built, linked and found its kind"
# shellcheck disable=SC2046,SC2086
$launcher "$compiler" -std=c++20 -O2 -c $(pkg-config --cflags perdure-inspect) "$here/consumer/inspect_consumer.cpp" -o "$scratch/inspect_consumer.o"
# shellcheck disable=SC2046
"$compiler" "$scratch/inspect_consumer.o" $(pkg-config --libs perdure-inspect) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/inspect_by_pkg_config"
[ "$("$scratch/inspect_by_pkg_config" "$scratch/store" runs)" = 7 ]
echo "pkg-config: the program that lists a store built, linked and listed it"

# Files of arrays, in any program: the modules are found where they were installed, and use nothing of the program.
if [ -e "$scratch/consumer/formats_consumer" ]; then
  expect_arrays() {
    rm -rf "$scratch/arrays"
    "$1" "$scratch/arrays" >"$scratch/arrays.txt" 2>"$scratch/arrays.err"
    grep -qx 'a.npy a \[2, 2\] 4' "$scratch/arrays.txt"
    if [ -n "$(find "$prefix" -name perdure_hdf5.so)" ]; then
      grep -qx 'b.h5 numbers \[2, 2\] 4' "$scratch/arrays.txt"
    else
      grep -q 'there is no module perdure_hdf5.so' "$scratch/arrays.err"
    fi
  }
  expect_arrays "$scratch/consumer/formats_consumer"
  for module in $(find "$prefix" -name 'perdure_*.so'); do
    if nm -D --undefined-only "$module" | c++filt | grep 'perdure::'; then
      echo "$module takes symbols from the program that loads it" >&2
      exit 1
    fi
  done
  # shellcheck disable=SC2046,SC2086
  $launcher "$compiler" -std=c++20 -O2 -c $(pkg-config --cflags perdure-formats) "$here/consumer/formats_consumer.cpp" -o "$scratch/formats_consumer.o"
  # shellcheck disable=SC2046
  "$compiler" "$scratch/formats_consumer.o" $(pkg-config --libs perdure-formats) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/formats_by_pkg_config"
  expect_arrays "$scratch/formats_by_pkg_config"
  echo "find_package and pkg-config: the program read and wrote files of arrays"
fi
# shellcheck disable=SC2046,SC2086
$launcher "$compiler" -std=c++20 -c $(pkg-config --cflags perdure-graph) "$here/consumer/graph_consumer.cpp" -o "$scratch/graph_consumer.o"
# shellcheck disable=SC2046
"$compiler" "$scratch/graph_consumer.o" $(pkg-config --libs perdure-graph) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/graph_by_pkg_config"
[ "$("$scratch/graph_by_pkg_config" "$scratch/graph.store" "$scratch/edges.gz")" = "1 component, 6 edges, fresh" ]
echo "pkg-config: the program with a graph built, linked and added to its store"
# shellcheck disable=SC2046,SC2086
$launcher "$compiler" -std=c++20 -c $(pkg-config --cflags perdure-kmer) "$here/consumer/kmer_consumer.cpp" -o "$scratch/kmer_consumer.o"
# shellcheck disable=SC2046
"$compiler" "$scratch/kmer_consumer.o" $(pkg-config --libs perdure-kmer) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/kmer_by_pkg_config"
expect_kmers "$scratch/kmer_by_pkg_config"
echo "pkg-config: the program with k-mers built, linked and classified reads"

modules=$(find "$prefix" -name perdure.mod)
if [ -n "$modules" ]; then
  cmake -S "$here/fortran_consumer" -B "$scratch/fortran_consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_PREFIX_PATH="$prefix"
  cmake --build "$scratch/fortran_consumer"
  [ "$("$scratch/fortran_consumer/fortran_consumer" "$scratch/fortran.store")" = 1 ]
  # As a program of another compiler's would.
  # shellcheck disable=SC2046
  (cd "$scratch" && f95 -o fortran_from_source "$(dirname "$modules")/perdure.f90" \
    "$here/fortran_consumer/fortran_consumer.f90" $(pkg-config --libs perdure) -Wl,-rpath,"$(dirname "$library")")
  [ "$("$scratch/fortran_from_source" "$scratch/fortran.store")" = 2 ]
  # shellcheck disable=SC2046
  f95 -o "$scratch/fortran_by_pkg_config" $(pkg-config --cflags perdure-fortran) \
    "$here/fortran_consumer/fortran_consumer.f90" $(pkg-config --libs perdure-fortran) -Wl,-rpath,"$(dirname "$library")"
  [ "$("$scratch/fortran_by_pkg_config" "$scratch/fortran.store")" = 3 ]
  echo "Fortran: the program built by find_package, from the module's source, and by pkg-config, and counted on"
fi

# Programs of MPI, by whichever is there.
if ! command -v mpicxx >/dev/null || ! command -v mpiexec >/dev/null; then
  echo "skipped: programs of MPI, as there is no mpicxx"
  exit 0
fi
run_on_two() {
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_btl_vader_single_copy_mechanism=none timeout 60 mpiexec -n 2 "$@"
}
cmake -S "$here/mpi_consumer" -B "$scratch/mpi_consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_LAUNCHER="$(echo "$launcher" | tr ' ' ';')" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$scratch/mpi_consumer"
[ "$(run_on_two "$scratch/mpi_consumer/mpi_consumer" "$scratch/set")" = 1 ]
# shellcheck disable=SC2046
mpicxx -std=c++20 -O2 $(pkg-config --cflags perdure-mpi) "$here/mpi_consumer/mpi_consumer.cpp" \
  $(pkg-config --libs perdure-mpi) -Wl,-rpath,"$(dirname "$library")" -o "$scratch/mpi_by_pkg_config"
[ "$(run_on_two "$scratch/mpi_by_pkg_config" "$scratch/set")" = 2 ]
echo "find_package and pkg-config: the programs of MPI built, linked and counted on, on two ranks"
