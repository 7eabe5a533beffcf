// The hash of a minimizer, which tables of stores are ordered by.
#pragma once

#include <cstdint>
#include <perdure/kmer/minimizer.hpp>

namespace perdure::kmer {

/// Mixes the bases of a minimizer that its scheme keeps. No two minimizers of a scheme have the same hash. A
/// hash has as many bits as those bases, and they are the highest ones of 64.
///
/// Thread safety: any member from any thread.
class minimizer_hash {
 public:
  /// Makes the hash for the minimizers of `scheme`.
  explicit constexpr minimizer_hash(const minimizer_scheme& scheme) noexcept
      : mixed_bits_(4 * scheme.spaces), bits_(2 * (scheme.l - scheme.spaces)) {}

  /// Returns the number of bits that hashes have.
  constexpr unsigned bits() const noexcept { return bits_; }
  /// Returns the hash of a minimizer.
  constexpr std::uint64_t operator()(std::uint64_t minimizer) const noexcept {
    // Each step can be undone, modulo 2^bits.
    std::uint64_t h = (kept_bases(minimizer) + 0x9e3779b97f4a7c15) << (64 - bits_);
    h = folded(h) * 0xff51afd7ed558ccd;
    h = folded(h) * 0xc4ceb9fe1a85ec53;
    return folded(h);
  }
  /// Returns the minimizer that has a hash.
  constexpr std::uint64_t minimizer_of(std::uint64_t hash) const noexcept {
    // The steps in reverse order, with the inverses of the factors modulo 2^64.
    std::uint64_t h = folded(hash) * 0x9cb4b2f8129337db;
    h = folded(h) * 0x4f74430c22a54005;
    h = folded(h) >> (64 - bits_);
    return with_gaps((h - 0x9e3779b97f4a7c15) & (~std::uint64_t{0} >> (64 - bits_)));
  }

 private:
  /// Returns the bases that the spaced seed keeps, without gaps.
  constexpr std::uint64_t kept_bases(std::uint64_t minimizer) const noexcept {
    // Every other base is kept in the lowest bits, and all above them.
    std::uint64_t low = minimizer & ((std::uint64_t{1} << mixed_bits_) - 1) & 0x3333333333333333;
    low = (low | low >> 2) & 0x0f0f0f0f0f0f0f0f;
    low = (low | low >> 4) & 0x00ff00ff00ff00ff;
    low = (low | low >> 8) & 0x0000ffff0000ffff;
    low = (low | low >> 16) & 0x00000000ffffffff;
    return minimizer >> mixed_bits_ << (mixed_bits_ / 2) | low;
  }
  /// Undoes `kept_bases`.
  constexpr std::uint64_t with_gaps(std::uint64_t kept) const noexcept {
    const unsigned low_bits = mixed_bits_ / 2;
    std::uint64_t low = kept & ((std::uint64_t{1} << low_bits) - 1);
    low = (low | low << 16) & 0x0000ffff0000ffff;
    low = (low | low << 8) & 0x00ff00ff00ff00ff;
    low = (low | low << 4) & 0x0f0f0f0f0f0f0f0f;
    low = (low | low << 2) & 0x3333333333333333;
    return kept >> low_bits << mixed_bits_ | low;
  }
  constexpr std::uint64_t folded(std::uint64_t h) const noexcept {
    const unsigned unused = 64 - bits_;
    return h ^ (h >> (bits_ / 2) >> unused << unused);
  }

  unsigned mixed_bits_;
  unsigned bits_;
};

}  // namespace perdure::kmer
