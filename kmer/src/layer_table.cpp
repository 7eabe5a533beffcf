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

#include "page_filler.hpp"

namespace perdure::kmer::detail {
namespace {

constexpr unsigned least_key_bits = 8;
constexpr std::size_t page_grain = 64;

/// Returns which nodes minimizers have.
std::vector<bool> nodes_in(const minimizer_sets& sets, const taxonomy_view& taxonomy) {
  std::vector<bool> has(taxonomy.size());
  for (std::size_t i = 0; i < minimizer_sets::parts; ++i)
    for (const minimizer_taxon& one : sets.part(i)) has[one.node] = true;
  return has;
}

/// Fills a table of empty pages. Returns false where a page has no room for what belongs there.
bool fill(stored_layer& layer, const minimizer_sets& sets, const taxonomy_view& taxonomy, unsigned threads) {
  const std::size_t pages = layer.table.size();
  const page_filler filler(layer, pages, 0, {layer.table.data(), pages}, layer.rests.data(),
                           sets.hash().bits(), taxonomy);
  std::atomic<bool> has_room{true};
  std::mutex mutex;
  std::vector<minimizer_taxon> odd;
  workload::parallel_for(threads, pages, page_grain, [&](std::size_t begin, std::size_t end) {
    // The hashes of these pages begin somewhere in the part that the first page's begin in.
    std::vector<minimizer_taxon> odd_here;
    bool is_at_end = false;
    for (std::size_t part = begin * minimizer_sets::parts / pages; part < minimizer_sets::parts && !is_at_end;
         ++part) {
      const std::span<const minimizer_taxon> all = sets.part(part);
      auto one = std::partition_point(all.begin(), all.end(),
                                      [&](const auto& it) { return filler.page_of(it.hash) < begin; });
      for (; one != all.end() && !is_at_end; ++one) {
        is_at_end = filler.page_of(one->hash) >= end;
        if (!is_at_end && !filler.add(*one, odd_here)) has_room = false;
      }
    }
    const std::lock_guard lock(mutex);
    odd.insert(odd.end(), odd_here.begin(), odd_here.end());
  });
  std::sort(odd.begin(), odd.end(), has_smaller_hash);
  layer.odd.assign(odd.begin(), odd.end());
  return has_room;
}

}  // namespace

std::uint64_t begin_layer(stored_layer& layer, const std::vector<bool>& used, std::uint64_t minimizers,
                          const taxonomy_view& taxonomy) {
  std::vector<bool> has = used;
  std::vector<taxon_node> nodes;
  for (auto node = static_cast<taxon_node>(taxonomy.size()); node-- > 0;) {
    if (!has[node]) continue;
    has[taxonomy.parents[node]] = true;
    nodes.push_back(node);
  }
  std::reverse(nodes.begin(), nodes.end());
  const auto number_bits = static_cast<unsigned>(std::bit_width(nodes.size()));
  if (number_bits + least_key_bits > 32)
    throw error(errc::unsupported, "the genomes have " + std::to_string(nodes.size()) +
                                       " taxa, ancestors included; an index has at most 2^24 - 1");
  layer.key_bits = 32 - number_bits;
  layer.minimizers = minimizers;
  layer.nodes.assign(nodes.begin(), nodes.end());
  return static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(minimizers) / (table_load * table_page::size)));
}

std::uint64_t more_pages(std::uint64_t pages) noexcept {
  return pages + pages / 16 + 1;
}

void fill_layer(stored_layer& layer, const minimizer_sets& sets, const taxonomy_view& taxonomy,
                unsigned threads) {
  std::uint64_t pages = begin_layer(layer, nodes_in(sets, taxonomy), sets.size(), taxonomy);
  for (;; pages = more_pages(pages)) {
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
