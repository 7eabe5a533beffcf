// Which checkpoint changed a file last. Home files and `crc` say so in their header blocks, and the super
// block says what they must say: a file that comes from a copy of the store, or is of another time, is found
// when the store is opened.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "os/file.hpp"
#include "store/file/checkpoint_identity.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

/// The stamps of one file: two, written in turn, so that the one before is there until the super block has
/// been written. Not thread-safe.
class file_stamps {
 public:
  /// Stands for a file that no checkpoint has changed yet.
  file_stamps() = default;
  /// Takes stamps as they were read. One that has no valid checksum counts for nothing.
  explicit file_stamps(const std::array<layout::stamp_sector, 2>& read) noexcept : sectors_(read) {}

  const std::array<layout::stamp_sector, 2>& sectors() const noexcept { return sectors_; }
  /// Writes that the checkpoint has changed the file. Not durable on return.
  void write(const os::file& to, const known_checkpoint& by);
  /// Forgets what was there: the checkpoint has changed the file last.
  void write_anew(const os::file& to, const known_checkpoint& by);

  /// Identity of the last checkpoint up to `epoch` that has changed the file; 0 if none has. Nothing where
  /// both stamps are of later ones.
  std::optional<std::uint64_t> at(std::uint64_t epoch) const noexcept;
  /// Returns whether a checkpoint after `epoch` has changed the file.
  bool has_later_than(std::uint64_t epoch) const noexcept;
  /// Returns whether each stamp after `epoch` is of one of these checkpoints.
  bool are_known_after(std::uint64_t epoch, std::span<const known_checkpoint> known) const noexcept;
  /// Returns whether one of them is neither whole nor empty: it is torn, or damaged.
  bool has_unsound() const noexcept;

 private:
  void write(const os::file& to, std::size_t which, const layout::stamp_sector& sector);

  std::array<layout::stamp_sector, 2> sectors_{};
};

/// Returns what files, in this order, say together of the last checkpoints up to `epoch` that changed them.
/// Nothing where one has forgotten it.
std::optional<std::uint64_t> sum_of_stamps(std::span<const file_stamps> files, std::uint64_t epoch) noexcept;

}  // namespace perdure::store
