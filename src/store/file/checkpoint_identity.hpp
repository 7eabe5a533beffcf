// Tells checkpoints apart: their numbers do not, as copies of a store go on to other checkpoints with
// the same ones.
#pragma once

#include <cstdint>
#include <optional>

#include "store/file/layout.hpp"

namespace perdure::store {

/// A checkpoint, as the files that belong to it know it.
struct known_checkpoint {
  std::uint64_t epoch = 0;
  std::uint64_t segment_bytes = 0;
  std::uint64_t identity = 0;  ///< 0 in stores that no writer has given identities yet

  friend bool operator==(const known_checkpoint&, const known_checkpoint&) = default;
};

/// The checkpoint that a journal holds.
inline known_checkpoint checkpoint_in(const layout::journal_header& header) noexcept {
  return {header.epoch, header.segment_bytes, header.checkpoint};
}

/// Returns whether the store's checkpoints have identities. Those of stores that earlier libraries wrote get
/// them with their next checkpoint.
inline bool has_identities(const layout::super_slot& super) noexcept {
  return (super.incompat & layout::incompat_identities) != 0;
}

/// The checkpoint that home is at.
inline known_checkpoint at_home(const layout::super_slot& super) noexcept {
  return {super.applied_epoch, super.segment_bytes, super.checkpoint};
}

/// A random number, never 0. Thread-safe.
std::uint64_t draw_identity();

/// From now on identities are drawn from a sequence that begins with this seed, so that rigs can repeat a
/// run; nothing: from the system again.
void draw_identities_from(std::optional<std::uint64_t> seed) noexcept;

}  // namespace perdure::store
