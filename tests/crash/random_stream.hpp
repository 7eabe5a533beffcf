// Reproducible random numbers: the same seed gives the same run on every machine.
#pragma once

#include <cstdint>

#include "store/page_pattern.hpp"

namespace perdure::crash {

class random_stream {
 public:
  explicit random_stream(std::uint64_t seed, std::uint64_t branch = 0) : state_(mix(seed) ^ mix(~branch)) {}

  std::uint64_t next() { return mix(state_++); }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace perdure::crash
