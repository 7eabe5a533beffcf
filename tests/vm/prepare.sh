#!/bin/bash
# Makes ready what the virtual machine's tests need: installs QEMU by name, and downloads and unpacks two kernels,
# which are not installed. 'stable' is the newest of the oldest series that apt offers, 'newest' of the newest one.
# What could not be had is said in DIRECTORY/unavailable, and the tests then skip for that reason. Always exits 0.
#
# usage: tests/vm/prepare.sh DIRECTORY
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1" || exit 0
install_deps=$here/../../scripts/install-deps.sh
# The tests are not worth more waiting: both limits together are under five minutes.
package_seconds=160
kernel_seconds=60

unavailable() {
  echo "$*" >unavailable
  echo "tests/vm will be skipped: $*"
  exit 0
}

# Of every series (6.1, 6.12, …) the newest package: lines "SERIES PACKAGE", oldest series first. Debian's cloud
# kernels have little to unpack; Ubuntu has its generic ones.
kernel_packages() {
  for flavour in cloud-amd64 generic; do
    names=$(apt-cache search --names-only "^linux-image-[0-9].*-$flavour\$" | cut -d' ' -f1 |
      grep -E '^linux-image-[0-9]+\.[0-9]+\.[0-9]' | sort -V)
    [ -z "$names" ] || break
  done
  sed -E 's/^linux-image-([0-9]+\.[0-9]+).*/\1 &/' <<<"$names" |
    awk 'NF == 2 { newest[$1] = $2 } END { for (series in newest) print series, newest[series] }' | sort -V
}

# unpack PACKAGE: leaves vmlinuz, modules/ and version in a folder of the package's name.
unpack() {
  local package=$1 version=${1#linux-image-} work
  [ ! -e "$package/version" ] || return 0
  rm -rf "$package" && work=$(mktemp -d ./unpack-XXXXXX) || return 1
  # Ubuntu's modules are in a package of their own.
  local packages=("$package")
  if [[ $version == *-generic ]]; then packages+=("linux-modules-$version"); fi
  # Not as the user _apt, who cannot write here.
  (cd "$work" && timeout $kernel_seconds apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}") &&
    for archive in "$work"/*.deb; do dpkg -x "$archive" "$work"; done &&
    mkdir "$package" &&
    mv "$work/boot/vmlinuz-$version" "$package/vmlinuz" &&
    mv "$work"/lib/modules/"$version" "$package/modules" &&
    echo "$version" >"$package/version"
  local status=$?
  rm -rf "$work"
  return $status
}

rm -f unavailable stable newest
[ "$(uname -m)" = x86_64 ] || unavailable "the machine is an x86-64 one, and this is $(uname -m)"
"$install_deps" --download-seconds $package_seconds vm || unavailable "its packages could not be installed (see above)"
command -v qemu-system-x86_64 >/dev/null || unavailable "there is no qemu-system-x86_64"
packages=$(kernel_packages)
[ -n "$packages" ] || unavailable "apt offers no kernel package (are the package lists up to date?)"

stable=$(head -n 1 <<<"$packages" | cut -d' ' -f2)
newest=$(tail -n 1 <<<"$packages" | cut -d' ' -f2)
unpack "$stable" || unavailable "$stable could not be downloaded"
unpack "$newest" || newest=$stable
ln -s "$stable" stable
ln -s "$newest" newest
echo "tests/vm: kernels $(cat stable/version) and $(cat newest/version)"
