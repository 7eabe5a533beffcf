// CRC-32C by folding where the processor can (crc32c_folded.hpp), by the instruction for it where it has one,
// else by tables.
//
// The instruction that advances a CRC by eight bytes has a latency of three cycles and a throughput of
// one, so three independent streams keep it busy: each block is cut into three parts whose registers are
// computed side by side and then joined. Joining needs "advance a register over n zero bytes", a linear
// map, kept as four tables of 256 words for the one n in use (after V. Gopal et al., "Fast CRC
// Computation for iSCSI Polynomial Using CRC32 Instruction", Intel 2011).
#include "os/crc32c.hpp"

#include <array>
#include <cstring>

#include "os/cpu.hpp"
#include "os/crc32c_folded.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>
#define PERDURE_CRC_TARGET __attribute__((target("sse4.2")))
#elif defined(__aarch64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("crc"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("+crc")
#endif
#include <arm_acle.h>
#define PERDURE_CRC_TARGET
#endif

namespace perdure::os {

namespace {

constexpr std::uint32_t polynomial = 0x82f63b78;  // reflected

using crc_tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr crc_tables make_tables() {
  crc_tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < 8; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t previous = tables[slice - 1][byte];
      tables[slice][byte] = (previous >> 8) ^ tables[0][previous & 0xff];
    }
  }
  return tables;
}

constexpr crc_tables tables = make_tables();

std::uint64_t load(const unsigned char* from) noexcept {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Works on the raw register: no inversion before and after.
std::uint32_t advance_portable(std::uint32_t crc, const unsigned char* p, std::size_t bytes) noexcept {
  for (; bytes >= 8; p += 8, bytes -= 8) {
    std::uint64_t word = load(p);
    if constexpr (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) word = __builtin_bswap64(word);
    word ^= crc;
    crc = 0;
    for (std::size_t slice = 0; slice < 8; ++slice) crc ^= tables[7 - slice][(word >> (8 * slice)) & 0xff];
  }
  for (; bytes != 0; ++p, --bytes) crc = (crc >> 8) ^ tables[0][(crc ^ *p) & 0xff];
  return crc;
}

using shift_tables = std::array<std::array<std::uint32_t, 256>, 4>;

// Tables of the map "advance the register over so many zero bytes".
template <std::size_t bytes>
const shift_tables& shift_by() noexcept {
  static const shift_tables shift = [] {
    static constexpr std::array<unsigned char, bytes> zeros{};
    std::array<std::uint32_t, 32> basis{};
    for (std::size_t bit = 0; bit < 32; ++bit) {
      basis[bit] = advance_portable(std::uint32_t{1} << bit, zeros.data(), zeros.size());
    }
    shift_tables result{};
    for (std::size_t byte = 0; byte < 4; ++byte) {
      for (std::size_t value = 0; value < 256; ++value) {
        for (std::size_t bit = 0; bit < 8; ++bit) {
          if ((value >> bit & 1) != 0) result[byte][value] ^= basis[8 * byte + bit];
        }
      }
    }
    return result;
  }();
  return shift;
}

std::uint64_t shifted(const shift_tables& shift, std::uint64_t crc) noexcept {
  return shift[0][crc & 0xff] ^ shift[1][crc >> 8 & 0xff] ^ shift[2][crc >> 16 & 0xff] ^
         shift[3][crc >> 24 & 0xff];
}

#ifdef PERDURE_CRC_TARGET

// A third of a 4 KiB page, rounded down to whole words: a page is one block of three and two words more.
constexpr std::size_t part = 1360;

// How far ahead of each stream memory is asked for. Processors that see where a stream goes begin anew with
// every page, and there are three streams to a page: without asking, bytes that lie in no cache take half as
// long again (measured on an AMD EPYC; twice as far ahead helps half as much). Beyond the end it is harmless:
// it never faults.
constexpr std::size_t ahead = 2048;
constexpr std::size_t cache_line = 64;

#if defined(__x86_64__)
PERDURE_CRC_TARGET inline std::uint64_t step(std::uint64_t crc, std::uint64_t word) noexcept {
  return _mm_crc32_u64(crc, word);
}
PERDURE_CRC_TARGET inline std::uint64_t step(std::uint64_t crc, unsigned char byte) noexcept {
  return _mm_crc32_u8(static_cast<std::uint32_t>(crc), byte);
}
#else
inline std::uint64_t step(std::uint64_t crc, std::uint64_t word) noexcept {
  return __crc32cd(static_cast<std::uint32_t>(crc), word);
}
inline std::uint64_t step(std::uint64_t crc, unsigned char byte) noexcept {
  return __crc32cb(static_cast<std::uint32_t>(crc), byte);
}
#endif

template <bool Copy>
PERDURE_CRC_TARGET std::uint32_t advance_hardware(std::uint32_t start, unsigned char* to,
                                                  const unsigned char* p, std::size_t bytes) noexcept {
  std::uint64_t crc = start;
  if (bytes >= 3 * part) {
    const shift_tables& shift = shift_by<part>();
    for (; bytes >= 3 * part; bytes -= 3 * part) {
      std::uint64_t second = 0;
      std::uint64_t third = 0;
      for (std::size_t i = 0; i < part; i += 8) {
        if (i % cache_line == 0) {
          __builtin_prefetch(p + ahead + i);
          __builtin_prefetch(p + ahead + part + i);
          __builtin_prefetch(p + ahead + 2 * part + i);
        }
        const std::uint64_t a = load(p + i);
        const std::uint64_t b = load(p + part + i);
        const std::uint64_t c = load(p + 2 * part + i);
        if constexpr (Copy) {
          std::memcpy(to + i, &a, sizeof a);
          std::memcpy(to + part + i, &b, sizeof b);
          std::memcpy(to + 2 * part + i, &c, sizeof c);
        }
        crc = step(crc, a);
        second = step(second, b);
        third = step(third, c);
      }
      crc = shifted(shift, shifted(shift, crc) ^ second) ^ third;
      p += 3 * part;
      if constexpr (Copy) to += 3 * part;
    }
  }
  for (; bytes >= 8; bytes -= 8, p += 8) {
    const std::uint64_t word = load(p);
    if constexpr (Copy) {
      std::memcpy(to, &word, sizeof word);
      to += 8;
    }
    crc = step(crc, word);
  }
  for (; bytes != 0; --bytes, ++p) {
    const unsigned char byte = *p;
    if constexpr (Copy) *to++ = byte;
    crc = step(crc, byte);
  }
  return static_cast<std::uint32_t>(crc);
}

bool use_hardware() noexcept {
  static const bool available = cpu_has_crc32c();
  return available;
}

// Of the raw register, as those below it are. `to` is null where nothing is copied.
std::uint32_t advance(std::uint32_t crc, unsigned char* to, const unsigned char* p,
                      std::size_t bytes) noexcept {
  if (bytes >= folded_block && can_fold_crc32c()) {
    const std::size_t folded = bytes - bytes % folded_block;
    crc = fold_crc32c(crc, to, p, folded);
    p += folded;
    bytes -= folded;
    if (to != nullptr) to += folded;
  }
  return to == nullptr ? advance_hardware<false>(crc, to, p, bytes)
                       : advance_hardware<true>(crc, to, p, bytes);
}

#endif

}  // namespace

