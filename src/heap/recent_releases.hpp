// Which runs were released a short while ago, however they have been merged with others since.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heap/layout.hpp"

namespace perdure::detail {

struct released_run {
  unit_index first;
  std::uint32_t units;
};

class recent_releases {
 public:
  /// Short runs are not noted: they are soon back in memory. If there are many, only the latest are kept.
  void note(unit_index first, std::uint32_t units) noexcept {
    if (units >= least_units) runs_[count_++ % runs_.size()] = {first, units};
  }

  /// The runs, sorted by place. With the next `note` a new list begins.
  std::span<const released_run> take() noexcept {
    const std::span<released_run> all = std::span(runs_).first(std::min(count_, runs_.size()));
    std::sort(all.begin(), all.end(), [](released_run a, released_run b) { return a.first < b.first; });
    count_ = 0;
    return all;
  }

 private:
  static constexpr std::uint32_t least_units = units_per_chunk / 8;

  std::array<released_run, 256> runs_{};
  std::size_t count_ = 0;
};

}  // namespace perdure::detail
