// A table is filled page by page in the order of hashes, so that it does not depend on threads.
#include "layer_table.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <perdure/error.hpp>
#include <perdure/kmer/build_index.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <string>
#include <vector>

#include "cell_rest.hpp"

namespace perdure::kmer::detail {
namespace {

constexpr unsigned least_key_bits = 8;
constexpr std::size_t page_grain = 64;

/// Nodes that minimizers have, and all above them, in their order.
std::vector<taxon_node> nodes_of(const minimizer_sets& sets, const taxonomy_view& taxonomy) {
  std::vector<bool> has(taxonomy.size());
  for (std::size_t i = 0; i < minimizer_sets::parts; ++i)
    for (const minimizer_taxon& one : sets.part(i)) has[one.node] = true;
  std::vector<taxon_node> nodes;
  for (auto node = static_cast<taxon_node>(taxonomy.size()); node-- > 0;) {
    if (!has[node]) continue;
    has[taxonomy.parents[node]] = true;
    nodes.push_back(node);
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

/// Codes of cells, of `cell_rest::bytes()` each.
std::uint64_t code_at(const std::uint8_t* rests, std::size_t cell, std::size_t bytes) noexcept {
  std::uint64_t code = 0;
  for (std::size_t i = 0; i < bytes; ++i) code |= std::uint64_t{rests[cell * bytes + i]} << (8 * i);
  return code;
}
void set_code(std::uint8_t* rests, std::size_t cell, std::size_t bytes, std::uint64_t code) noexcept {
  for (std::size_t i = 0; i < bytes; ++i)
    rests[cell * bytes + i] = static_cast<std::uint8_t>(code >> (8 * i));
}

/// Fills pages of a table from hashes in their order.
class page_filler {
 public:
  page_filler(stored_layer& layer, unsigned hash_bits, const taxonomy_view& taxonomy)
      : pages_(layer.table.data(), layer.table.size()),
        rests_(layer.rests.data()),
        key_bits_(layer.key_bits),
        rest_(pages_.size(), key_bits_, hash_bits),
        taxonomy_(taxonomy),
        nodes_(layer.nodes.data(), layer.nodes.size()) {}

  /// Adds to `odd` what the cell cannot say of minimizers. Returns false where the page has no room.
  bool add(const minimizer_taxon& one, std::vector<minimizer_taxon>& odd) const {
    const table_place place = table_view::place_of(one.hash, pages_.size(), key_bits_);
    table_page& page = pages_[place.page];
    const std::uint32_t mask = (std::uint32_t{1} << key_bits_) - 1;
    for (std::size_t tried = 0; tried < table_page::size; ++tried) {
      const std::size_t line = (place.line + tried / table_page::line_cells) % table_page::lines;
      const std::size_t in_page = line * table_page::line_cells + tried % table_page::line_cells;
      const std::size_t number = place.page * table_page::size + in_page;
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

  std::span<table_page> pages_;
  std::uint8_t* rests_;
  unsigned key_bits_;
  cell_rest rest_;
  taxonomy_view taxonomy_;
  std::span<const taxon_node> nodes_;
};

/// Fills a table of empty pages. Returns false where a page has no room for what belongs there.
bool fill(stored_layer& layer, const minimizer_sets& sets, const taxonomy_view& taxonomy, unsigned threads) {
  const std::size_t pages = layer.table.size();
  const page_filler filler(layer, sets.hash().bits(), taxonomy);
  std::atomic<bool> has_room{true};
  std::mutex mutex;
  std::vector<minimizer_taxon> odd;
  workload::parallel_for(threads, pages, page_grain, [&](std::size_t begin, std::size_t end) {
    // The hashes of these pages begin somewhere in the part that the first page's begin in.
    const auto page_of = [&](const minimizer_taxon& one) {
      return table_view::place_of(one.hash, pages, layer.key_bits).page;
    };
    std::vector<minimizer_taxon> odd_here;
    bool is_at_end = false;
    for (std::size_t part = begin * minimizer_sets::parts / pages; part < minimizer_sets::parts && !is_at_end;
         ++part) {
      const std::span<const minimizer_taxon> all = sets.part(part);
      auto one =
          std::partition_point(all.begin(), all.end(), [&](const auto& it) { return page_of(it) < begin; });
      for (; one != all.end() && !is_at_end; ++one) {
        is_at_end = page_of(*one) >= end;
        if (!is_at_end && !filler.add(*one, odd_here)) has_room = false;
      }
    }
    const std::lock_guard lock(mutex);
    odd.insert(odd.end(), odd_here.begin(), odd_here.end());
  });
  std::sort(odd.begin(), odd.end(), [](const auto& a, const auto& b) { return a.hash < b.hash; });
  layer.odd.assign(odd.begin(), odd.end());
  return has_room;
}

}  // namespace

void fill_layer(stored_layer& layer, const minimizer_sets& sets, const taxonomy_view& taxonomy,
                unsigned threads) {
  const std::vector<taxon_node> nodes = nodes_of(sets, taxonomy);
  const auto number_bits = static_cast<unsigned>(std::bit_width(nodes.size()));
  if (number_bits + least_key_bits > 32)
    throw error(errc::unsupported, "the genomes have " + std::to_string(nodes.size()) +
                                       " taxa, ancestors included; an index has at most 2^24 - 1");
  layer.key_bits = 32 - number_bits;
  layer.minimizers = sets.size();
  layer.nodes.assign(nodes.begin(), nodes.end());
  auto pages =
      static_cast<std::size_t>(std::ceil(static_cast<double>(sets.size()) / (table_load * table_page::size)));
  for (;; pages += pages / 16 + 1) {
    layer.table.clear();
    layer.table.resize(pages);
    layer.rests.clear();
    layer.rests.resize(pages * table_page::size *
                       cell_rest(pages, layer.key_bits, sets.hash().bits()).bytes());
    if (fill(layer, sets, taxonomy, threads)) return;
  }
}

void add_layer(minimizer_sets& sets, const stored_layer& layer, unsigned threads) {
  const cell_rest rest(layer.table.size(), layer.key_bits, sets.hash().bits());
  const table_view table({layer.table.data(), layer.table.size()}, layer.key_bits);
  workload::parallel_for(threads, table.pages(), page_grain, [&](std::size_t begin, std::size_t end) {
    std::vector<minimizer_taxon> found;
    table.for_each_cell(begin, end, [&](const table_cell& cell) {
      const std::uint64_t code =
          code_at(layer.rests.data(), cell.page * table_page::size + cell.in_page, rest.bytes());
      if (code == rest.unknown()) return;  // it is one of the odd ones
      found.push_back({rest.hash(cell.page, cell.line(), cell.key, code), layer.nodes[cell.number - 1]});
    });
    sets.add(found);
  });
  sets.add({layer.odd.data(), layer.odd.size()});
}

}  // namespace perdure::kmer::detail
