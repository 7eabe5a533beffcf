// The log of a store's last checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace perdure {

/// The longest label of a checkpoint, in bytes.
inline constexpr std::size_t max_label_length = 63;

/// The number of checkpoints that a store remembers; older ones are forgotten.
inline constexpr std::size_t checkpoints_remembered = 4096;

/// One checkpoint, as the store's log has it. Pages have 4096 bytes.
struct checkpoint_record {
  std::uint64_t epoch = 0;              ///< number of the checkpoint
  std::uint64_t time_ns = 0;            ///< time of the commit, nanoseconds of Unix time
  std::uint64_t fresh_pages = 0;        ///< written once
  std::uint64_t overwritten_pages = 0;  ///< written to the journal, then home
  std::uint64_t cleared_pages = 0;      ///< become zero, or given back
  std::uint64_t segment_bytes = 0;      ///< length of the segment
  std::uint64_t address = 0;            ///< where its program had the store mapped; 0: not known
  std::string label;                    ///< label given to `checkpoint`
  bool kept = false;                    ///< a copy of this epoch is in the store's `epochs/`

  /// Returns the bytes of pages written.
  std::uint64_t bytes() const noexcept { return (fresh_pages + overwritten_pages) * 4096; }
};

}  // namespace perdure
