// Draws identities of checkpoints, from the system or, for rigs, from a seed.
#include "store/file/checkpoint_identity.hpp"

#include <sys/random.h>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace perdure::store {

namespace {

std::atomic<bool> is_seeded{false};
std::atomic<std::uint64_t> sequence{0};

// SplitMix64 (Steele, Lea, Flood 2014): a bijection of the counter, so that no identity comes twice.
std::uint64_t next_in_sequence() noexcept {
  std::uint64_t z = sequence.fetch_add(0x9e3779b97f4a7c15) + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  while (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
  return number;
}

}  // namespace

std::uint64_t draw_identity() {
  for (;;)
    if (const std::uint64_t drawn = is_seeded ? next_in_sequence() : random_number(); drawn != 0)
      return drawn;
}

void draw_identities_from(std::optional<std::uint64_t> seed) noexcept {
  sequence = seed.value_or(0);
  is_seeded = seed.has_value();
}

}  // namespace perdure::store
