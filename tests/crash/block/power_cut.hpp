// What is left on a disk when the power fails.
#pragma once

#include <string>
#include <vector>

#include "crash/block/block_image.hpp"
#include "crash/block/recording_disk.hpp"
#include "support/random_stream.hpp"

namespace perdure::crash {

/// Of what the disk was told, everything before its last flush is on the medium. Of the writes since, any
/// may be, in whole or by sectors.
struct power_cut {
  struct piece {
    std::size_t event;
    std::size_t from;  // bytes of its data
    std::size_t to;
  };

  std::size_t flushed = 0;   ///< events before it are on the medium
  std::size_t received = 0;  ///< events before it were told
  std::vector<piece> survivors{};
  bool tears = false;  ///< a block is partly old and partly new
  const char* kind = "";
};

/// Where the last flush among the first `received` events ends.
std::size_t flushed_before(const disk_log& log, std::size_t received);

enum class survival { nothing, everything, any };
power_cut cut_power(const disk_log& log, std::size_t received, survival what, random_stream& random);

/// The disk after a cut; `flushed` is what it holds after the events that were flushed.
block_image after(const power_cut& cut, const disk_log& log, block_image flushed);
std::uint64_t hash(const power_cut& cut);
std::string describe(const power_cut& cut, const disk_log& log);

}  // namespace perdure::crash
