// A compact hash table from minimizers to numbers, in pages that each hold all that a look-up needs.
//
// A cell has 32 bits, as in Kraken 2's tables: a number, and below it a part of the minimizer's hash. The
// rest of the hash chooses the page and the line. A look-up can therefore be wrong: it finds a minimizer that
// is not in the table with a probability of about 12 / 2^(bits of the hash in a cell).
//
// The place of a hash grows with the hash: look-ups in the order of hashes read a table from front to back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace perdure::kmer {

/// A page of a table. A line has 16 cells, as many as a line of the processor's cache holds. Cells of a line
/// are used from its beginning; an unused cell is 0. A number whose own line is full is in the next line of
/// the page that has room. The first line follows the last.
struct alignas(4096) table_page {
  static constexpr std::size_t line_cells = 16;            ///< cells of a line
  static constexpr std::size_t lines = 64;                 ///< lines of a page
  static constexpr std::size_t size = line_cells * lines;  ///< cells of a page

  std::array<std::uint32_t, size> cells;  ///< all cells, line by line
};

/// The place of a hash in a table, and the part of the hash that its cell has.
struct table_place {
  std::uint64_t page = 0;  ///< number of the page
  std::uint32_t line = 0;  ///< number of the line in the page
  std::uint32_t key = 0;   ///< part of the hash that the cell has
};

/// A cell that is used.
struct table_cell {
  std::uint64_t page = 0;     ///< number of the page
  std::uint32_t in_page = 0;  ///< number of the cell in its page
  std::uint32_t key = 0;      ///< part of the hash that the cell has
  std::uint32_t number = 0;   ///< number that the table has for the hash

  /// Returns the line that the cell is in, at or behind the one that its hash has.
  std::uint32_t line() const noexcept { return in_page / static_cast<std::uint32_t>(table_page::line_cells); }
};

/// The pages of a table, wherever they lie. They must outlive it.
///
/// Thread safety: any member from any thread.
class table_view {
 public:
  /// Views `pages`, whose cells have `key_bits` bits of a hash.
  table_view(std::span<const table_page> pages, unsigned key_bits) noexcept
      : pages_(pages), key_bits_(key_bits) {}

  /// Returns the number of pages.
  std::uint64_t pages() const noexcept { return pages_.size(); }

  /// Returns the place of a hash in a table of `pages` pages.
  static table_place place_of(std::uint64_t hash, std::uint64_t pages, unsigned key_bits) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(hash) * pages;
    const auto within = static_cast<std::uint64_t>(product);
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint32_t>(within >> 58),
            static_cast<std::uint32_t>((within << 6) >> (64 - key_bits))};
  }
  /// Returns the place of a hash in this table.
  table_place place_of(std::uint64_t hash) const noexcept { return place_of(hash, pages_.size(), key_bits_); }

  /// Asks the processor for the line, so that `find` need not wait.
  void prefetch(const table_place& place) const noexcept {
    __builtin_prefetch(line_at(place.page, place.line));
  }
  /// Returns the number at a place, or 0 where there is none.
  std::uint32_t find(const table_place& place) const noexcept {
    const std::uint32_t mask = (std::uint32_t{1} << key_bits_) - 1;
    std::uint32_t line = place.line;
    for (std::size_t tried = 0; tried < table_page::lines; ++tried) {
      const std::uint32_t* const cells = line_at(place.page, line);
      // A line has a key at most once, so this is a cell or 0, without a branch that depends on the cells.
      const std::uint32_t found = cell_of(cells, mask, place.key);
      if (found != 0) return found >> key_bits_;
      if (cells[table_page::line_cells - 1] == 0) return 0;
      line = (line + 1) % table_page::lines;
    }
    return 0;
  }
  /// Calls `visit(table_cell)` for the used cells of the pages `[first, last)`, in their order.
  template <class Visit>
  void for_each_cell(std::uint64_t first, std::uint64_t last, Visit&& visit) const {
    for (std::uint64_t page = first; page < last; ++page)
      for (std::uint32_t i = 0; i < table_page::size; ++i) {
        const std::uint32_t cell = pages_[page].cells[i];
        if (cell == 0) continue;
        visit(table_cell{page, i, cell & ((std::uint32_t{1} << key_bits_) - 1), cell >> key_bits_});
      }
  }

 private:
  /// Returns the cell of a line with a key, or 0. Compilers do not find these vectors by themselves.
  static std::uint32_t cell_of(const std::uint32_t* cells, std::uint32_t mask, std::uint32_t key) noexcept {
    using four = std::uint32_t __attribute__((vector_size(16)));
    four found{};
    for (std::size_t i = 0; i < table_page::line_cells; i += 4) {
      four some;
      std::memcpy(&some, cells + i, sizeof some);
      found |= some & reinterpret_cast<four>((some & mask) == key);
    }
    return found[0] | found[1] | found[2] | found[3];
  }
  const std::uint32_t* line_at(std::uint64_t page, std::uint32_t line) const noexcept {
    return pages_[page].cells.data() + line * table_page::line_cells;
  }

  std::span<const table_page> pages_;
  unsigned key_bits_;
};

}  // namespace perdure::kmer
