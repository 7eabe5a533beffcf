#!/usr/bin/env bash
# The floors of the house, from the ground up, and what each room may include: itself and what its row names, nothing
# else of this repository. So whatever is not said to lie below does not, and a new folder needs a row.
#
#   ground        src/base                what all use: errors, the environment, threads
#   the system    src/os                  one file a facility of the kernel
#   memory        src/segment, src/pager  beside each other: ranges of addresses; memory with a budget
#   upon it       src/store, src/heap     beside each other: stores know nothing of objects, heaps nothing of files
#   what is asked for  src/kind, src/manager   beside each other: kinds of memory; objects in stores
#   by name       src/array               arrays of a store, by the public headers
#   together      src/ranks               stores of several ranks, checkpointed as one
#   the face      include/perdure, src/c  what programs see, in C++ and in C
#   who uses it   workload, formats, graph, kmer, inspect, python, compat, examples, addons, tools, bench, tests
#
# Includes are looked up as the compilers do: beside the file, then where the build looks.
set -euo pipefail
cd "$(dirname "$0")/.."

# room FOLDER WHAT...: files of FOLDER, down to folders with rows of their own, may include WHAT: folders (without what
# has a row of its own in them) or files.
rooms() {
  local h=include/perdure
  local public="$h $h/container $h/array"
  room $h/c
  room $h                   $h/{detail,container,array,mpi} $h/c/{set,version}.h
  room $h/detail            $h $h/array
  room $h/array             $h $h/detail
  room $h/mpi               $h $h/detail
  room $h/container         $h $h/{detail,container/detail}
  room $h/container/detail  $h $h/detail
  room src/base             $h/{error,progress}.hpp
  room src/os               src/base
  room src/segment          src/{base,os} $h/{error,memory_policy}.hpp
  room src/pager            src/{base,os} $h/{error,pager,pager_monitor}.hpp
  # In the store: files < commit < offline work < backings < opening.
  local store="src/base src/os src/segment $(echo $h/{checkpoint_log,damage,datastore,error,kept_checkpoint,pager}.hpp \
    $h/{pending_checkpoint,pending_copy,prepared_checkpoint,progress,repair,stage_place,store_info,store_maintenance,verify}.hpp)"
  room src/store/file       $store
  room src/store/commit     $store src/store/file
  room src/store/offline    $store src/store/{file,commit}
  room src/store/backing    $store src/store/{file,commit,offline} src/pager
  room src/store            $store src/store/{file,commit,offline,backing} src/pager
  # Of the system a heap knows how threads wait and what forks need, and nothing of files.
  room src/heap             src/{base,segment} src/os/{asymmetric_fence,forks,futex}.hpp $h/{error,heap,heap_occupancy,hash}.hpp $h/detail
  # Kinds use heaps by their public header, and know nothing of stores.
  room src/kind             src/{base,os,segment} $h/detail \
                            $h/{error,heap,kind,kind_decorator,memory_policy,node_set,tiered_kind}.hpp
  # Of a store a manager knows paths, layout and what a forked child lacks; of a heap the layout of what is checked.
  room src/manager          src/{base,segment} $public $h/detail src/heap/metadata.hpp \
                            src/store/file/{layout,store_directory}.hpp src/store/backing/forked_child.hpp
  room src/array            $public $h/detail src/base/{background_worker,invariant,owner_process}.hpp src/os/crc32c.hpp src/segment/segment.hpp
  # Sets open stores as programs do; of the layers below they know files, how parts are named and how failures are told.
  room src/ranks            $public $h/detail src/base/invariant.hpp src/os/{crc32c,directory_names,file,file_clone}.hpp src/array/{array_name,region_copy,slab_access,store_queue,stored_array}.hpp \
                            src/store/{backing/backings,file/store_lock}.hpp src/store/file/{failure,kept_name,layout,store_directory,super_block}.hpp
  # The C API wraps what the public headers offer.
  room src/c                src/base $public $h/{detail,c}
  # What workloads share, and they; what reads stores of programs that it does not know: by the public headers only.
  room workload             $public
  # Files of arrays: by the public headers, the variable that says where modules are, and the checksum of stores, which
  # zarr has too. Modules use only what they have copies of.
  room formats              $public
  room formats/src          $public workload formats formats/src/module src/base/{environment,file_size_limit}.hpp src/os/crc32c.hpp
  room formats/src/module   $h $h/array formats formats/src
  room formats/src/hdf5     $h $h/array formats formats/src formats/src/module
  room formats/src/netcdf   $h $h/array formats formats/src formats/src/module
  # One header of graphs calls MPI, by what sets of stores have for it.
  room graph                $public $h/mpi/own_communicator.hpp workload src/base/invariant.hpp
  room kmer                 $public workload
  room inspect              $public
  # The Python package binds what the public headers of all libraries offer, and opens sets of stores on ranks that it
  # reaches by mpi4py.
  room python               $public $h/detail/{managed_part,rank_group,rank_wait,store_set}.hpp graph kmer inspect formats workload
  # The tiers of memkind's interface are divided as those of kinds are.
  room compat               $public $h/detail/tier_division.hpp
  room examples             $public $h/c compat formats graph inspect
  # What is loaded into foreign programs has copies of what it is made of, and includes little of it.
  room addons/malloc        src/{os,segment} $h/heap.hpp $h/detail/size_classes.hpp
  room addons/pager_preload src/{base,os} $h/pager.hpp
  # The program uses the public headers; two tables, to tell of what they have; and why a store is busy, to give its own advice.
  room tools                $public $h/mpi/own_communicator.hpp graph kmer inspect workload formats src/base/environment.hpp \
                            src/store/backing/backings.hpp src/store/file/store_busy.hpp
  room bench/programs       $public graph kmer workload compat src/{os,segment} bench/peers
  room bench/peers          $public graph workload examples bench/programs
  # What tests share knows no test.
  room tests/support        $public $h/{detail,c} graph workload src/{base,os,segment,pager,heap,kind,manager,array,c} \
                            src/store src/store/{file,commit,offline,backing}
  room tests                EVERYTHING
}
room() { printf 'room %s\n' "$*"; }