std::uint32_t crc32c_portable(std::uint32_t crc, const void* data, std::size_t bytes) noexcept {
  return ~advance_portable(~crc, static_cast<const unsigned char*>(data), bytes);
}

std::uint32_t crc32c_unfolded(std::uint32_t crc, const void* data, std::size_t bytes) noexcept {
#ifdef PERDURE_CRC_TARGET
  if (use_hardware())
    return ~advance_hardware<false>(~crc, nullptr, static_cast<const unsigned char*>(data), bytes);
#endif
  return crc32c_portable(crc, data, bytes);
}

std::uint32_t crc32c(std::uint32_t crc, const void* data, std::size_t bytes) noexcept {
#ifdef PERDURE_CRC_TARGET
  if (use_hardware()) {
    return ~advance(~crc, nullptr, static_cast<const unsigned char*>(data), bytes);
  }
#endif
  return crc32c_portable(crc, data, bytes);
}

std::uint32_t crc32c_copy(std::uint32_t crc, void* to, const void* from, std::size_t bytes) noexcept {
#ifdef PERDURE_CRC_TARGET
  if (use_hardware()) {
    return ~advance(~crc, static_cast<unsigned char*>(to), static_cast<const unsigned char*>(from), bytes);
  }
#endif
  std::memcpy(to, from, bytes);
  return crc32c_portable(crc, to, bytes);
}

std::uint32_t crc32c_append_page(std::uint32_t crc, std::uint32_t page) noexcept {
  // The inversions before and after cancel out.
  return static_cast<std::uint32_t>(shifted(shift_by<page_bytes>(), crc)) ^ page;
}

}  // namespace perdure::os

#if defined(__aarch64__)
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
