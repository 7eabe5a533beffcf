// Random numbers as a function of a counter, so that any thread or rank draws any of them.
#pragma once

#include <cstdint>

namespace perdure::workload {

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

}  // namespace perdure::workload
