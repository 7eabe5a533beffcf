// Seeds for hash tables whose keys an attacker may choose.
#include <sys/random.h>

#include <chrono>
#include <cstdint>

#include "perdure/hash.hpp"

namespace perdure::detail {

std::uint16_t new_table_seed() noexcept {
  std::uint64_t random = 0;
  // Before the kernel has gathered randomness it refuses rather than wait, and the time must do as a seed.
  if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
    random =
        hash_mix(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  return static_cast<std::uint16_t>(random % 0xffff + 1);
}

}  // namespace perdure::detail
