// Sixteen control bytes of a flat table, compared at once.
//
// A control byte says what its slot holds: an element (top bit set, with 7 bits of the element's hash as a
// tag), nothing (0), nothing any more (1, a search must go on past it), or that there is no such slot (2).
// Nothing is 0 so that zeroed memory reads as an empty group.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace perdure::detail {

enum control : std::uint8_t {
  control_empty = 0,
  control_erased = 1,
  control_absent = 2,
  control_full = 0x80
};

inline constexpr unsigned group_size = 16;

/// A set of slots of a group: one bit for each, `Stride` bits apart.
template <class Word, int Stride>
class slot_mask {
 public:
  explicit slot_mask(Word bits) noexcept : bits_(bits) {}
  explicit operator bool() const noexcept { return bits_ != 0; }
  /// Lowest slot of the set, which is not empty.
  unsigned first() const noexcept { return static_cast<unsigned>(std::countr_zero(bits_)) / Stride; }
  void drop_first() noexcept { bits_ &= bits_ - 1; }
  /// Without the slots below `index` (0 to 15).
  slot_mask from(unsigned index) const noexcept {
    return slot_mask(static_cast<Word>(bits_ & (~Word{0} << (index * Stride))));
  }

 private:
  Word bits_;
};

/// For machines without 16-byte vectors: two words of eight bytes. Always compiled, so that tests compare it
/// with the machine's own.
class portable_group {
 public:
  using mask = slot_mask<std::uint32_t, 1>;
  explicit portable_group(const std::uint8_t* bytes) noexcept {
    std::memcpy(&low_, bytes, 8);
    std::memcpy(&high_, bytes + 8, 8);
  }
  mask match(std::uint8_t value) const noexcept {
    const std::uint64_t pattern = every_byte * value;
    return mask(gather(zero_bytes(low_ ^ pattern), zero_bytes(high_ ^ pattern)));
  }
  mask empty() const noexcept { return mask(gather(zero_bytes(low_), zero_bytes(high_))); }
  mask full() const noexcept { return mask(gather(low_ & top_bits, high_ & top_bits)); }
  /// Empty or erased.
  mask available() const noexcept {
    return mask(gather(zero_bytes(low_ & ~every_byte), zero_bytes(high_ & ~every_byte)));
  }

 private:
  static constexpr std::uint64_t every_byte = 0x0101010101010101U;
  static constexpr std::uint64_t top_bits = 0x8080808080808080U;
  /// Exact for each byte: no borrow crosses from one to the next.
  static std::uint64_t zero_bytes(std::uint64_t word) noexcept {
    return ~(((word & ~top_bits) + ~top_bits) | word) & top_bits;
  }
  static std::uint32_t gather(std::uint64_t low, std::uint64_t high) noexcept {
    constexpr std::uint64_t to_top_byte = 0x0002040810204081U;
    return static_cast<std::uint32_t>((low * to_top_byte) >> 56) |
           static_cast<std::uint32_t>((high * to_top_byte) >> 56) << 8;
  }

  std::uint64_t low_;
  std::uint64_t high_;
};

#if defined(__SSE2__)
class sse2_group {
 public:
  using mask = slot_mask<std::uint32_t, 1>;
  explicit sse2_group(const std::uint8_t* bytes) noexcept
      : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))) {}
  mask match(std::uint8_t value) const noexcept {
    return bits(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(static_cast<char>(value))));
  }
  mask empty() const noexcept { return bits(_mm_cmpeq_epi8(bytes_, _mm_setzero_si128())); }
  mask full() const noexcept { return bits(bytes_); }
  mask available() const noexcept {
    return bits(_mm_cmpeq_epi8(_mm_andnot_si128(_mm_set1_epi8(1), bytes_), _mm_setzero_si128()));
  }

 private:
  static mask bits(__m128i vector) noexcept {
    return mask(static_cast<std::uint32_t>(_mm_movemask_epi8(vector)));
  }
  __m128i bytes_;
};
using control_group = sse2_group;
#elif defined(__aarch64__) && defined(__ARM_NEON)
/// NEON has no byte-to-bit move; narrowing by 4 leaves four bits a byte, of which one is kept.
class neon_group {
 public:
  using mask = slot_mask<std::uint64_t, 4>;
  explicit neon_group(const std::uint8_t* bytes) noexcept : bytes_(vld1q_u8(bytes)) {}
  mask match(std::uint8_t value) const noexcept { return bits(vceqq_u8(bytes_, vdupq_n_u8(value))); }
  mask empty() const noexcept { return bits(vceqzq_u8(bytes_)); }
  mask full() const noexcept { return bits(vcltzq_s8(vreinterpretq_s8_u8(bytes_))); }
  mask available() const noexcept { return bits(vcltq_u8(bytes_, vdupq_n_u8(2))); }

 private:
  static mask bits(uint8x16_t lanes) noexcept {
    const uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8(lanes), 4);
    return mask(vget_lane_u64(vreinterpret_u64_u8(nibbles), 0) & 0x8888888888888888U);
  }
  uint8x16_t bytes_;
};
using control_group = neon_group;
#else
using control_group = portable_group;
#endif

}  // namespace perdure::detail
