#!/bin/bash
# Writes an initial file system for the virtual machine: busybox, the kernel's modules for NVDIMMs and disks,
# guest/, and the test programs of a plan with their shared libraries.
#
# Each line of a plan is: NAME [VARIABLE=VALUE...] PROGRAM [ARGUMENT...], where PROGRAM is an absolute path on this
# machine; in the guest it lies in /tests.
#
# usage: make-initramfs.sh KERNEL_DIRECTORY PLAN OUTPUT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kernel=$1 plan=$2 output=$3
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,sbin,dev,proc,sys,tmp,tests,mnt/pmem,mnt/disk}

copy_libraries() {
  local library
  for library in $(ldd "$1" 2>/dev/null | grep -oE '/[^ ]+'); do
    mkdir -p "$root/$(dirname "$library")"
    cp -nL "$library" "$root/$library"
  done
}

copy_program() {
  cp -L "$1" "$root/$2/"
  copy_libraries "$1"
}

# Decompressed, since not every modprobe does that.
copy_modules() {
  local version target module
  version=$(cat "$kernel/version")
  target=$root/lib/modules/$version
  mkdir -p "$target"
  for folder in block acpi/nfit nvdimm dax virtio char; do
    [ -d "$kernel/modules/kernel/drivers/$folder" ] || continue
    mkdir -p "$target/$folder"
    find "$kernel/modules/kernel/drivers/$folder" -name '*.ko*' \
      \( -path '*/nfit/*' -o -path '*/nvdimm/*' -o -path '*/dax/*' -o -name 'virtio*' \) \
      -exec cp {} "$target/$folder/" \;
  done
  find "$target" -name '*.xz' -exec xz -d {} +
  find "$target" -name '*.zst' -exec zstd -q -d --rm {} +
  cp "$kernel"/modules/modules.{builtin,builtin.modinfo,order} "$target/"
  depmod -b "$root" "$version"
}

copy_plan() {
  local name words word
  while read -r name words; do
    local guest_words=()
    for word in $words; do
      if [[ $word == /* && -x $word ]]; then
        copy_program "$word" tests
        word=/tests/$(basename "$word")
      fi
      guest_words+=("$word")
    done
    echo "$name ${guest_words[*]}"
  done <"$plan" >"$root/tests/plan"
}

cp "$here"/guest/* "$root/"
cp /bin/busybox "$root/bin/"
ln -s busybox "$root/bin/sh"
copy_program "$(command -v mkfs.ext4 || echo /sbin/mkfs.ext4)" sbin
copy_modules
copy_plan
# Not compressed: copying is faster than emulated decompression.
(cd "$root" && find . | cpio --quiet -o -H newc) >"$output"
