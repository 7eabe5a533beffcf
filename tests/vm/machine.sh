#!/bin/bash
# Boots the virtual machine; its serial console is the standard output. Four NUMA nodes, with latencies and
# bandwidths in the HMAT, of which only the first has processors:
#   0  DRAM            80 ns  100 GB/s  1024 MiB
#   1  high bandwidth 110 ns  400 GB/s   384 MiB
#   2  far            250 ns   30 GB/s   384 MiB
#   3  the second NVDIMM, which the guest makes ordinary memory  350 ns  10 GB/s  256 MiB
# The first NVDIMM (/dev/pmem0) and a disk (/dev/vda) are files in DISKS, so they survive the machine.
# Emulated nodes are all equally fast, and processor caches are not modelled: nothing can be timed in here.
#
# usage: machine.sh KERNEL_DIRECTORY INITRAMFS DISKS [KERNEL_OPTION...]
set -eu
kernel=$1 initramfs=$2 disks=$3
shift 3
processors=2
accelerator=${PERDURE_VM_ACCELERATOR:-tcg,thread=multi}

size_file() { [ -e "$1" ] || truncate -s "$2" "$1"; }
size_file "$disks/pmem0" 256M
size_file "$disks/pmem1" 256M
size_file "$disks/disk" 512M

options=()
add() { options+=("$@"); }

# node ID MIB: memory without processors, nearest to node 0
node() {
  add -object "memory-backend-ram,id=node$1,size=$2M"
  add -numa "node,nodeid=$1,memdev=node$1,initiator=0${3:-}"
}

# speed NODE LATENCY BANDWIDTH: as seen from node 0
speed() {
  local entry=hmat-lb,initiator=0,target=$1,hierarchy=memory
  add -numa "$entry,data-type=access-latency,latency=$2"
  add -numa "$entry,data-type=access-bandwidth,bandwidth=$3"
}

distance() { add -numa "dist,src=$1,dst=$2,val=$3"; }

# nvdimm INDEX NODE MIB
nvdimm() {
  local file=memory-backend-file,id=nvdimm_file$1,share=on,mem-path=$disks/pmem$1,size=$3M,align=2M
  add -object "$file" -device "nvdimm,id=nvdimm$1,memdev=nvdimm_file$1,node=$2"
}

add -nodefaults -no-user-config -no-reboot
add -display none -monitor none -serial stdio
add -machine q35,nvdimm=on,hmat=on -accel "$accelerator" -smp $processors
# QEMU 7.2 emulates cmpxchg16b so that Linux 6.12 does not boot.
add -cpu max,-cx16
add -m 1792M,slots=4,maxmem=16G
node 0 1024 ",cpus=0-$((processors - 1))"
node 1 384
node 2 384
add -numa node,nodeid=3,initiator=0
distance 0 1 15
distance 0 2 30
distance 1 2 30
for other in 0 1 2; do distance $other 3 40; done
speed 0 80 100G
speed 1 110 400G
speed 2 250 30G
speed 3 350 10G
nvdimm 0 0 256
nvdimm 1 3 256
add -drive "file=$disks/disk,format=raw,if=virtio"
add -kernel "$kernel/vmlinuz" -initrd "$initramfs"
# An oops must not go on as if nothing had happened; -no-reboot turns the panic into an exit.
failing="panic=-1 panic_on_oops=1"
# Processors that a busy host holds up for seconds are no fault of the kernel's, nor is a timer that is late.
patience="no_timer_check nowatchdog rcupdate.rcu_cpu_stall_suppress=1"
add -append "console=ttyS0 loglevel=5 $failing $patience $*"

exec qemu-system-x86_64 "${options[@]}" </dev/null
