// Puts minimizers into the cells and rests of pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <vector>

#include "cell_rest.hpp"

namespace perdure::kmer::detail {

/// Returns the code of a cell; codes have `cell_rest::bytes()` each.
inline std::uint64_t code_at(const std::uint8_t* rests, std::size_t cell, std::size_t bytes) noexcept {
  std::uint64_t code = 0;
  for (std::size_t i = 0; i < bytes; ++i) code |= std::uint64_t{rests[cell * bytes + i]} << (8 * i);
  return code;
}
/// Writes the code of a cell.
inline void set_code(std::uint8_t* rests, std::size_t cell, std::size_t bytes, std::uint64_t code) noexcept {
  for (std::size_t i = 0; i < bytes; ++i)
    rests[cell * bytes + i] = static_cast<std::uint8_t>(code >> (8 * i));
}

/// Fills empty pages of a table from hashes in their order.
///
/// Thread safety: `add` for other pages from any thread.
class page_filler {
 public:
  /// Fills `pages`, the ones from number `first` on of a table that has `all` pages. `layer` has its nodes
  /// and `key_bits`. `rests` has room for the pages' rests.
  page_filler(const stored_layer& layer, std::uint64_t all, std::uint64_t first, std::span<table_page> pages,
              std::uint8_t* rests, unsigned hash_bits, const taxonomy_view& taxonomy)
      : all_(all),
        first_(first),
        pages_(pages),
        rests_(rests),
        key_bits_(layer.key_bits),
        rest_(all, key_bits_, hash_bits),
        taxonomy_(taxonomy),
        nodes_(layer.nodes.data(), layer.nodes.size()) {}

  /// Returns the number of the page that a hash is in.
  std::uint64_t page_of(std::uint64_t hash) const noexcept {
    return table_view::place_of(hash, all_, key_bits_).page;
  }

  /// Adds to `odd` what the cell cannot say of minimizers. Returns false where the page has no room.
  bool add(const minimizer_taxon& one, std::vector<minimizer_taxon>& odd) const {
    const table_place place = table_view::place_of(one.hash, all_, key_bits_);
    const std::uint64_t here = place.page - first_;
    table_page& page = pages_[here];
    const std::uint32_t mask = (std::uint32_t{1} << key_bits_) - 1;
    for (std::size_t tried = 0; tried < table_page::size; ++tried) {
      const std::size_t line = (place.line + tried / table_page::line_cells) % table_page::lines;
      const std::size_t in_page = line * table_page::line_cells + tried % table_page::line_cells;
      const std::size_t number = here * table_page::size + in_page;
      std::uint32_t& cell = page.cells[in_page];
      if (cell == 0) {
        cell = number_of(one.node) << key_bits_ | place.key;
        const std::uint64_t code = rest_.code(one.hash, tried / table_page::line_cells);
        set_code(rests_, number, rest_.bytes(), code);
        if (code == rest_.unknown()) odd.push_back(one);
        return true;
      }
      if ((cell & mask) == place.key) {
        // Minimizers that a look-up cannot tell apart have one taxon.
        const taxon_node there = nodes_[(cell >> key_bits_) - 1];
        const std::uint64_t code = code_at(rests_, number, rest_.bytes());
        if (code != rest_.unknown()) odd.push_back({rest_.hash(place.page, line, place.key, code), there});
        set_code(rests_, number, rest_.bytes(), rest_.unknown());
        odd.push_back(one);
        cell = number_of(taxonomy_.common_ancestor(there, one.node)) << key_bits_ | place.key;
        return true;
      }
    }
    return false;
  }

 private:
  std::uint32_t number_of(taxon_node node) const {
    return static_cast<std::uint32_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin()) +
           1;
  }

  std::uint64_t all_;
  std::uint64_t first_;
  std::span<table_page> pages_;
  std::uint8_t* rests_;
  unsigned key_bits_;
  cell_rest rest_;
  taxonomy_view taxonomy_;
  std::span<const taxon_node> nodes_;
};

}  // namespace perdure::kmer::detail
