#!/bin/sh
# Installs, by name, what the given groups need and this system lacks: build, test, bench, check,
# file-systems, vm, mpi, mutation, docs, python, python-check, long.
# Says what it installs and asks nothing. Needs root, or sudo, only when something is missing.
#
# usage: scripts/install-deps.sh [--download-seconds N] GROUP...
#   --download-seconds N  fail rather than download for longer
set -eu

download_seconds=0
if [ "${1:-}" = --download-seconds ]; then
  download_seconds=$2
  shift 2
fi

missing=""
optional=""
want() {
  case " $missing " in *" $1 "*) ;; *) missing="$missing $1" ;; esac
}

has_command() { command -v "$1" >/dev/null 2>&1; }

has_package() {
  dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -q '^installed$'
}

want_command() { has_command "$1" || want "$2"; }
want_package() { has_package "$1" || want "$1"; }

# What only some of the supported systems offer, and nothing fails without.
want_if_offered() { has_package "$1" || optional="$optional $1"; }
want_what_is_offered() {
  for package in $optional; do
    if apt-cache show "$package" >/dev/null 2>&1; then want "$package"; fi
  done
}

# cmake 3.25 is what the presets need.
has_cmake() {
  has_command cmake || return 1
  version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
  [ -n "$version" ] || return 1
  # shellcheck disable=SC2086 # two words, major and minor
  set -- $version
  [ "$1" -gt 3 ] || { [ "$1" -eq 3 ] && [ "$2" -ge 25 ]; }
}

has_boost() {
  for directory in /usr/include /usr/local/include; do
    header=$directory/boost/version.hpp
    [ -r "$header" ] || continue
    number=$(sed -n 's/^#define BOOST_VERSION \([0-9]*\).*/\1/p' "$header")
    [ "${number:-0}" -ge 108100 ] && return 0
  done
  return 1
}

if ! has_command dpkg-query || ! has_command apt-get; then
  echo "This is no Debian or Ubuntu system, so nothing is installed. Perdure needs a C++20 compiler (g++ 12," \
       "clang 16), cmake 3.25, ninja, pkg-config, xz, Boost 1.81, zlib, libzstd, liblzma, libbz2, expat, oneTBB, GoogleTest, CLI11 and nlohmann-json."
  for command in cmake ninja pkg-config; do
    has_command "$command" || {
      echo "install-deps.sh: $command is not there; install it with the packages of your system, then give the command again" >&2
      exit 1
    }
  done
  exit 0
fi

