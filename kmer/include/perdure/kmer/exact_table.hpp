// A sorted table from hashes of k-mers to numbers, in pages that each hold all that a look-up needs.
//
// The first level has the first hash of each page; it is small and stays in memory. The second level has the
// pages: sorted lists of what hashes have beyond the first hash of their page, with a number for each. Pages
// are full, but for the last one.
//
// The place of a hash grows with the hash: look-ups in the order of hashes read a table from front to back.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace perdure::kmer {

/// A page: keys of `key_bytes` each by rising value, then numbers of `number_bytes` each, lowest byte first.
struct alignas(4096) exact_page {
  static constexpr std::size_t size = 4096 - sizeof(std::uint64_t);  ///< bytes for keys and numbers

  std::array<std::uint8_t, size> bytes;  ///< keys, and then numbers
  std::uint64_t used;                    ///< number of keys
};

/// Widths of what pages have.
struct exact_page_layout {
  unsigned key_bytes = 8;     ///< 1 to 8
  unsigned number_bytes = 4;  ///< 1 to 4
  unsigned unused_bits = 0;   ///< lowest bits that are 0 in all hashes

  /// Returns the number of keys that a page has room for.
  constexpr std::size_t capacity() const noexcept { return exact_page::size / (key_bytes + number_bytes); }
};

/// The levels of a table, wherever they lie. They must outlive it.
///
/// Thread safety: any member from any thread.
class exact_table_view {
 public:
  static constexpr std::uint32_t none = 0xffffffff;  ///< number of a hash that is not there

  /// Views `pages`; `firsts` has the first hash of each page.
  exact_table_view(std::span<const exact_page> pages, std::span<const std::uint64_t> firsts,
                   const exact_page_layout& layout) noexcept
      : pages_(pages), firsts_(firsts), layout_(layout), capacity_(layout.capacity()) {}

  /// Returns the number of pages.
  std::size_t pages() const noexcept { return pages_.size(); }

  /// Returns the page that a hash is in, if it is there. Reads the first level only.
  std::size_t page_of(std::uint64_t hash) const noexcept {
    // Hashes are spread evenly, so the page is near the hash's share of all pages.
    __extension__ using wide = unsigned __int128;
    const auto guess = static_cast<std::size_t>((static_cast<wide>(hash) * firsts_.size()) >> 64);
    std::size_t low = guess;  // its first hash is at most this one, in the end
    std::size_t high = guess + 1;
    std::size_t step = 1;
    if (firsts_[guess] <= hash) {
      while (high < firsts_.size() && firsts_[high] <= hash) {
        low = high;
        high += step;
        step *= 2;
      }
      if (high > firsts_.size()) high = firsts_.size();
    } else {
      // The first page's is 0.
      while (firsts_[low] > hash) {
        high = low;
        low = low > step ? low - step : 0;
        step *= 2;
      }
    }
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (firsts_[middle] <= hash ? low : high) = middle;
    }
    return low;
  }
  /// Asks the processor for the part of a page where a hash should be, so that `find` need not wait.
  void prefetch(std::size_t page, std::uint64_t hash) const noexcept {
    __builtin_prefetch(pages_[page].bytes.data() + guess_in(page, hash, capacity_) * layout_.key_bytes);
  }
  /// Returns the number of a hash in the page that `page_of` returns for it, or `none`.
  std::uint32_t find(std::size_t page, std::uint64_t hash) const noexcept {
    const exact_page& here = pages_[page];
    const std::uint64_t key = (hash - firsts_[page]) >> layout_.unused_bits;
    if (here.used == 0 || (layout_.key_bytes < 8 && key >> (8 * layout_.key_bytes) != 0)) return none;
    std::size_t at = guess_in(page, hash, here.used);
    std::uint64_t there = key_at(here, at);
    while (there < key && at + 1 < here.used) there = key_at(here, ++at);
    while (there > key && at > 0) there = key_at(here, --at);
    return there == key ? number_at(here, at) : none;
  }
  /// Returns the number of a hash, or `none`.
  std::uint32_t find(std::uint64_t hash) const noexcept { return find(page_of(hash), hash); }

  /// Calls `visit(hash, number)` for all that is in the pages `[first, last)`, by rising hash.
  template <class Visit>
  void for_each(std::size_t first, std::size_t last, Visit&& visit) const {
    for (std::size_t page = first; page < last; ++page)
      for (std::size_t i = 0; i < pages_[page].used; ++i)
        visit(firsts_[page] + (key_at(pages_[page], i) << layout_.unused_bits), number_at(pages_[page], i));
  }

 private:
  /// Returns the place where a hash would be if the keys of a page had equal distances.
  std::size_t guess_in(std::size_t page, std::uint64_t hash, std::size_t used) const noexcept {
    const std::uint64_t end = page + 1 < firsts_.size() ? firsts_[page + 1] : ~std::uint64_t{0};
    const std::uint64_t range = ((end - firsts_[page]) >> 16) + 1;
    // Both factors fit: a page has fewer than 2^12 keys, and a distance 48 bits.
    const auto at = static_cast<std::size_t>(((hash - firsts_[page]) >> 16) * used / range);
    return at < used ? at : used - 1;
  }
  std::uint64_t key_at(const exact_page& page, std::size_t at) const noexcept {
    // Eight bytes behind the beginning of a key are still in the page, which ends with `used`.
    return low_bytes(page.bytes.data() + at * layout_.key_bytes, layout_.key_bytes);
  }
  std::uint32_t number_at(const exact_page& page, std::size_t at) const noexcept {
    return static_cast<std::uint32_t>(low_bytes(
        page.bytes.data() + capacity_ * layout_.key_bytes + at * layout_.number_bytes, layout_.number_bytes));
  }
  static std::uint64_t low_bytes(const std::uint8_t* at, unsigned bytes) noexcept {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value & (~std::uint64_t{0} >> (64 - 8 * bytes));
  }

  std::span<const exact_page> pages_;
  std::span<const std::uint64_t> firsts_;
  exact_page_layout layout_;
  std::size_t capacity_;
};

}  // namespace perdure::kmer
