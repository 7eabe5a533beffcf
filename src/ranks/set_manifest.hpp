// The file `manifest`: which stores are a set, and which checkpoint of theirs is the last that counts.
//
// Two slots of a block each are written in turn, so a torn one leaves the other; a slot has its record twice,
// so a damaged one does not take the set back to the checkpoint before. Who has the set open for writing
// holds a lock on the file, and puts a new file in its place under the same lock when it must: at the
// opening, since what is read then may be in this machine's memory only, and after a write that failed.
#pragma once

#include <array>
#include <cstdint>
#include <exception>

#include "os/file.hpp"
#include "store/file/layout.hpp"

namespace perdure::detail {

/// Content of a manifest.
struct set_state {
  store::layout::uuid_bytes uuid{};
  std::uint64_t number = 0;  ///< number of the directory with the parts
  std::uint32_t ranks = 0;   ///< so many parts
  std::uint64_t epoch = 0;   ///< epoch of each part
  /// Difference between the set's epoch and that of its parts. The set's goes on where parts are made anew.
  std::uint64_t epochs_before = 0;
  /// Sum of the identities of the parts' checkpoints, modulo 2^64; 0 where earlier libraries wrote the
  /// manifest.
  std::uint64_t identities = 0;
};

/// On disk; one of these at the beginning of each half of a slot.
struct manifest_record {
  store::layout::magic magic;
  std::uint32_t format;
  std::uint32_t ranks;
  store::layout::uuid_bytes uuid;
  std::uint64_t number;
  std::uint64_t epoch;
  std::uint64_t epochs_before;
  std::uint64_t sequence;
  std::uint64_t written_ns;
  std::uint64_t identities;
  std::array<std::uint8_t, 44> reserved;
  std::uint32_t crc;
};
static_assert(sizeof(manifest_record) == 128);

class set_manifest {
 public:
  static constexpr const char* name = "manifest";
  static constexpr const char* unfinished_name = ".manifest.new";

  /// Reads it, without a lock. `not_a_store`, `damaged`, `too_new`.
  static set_state read(const os::file& directory);
  /// Takes the lock, reads it and makes durable what was read. Also `in_use`.
  static set_manifest open(const os::file& directory);
  /// Begins one of a set to come, which has no name yet that others know: what is in the directory with it is
  /// nobody's. `already_exists`, `in_use`.
  static set_manifest begin(const os::file& directory);
  /// Gives the manifest the name of one of a set to come, durably, so that what is in the directory is
  /// nobody's. Whatever the manifest says; does nothing where there is none. Returns the file, which is
  /// locked. `in_use`.
  static os::file withdraw(const os::file& directory);

  set_manifest(set_manifest&&) noexcept = default;
  set_manifest& operator=(set_manifest&&) noexcept = default;

  const set_state& now() const noexcept { return now_; }
  /// Returns whether it was begun, and no set is there.
  bool is_of_set_to_come() const noexcept { return sequence_ == 0; }
  /// Completes one that was begun: it says this, and the set is there, durably. What this throws leaves it
  /// begun, so that it can be tried again; or nobody knows whether the set is there after a crash, and it is
  /// no longer `is_of_set_to_come`.
  void publish(const set_state& first);

  enum class written {
    yes,       ///< durably
    no,        ///< durably unchanged
    in_doubt,  ///< it may say either after a crash
  };
  /// Says something else. Where that fails `failure` tells why, as a `perdure::error`.
  written store(const set_state& next, std::exception_ptr& failure) noexcept;

 private:
  set_manifest(os::file directory, os::file file)
      : directory_(std::move(directory)), file_(std::move(file)) {}
  void write_all(const os::file& to);
  void replace();

  os::file directory_;
  os::file file_;
  set_state now_;
  std::uint64_t sequence_ = 0;
  std::size_t slot_ = 0;  // where `now_` stands
};

}  // namespace perdure::detail