boost_wanted=false
for group in "$@"; do
  case $group in
    build)
      want_command g++ g++
      has_cmake || want cmake
      want_command ninja ninja-build
      want_command pkg-config pkg-config
      want_command xz xz-utils
      has_boost || boost_wanted=true
      want_package zlib1g-dev
      want_package libzstd-dev
      want_package liblz4-dev
      want_package libblosc-dev
      want_package liblzma-dev
      want_package libbz2-dev
      want_package libexpat1-dev
      want_package libtbb-dev
      want_package libcli11-dev
      want_package nlohmann-json3-dev
      ;;
    test)
      # Checkouts on one machine share what they compile.
      want_command ccache ccache
      want_package libgtest-dev
      want_package libhdf5-dev
      want_package libnetcdf-dev
      want_package libhwloc-dev
      want_package libfuse3-dev
      want_package libgraphblas-dev
      want_command python3 python3
      want_command luajit luajit
      want_command gfortran gfortran
      ;;
    bench)
      want_command python3 python3
      want_package libhdf5-dev
      want_package libnetcdf-dev
      want_package libmimalloc-dev
      want_package libjemalloc-dev
      want_package libgoogle-perftools-dev
      want_package libmemkind-dev
      want_package libpmemobj1
      # Arrays across MPI ranks, and what they are compared with.
      want_package libopenmpi-dev
      want_package openmpi-bin
      want_package libhdf5-openmpi-dev
      want_package libnetcdf-mpi-dev
      want_package libpnetcdf-dev
      want_if_offered libadios-openmpi-dev
      want_package libbz2-dev
      want_package libblosc-dev
      want_package libgraphblas-dev
      want_package libigraph-dev
      want_command git git
      want_command sqlite3 sqlite3
      want_package liblmdb-dev
      want_package libsqlite3-dev
      ;;
    check)
      want_command clang++-16 clang-16
      want_command clang-tidy-16 clang-tidy-16
      want_command clang-format-16 clang-format-16
      want_command doxygen doxygen
      ;;
    long)
      # Of tests that only 'make check' runs: debuggers, a browser for reports, the shells that have completions, a reader of
      # man pages, and tools that find what the Debian package depends on.
      want_command gdb gdb
      has_command lldb || want_command lldb-16 lldb-16
      want_command chromium chromium
      want_command man man-db
      want_command zsh zsh
      want_command fish fish
      want_command dpkg-shlibdeps dpkg-dev
      want_command file file
      ;;
    file-systems)
      want_package e2fsprogs
      want_package xfsprogs
      want_package btrfs-progs
      ;;
    vm)
      want_command qemu-system-x86_64 qemu-system-x86
      want_package busybox-static
      want_command depmod kmod
      want_command cpio cpio
      want_package e2fsprogs
      want_command xz xz-utils
      want_command zstd zstd
      ;;
    mpi)
      # The library needs none; what is for MPI programs is tested with each that is there.
      want_package libopenmpi-dev
      want_package openmpi-bin
      want_package libmpich-dev
      want_package mpich
      ;;
    mutation)
      # Which clang reads the sources does not matter.
      has_package python3-clang-16 || has_package python3-clang-18 || want_if_offered python3-clang-16
      ;;
    python)
      # nanobind, NumPy and pytest are installed below build/ by scripts/python-environment.sh.
      want_command python3 python3
      python3 -c 'import ensurepip' 2>/dev/null || want_package python3-venv
      [ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)/Python.h" ] || want_package python3-dev
      ;;
    python-check)
      # CPython's own tests, which Debian has in a package of their own.
      python3 -c 'import test.mapping_tests' 2>/dev/null ||
        want_package "libpython$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')-testsuite"
      ;;
    docs)
      # MkDocs is installed below build/ by scripts/build-docs.sh.
      want_command python3 python3
      python3 -c 'import ensurepip' 2>/dev/null || want_package python3-venv
      want_command doxygen doxygen
      ;;
    *)
      echo "install-deps.sh: no group is called '$group' (build, test, bench, check, file-systems, vm, mpi, mutation, docs, python, python-check, long)" >&2
      exit 2
      ;;
  esac
done

want_what_is_offered
[ -n "$missing" ] || $boost_wanted || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  # Without a terminal sudo could only wait for a password that nobody types.
  if has_command sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root="sudo"
  else
    $boost_wanted && missing="$missing libboost1.81-dev (or libboost1.83-dev)"
    echo "These packages are missing, and installing them needs root or sudo:$missing" >&2
    exit 1
  fi
fi

# A command that apt runs under, or none.
limit=""
apt() {
  # shellcheck disable=SC2086 # empty, or the words of a command
  $as_root $limit env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@"
}

echo "Missing:$missing$(! $boost_wanted || echo ' boost (1.81 or later)'). Updating the package lists."
apt update
want_what_is_offered

if $boost_wanted; then
  boost_package=""
  for minor in 83 81 84 85 86 87 88 89 90; do
    if apt-cache show "libboost1.$minor-dev" >/dev/null 2>&1; then
      boost_package=libboost1.$minor-dev
      break
    fi
  done
  if [ -z "$boost_package" ]; then
    echo "This system's package sources offer no Boost 1.81 or later; Debian 12 and Ubuntu 24.04 do." >&2
    exit 1
  fi
  want "$boost_package"
fi

unknown=""
for package in $missing; do
  apt-cache show "$package" >/dev/null 2>&1 || unknown="$unknown $package"
done
if [ -n "$unknown" ]; then
  echo "This system's package sources do not offer:$unknown (on Ubuntu they are in 'universe')." >&2
  exit 1
fi

echo "Installing:$missing"
if [ "$download_seconds" -gt 0 ]; then
  # Only the download: dpkg must not be interrupted.
  limit="timeout $download_seconds"
  # shellcheck disable=SC2086 # a list of package names
  apt install -y -d --no-install-recommends $missing
  limit=""
fi
# shellcheck disable=SC2086 # a list of package names
apt install -y --no-install-recommends $missing
