// Random numbers as a function of a counter, so that any thread or rank draws any of them.
#pragma once

#include <cstdint>

namespace perdure::graph::detail {

/// The step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
inline constexpr std::uint64_t golden_step = 0x9E3779B97F4A7C15u;

/// The output function of SplitMix64.
constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Returns number `index` of the sequence that `key` names.
constexpr std::uint64_t random_number(std::uint64_t key, std::uint64_t index) noexcept {
  return mixed(key ^ mixed(index + golden_step));
}

/// A bijection on numbers of `bits` bits, chosen by a key: each step (adding, multiplying by an odd number,
/// folding high bits into low ones) is one.
class id_permutation {
 public:
  id_permutation(unsigned bits, std::uint64_t key) noexcept
      : fold_((bits + 1) / 2), mask_(bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) {
    for (unsigned round = 0; round < 3; ++round)
      multipliers_[round] = mixed(key + (round + 1) * golden_step) | 1;
    offset_ = mixed(key + 4 * golden_step);
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