sources() {
  find include src addons workload formats graph kmer inspect python compat examples tools bench tests \
    -regex '.*[.]\(hpp\|cpp\|h\|c\)' -printf '%p\n' | sort
}

{
  rooms
  sources | sed 's/^/file /'
  sources | xargs grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' |
    sed -E 's/^([^:]*):[^"<]*["<]([^">]*)[">].*/include \1 \2/'
} | awk '
  function folder_of(path) { sub("/[^/]*$", "", path); return path }
  # The row that a file is under: that of the nearest folder.
  function room_of(path) {
    while (sub("/[^/]*$", "", path)) if (path in known) return path
    return ""
  }
  function plain(path) { while (sub("[^/]+/[.][.]/", "", path)); return path }
  function look_up(from, name,   i) {
    if ((i = plain(folder_of(from) "/" name)) in file) return i
    for (i = 1; i <= roots; ++i) if (plain(root[i] name) in file) return plain(root[i] name)
    return ""
  }
  function complain(text) { print "layers: " text > "/dev/stderr"; broken = 1 }
  BEGIN {
    roots = split("src/ include/ addons/ workload/include/ formats/include/ formats/src/ graph/include/ kmer/include/ kmer/src/ inspect/include/ compat/include/ compat/src/ tools/perdure/ tests/ bench/", root, " ")
  }
  $1 == "room" {
    known[$2] = 1
    for (i = 3; i <= NF; ++i) { may[$2, $i] = 1; list[$2] = list[$2] " " $i }
  }
  $1 == "file" { file[$2] = 1; if (room_of($2) == "") complain($2 " is in a folder without a row") }
  $1 == "include" {
    to = look_up($2, $3)
    if (to == "") next
    room = room_of($2)
    if (room_of(to) == room || (room, room_of(to)) in may || (room, to) in may || (room, "EVERYTHING") in may) next
    complain($2 " includes " to "; " room " may include, beside itself," (list[room] == "" ? " nothing" : list[room]))
  }
  END { exit broken }
' || broken=1

if grep -rn 'getenv(' src addons tools | grep -v '^src/base/environment.cpp:'; then
  echo "layers: src/base/environment.hpp has the variables, and how they are read" >&2
  broken=1
fi

if grep -rn 'directory_iterator(' src; then
  echo "layers: src/os/directory_names.hpp lists directories; libstdc++'s iterator ends a program that runs out of memory" >&2
  broken=1
fi

# Each folder of src has one namespace. Sources open perdure too, for what public headers declare; so do two headers:
# heap::engine is a member of a public class, and everything uses page_size.
grep -rE --include='*.[ch]pp' '^(inline )?namespace [a-z_:]+ \{' src | sed -E 's/:(inline )?namespace / /' | awk '
  {
    split($1, folder, "/")
    own = "perdure::" (folder[2] ~ /^(base|os|pager|store|c)$/ ? folder[2] : "detail")
    if (index($2 "::", own "::") == 1 || $2 == "detail") next
    if ($2 == "perdure" && ($1 ~ /[.]cpp$/ || $1 == "src/heap/engine.hpp" || $1 == "src/base/page_size.hpp")) next
    print "layers: " $1 " opens namespace " $2 "; its folder has " own > "/dev/stderr"
    broken = 1
  }
  END { exit broken }
' || broken=1
exit "${broken:-0}"
