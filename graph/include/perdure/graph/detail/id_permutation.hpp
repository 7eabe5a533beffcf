// Vertices numbered at random.
#pragma once

#include <cstdint>
#include <perdure/workload/counted_random.hpp>

namespace perdure::graph::detail {

/// A bijection on numbers of `bits` bits, chosen by a key: each step (adding, multiplying by an odd number,
/// folding high bits into low ones) is one.
class id_permutation {
 public:
  id_permutation(unsigned bits, std::uint64_t key) noexcept
      : fold_((bits + 1) / 2), mask_(bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) {
    for (unsigned round = 0; round < 3; ++round)
      multipliers_[round] = workload::mixed(key + (round + 1) * workload::golden_step) | 1;
    offset_ = workload::mixed(key + 4 * workload::golden_step);
  }

  std::uint64_t operator()(std::uint64_t id) const noexcept {
    id = (id + offset_) & mask_;
    for (const std::uint64_t multiplier : multipliers_) {
      id = (id * multiplier) & mask_;
      id ^= id >> fold_;
    }
    return id;
  }

 private:
  unsigned fold_;
  std::uint64_t mask_;
  std::uint64_t offset_ = 0;
  std::uint64_t multipliers_[3] = {};
};

}  // namespace perdure::graph::detail
