// Pseudo-random numbers: the same sequence for the same seed everywhere.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace metall::utility {

namespace detail {

/// Spreads a seed over a generator's state (Steele, Lea and Flood, *Fast splittable pseudorandom number
/// generators*, OOPSLA 2014).
inline std::uint64_t next_splitmix(std::uint64_t& state) noexcept {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

template <std::size_t Words>
std::array<std::uint64_t, Words> spread(std::uint64_t seed) noexcept {
  std::array<std::uint64_t, Words> state;
  for (std::uint64_t& word : state) word = next_splitmix(seed);
  return state;
}

/// Blackman and Vigna, *Scrambled linear pseudorandom number generators*, ACM TOMS 47 (2021).
class xoshiro512_plus_plus {
 public:
  explicit xoshiro512_plus_plus(std::uint64_t seed) noexcept : s_(spread<8>(seed)) {}
  std::uint64_t next() noexcept {
    const std::uint64_t result = std::rotl(s_[0] + s_[2], 17) + s_[2];
    const std::uint64_t shifted = s_[1] << 11;
    s_[2] ^= s_[0];
    s_[5] ^= s_[1];
    s_[1] ^= s_[2];
    s_[7] ^= s_[3];
    s_[3] ^= s_[4];
    s_[4] ^= s_[5];
    s_[0] ^= s_[6];
    s_[6] ^= s_[7];
    s_[6] ^= shifted;
    s_[7] = std::rotl(s_[7], 21);
    return result;
  }
  bool operator==(const xoshiro512_plus_plus&) const = default;

 private:
  std::array<std::uint64_t, 8> s_;
};

/// A generator like the one above, with a period of 2^1024 - 1.
class xoroshiro1024_plus_plus {
 public:
  explicit xoroshiro1024_plus_plus(std::uint64_t seed) noexcept : s_(spread<16>(seed)) {}
  std::uint64_t next() noexcept {
    const std::size_t last = at_;
    at_ = (at_ + 1) % s_.size();
    const std::uint64_t s0 = s_[at_];
    std::uint64_t s15 = s_[last];
    const std::uint64_t result = std::rotl(s0 + s15, 23) + s15;
    s15 ^= s0;
    s_[last] = std::rotl(s0, 25) ^ s15 ^ (s15 << 27);
    s_[at_] = std::rotl(s15, 36);
    return result;
  }
  bool operator==(const xoroshiro1024_plus_plus&) const = default;

 private:
  std::array<std::uint64_t, 16> s_;
  std::size_t at_ = 0;
};

/// A generator with the interface of the standard's. Holds no pointer, so it may be stored.
template <class Generator>
class random_engine {
 public:
  using result_type = std::uint64_t;

  explicit random_engine(const std::uint64_t seed = 123) noexcept : generator_(seed) {}
  result_type operator()() noexcept { return generator_.next(); }
  static constexpr result_type min() noexcept { return std::numeric_limits<result_type>::min(); }
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
  /// Whether both will go on with the same numbers.
  bool equal(const random_engine& other) const noexcept { return *this == other; }
  bool operator==(const random_engine&) const = default;

 private:
  Generator generator_;
};

}  // namespace detail

/// Period 2^512 - 1.
using rand_512 = detail::random_engine<detail::xoshiro512_plus_plus>;
/// Period 2^1024 - 1.
using rand_1024 = detail::random_engine<detail::xoroshiro1024_plus_plus>;

}  // namespace metall::utility
