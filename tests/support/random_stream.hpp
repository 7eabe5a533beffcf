// Reproducible random numbers: the same seed gives the same run on every machine.
#pragma once

#include <cstdint>

namespace perdure {

/// A number of which nothing is like the given one.
inline std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class random_stream {
 public:
  explicit random_stream(std::uint64_t seed, std::uint64_t branch = 0) : state_(mix(seed) ^ mix(~branch)) {}

  std::uint64_t next() { return mix(state_++); }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace perdure
