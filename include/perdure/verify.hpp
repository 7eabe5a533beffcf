// Whether a store's files are whole, and if not, where not.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

/// The part of a store that a finding is about.
enum class store_section {
  super_slot,       ///< one of the two super slots
  abi_stamp,        ///< the ABI of the objects, in `super`
  home_header,      ///< the first block of a `heap.NNN`
  home_padding,     ///< the gap behind that block
  home_length,      ///< a `heap.NNN` that is missing or cut short
  home_page,        ///< a page of the segment
  checksum_header,  ///< the first block of `crc`
  checksum_page,    ///< a page of the checksum table
  journal,          ///< `jrnl.0`, `jrnl.1`
  undo_log,         ///< `undo`
  heap,             ///< the heap's bookkeeping, in the segment
  objects,          ///< the directory of objects, in the segment
  history,          ///< files that do not belong together, by the checkpoint that changed each of them last
};

/// Returns the part's name, as the CLI prints it with --json ("home_page", …).
std::string_view to_string(store_section part) noexcept;

/// One thing that is not as a store's files should be.
struct verify_finding {
  /// The part of the store.
  store_section part;
  /// Whether it is damage. False for what a crash leaves behind and the next opening for writing clears away
  /// by itself.
  bool damage = true;
  std::string file;                   ///< name within the store's directory
  std::uint64_t offset = 0;           ///< in that file, in bytes
  std::optional<std::uint64_t> page;  ///< number of the page in the segment
  std::uint64_t epoch = 0;            ///< the checkpoint that the bytes belong to
  /// A sentence that says what is wrong.
  std::string what;
};

/// The progress of a verification, for another thread to read.
struct verify_progress {
  std::atomic<std::uint64_t> done{0};  ///< bytes of the segment
  /// Bytes of the segment in all; 0 until they are known.
  std::atomic<std::uint64_t> total{0};
};

/// Options for verifying a store.
struct verify_options {
  unsigned threads = 0;                ///< 0: one for each processor this process may use
  std::size_t most_findings = 10'000;  ///< the report lists no more; it counts all
  /// The object that shows progress; null: none.
  verify_progress* progress = nullptr;
};

/// The outcome of a verification.
struct verify_report {
  std::uint64_t epoch = 0;               ///< the checkpoint the store would open at
  std::uint64_t applied_epoch = 0;       ///< the checkpoint the home files are at
  std::uint64_t pages = 0;               ///< pages of the segment
  std::uint64_t bytes_read = 0;          ///< bytes of home files and checksum table; holes are not read
  std::uint64_t damages = 0;             ///< findings that are damage, listed or not
  std::vector<verify_finding> findings;  ///< by file and offset

  /// Returns whether nothing is damaged.
  bool whole() const noexcept { return damages == 0; }
};

/// Returns a finding as one line of text: where and what.
std::string to_string(const verify_finding& finding);

}  // namespace perdure
