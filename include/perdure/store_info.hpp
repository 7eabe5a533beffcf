// The records of a store's super block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace perdure {

/// Everything the super block records, as `perdure info` prints it.
struct store_info {
  std::string uuid;                             ///< identity of the store; a copy has that of its original
  std::uint32_t format_version = 0;             ///< version of the file format
  std::uint64_t compat_features = 0;            ///< features that a library need not know
  std::uint64_t read_only_compat_features = 0;  ///< features that a library must know to write
  std::uint64_t incompat_features = 0;          ///< features that a library must know to open the store
  std::uint64_t epoch = 0;                      ///< last committed checkpoint
  std::uint64_t applied_epoch = 0;              ///< last checkpoint written home
  /// A checkpoint that is prepared and waits for its decision; 0 if there is none. Of `inspect` only.
  std::uint64_t undecided_epoch = 0;
  bool open_dirty = false;         ///< a `shared_file` store that was not closed cleanly
  std::size_t capacity = 0;        ///< bytes that the blocks in the store may take
  std::size_t address_space = 0;   ///< bytes of addresses that an open store reserves, in whole GiB
  std::size_t size = 0;            ///< bytes of the segment in use, as of the last checkpoint
  std::size_t home_file_size = 0;  ///< bytes of each `heap.NNN`
  std::size_t home_files = 0;      ///< number of `heap.NNN`
  std::size_t disk_bytes = 0;      ///< allocated on disk by all files of the store
  bool pinned = false;             ///< whether the store is always mapped at the same address
  std::uint64_t address = 0;       ///< address of a pinned store
  std::string abi;                 ///< endianness, pointer, page and chunk sizes, as text
  std::uint64_t copied_epoch = 0;  ///< epoch at which a copy was taken
  std::uint64_t copied_ns = 0;     ///< time of that, nanoseconds of Unix time; 0 for a store that is no copy
};

}  // namespace perdure
