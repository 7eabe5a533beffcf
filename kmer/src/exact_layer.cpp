// Each part of the counts becomes a list of k-mers with numbers of sets. Sets get their numbers in the layer
// by falling frequency, then pages are filled in the order of hashes.
#include "exact_layer.hpp"

#include <algorithm>
#include <perdure/workload/parallel.hpp>
#include <utility>

#include "exact_pages.hpp"
#include "taxon_sets.hpp"

namespace perdure::kmer::detail {
namespace {

/// A part of the counts.
struct numbered_part {
  numbered_kmers own;
  std::size_t before = 0;  // number of k-mers in the parts before this one
};

/// Gives the sets of all parts numbers in the layer, stores them, and gives k-mers these numbers.
void number_sets(stored_exact_layer& layer, std::vector<numbered_part>& parts, unsigned threads) {
  taxon_sets all;
  std::vector<std::vector<std::uint32_t>> numbers(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const taxon_set& one : parts[i].own.sets.all())
      numbers[i].push_back(all.number_of(one.bytes, one.kmers));
    parts[i].own.sets = {};
  }
  const std::vector<std::uint32_t> place = store_sets(layer, all);
  workload::parallel_for(threads, parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (numbered_kmer& one : parts[i].own.kmers) one.set = place[numbers[i][one.set]];
  });
}

/// The k-mers of all parts by their place in the order of hashes.
class ordered_kmers {
 public:
  explicit ordered_kmers(const std::vector<numbered_part>& parts) : parts_(parts) {}

  const numbered_kmer& operator[](std::size_t place) const {
    const auto behind = std::upper_bound(parts_.begin(), parts_.end(), place,
                                         [](std::size_t at, const auto& one) { return at < one.before; });
    const numbered_part& part = *std::prev(behind);
    return part.own.kmers[place - part.before];
  }

 private:
  const std::vector<numbered_part>& parts_;
};

}  // namespace

void store_sequences(stored_exact_layer& layer, std::vector<named_sequence> sequences) {
  std::sort(sequences.begin(), sequences.end(),
            [](const named_sequence& a, const named_sequence& b) { return a.name < b.name; });
  for (named_sequence& one : sequences) {
    layer.names.insert(layer.names.end(), one.name.begin(), one.name.end());
    one.counts.name_end = layer.names.size();
    layer.sequences.push_back(one.counts);
  }
}

void fill_exact_layer(stored_exact_layer& layer, kmer_counts& counts, std::vector<named_sequence> sequences,
                      const taxonomy_view& taxonomy, unsigned prune, unsigned hash_bits, unsigned threads) {
  std::vector<numbered_part> parts(kmer_counts::parts);
  workload::parallel_for(threads, parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      parts[i].own = number_kmers(counts.part(i), taxonomy, prune);
      counts.forget(i);
    }
  });
  for (numbered_part& part : parts) {
    part.before = layer.kmers;
    layer.kmers += part.own.kmers.size();
    layer.occurrences += part.own.occurrences;
  }
  number_sets(layer, parts, threads);
  const ordered_kmers kmers(parts);
  const exact_page_layout layout = layout_of_pages(kmers, layer.kmers, layer.set_ends.size(), hash_bits);
  layer.key_bytes = layout.key_bytes;
  layer.number_bytes = layout.number_bytes;
  const std::size_t pages = (layer.kmers + layout.capacity() - 1) / layout.capacity();
  layer.pages.resize(pages);
  layer.firsts.resize(pages);
  fill_exact_pages({layer.pages.data(), pages}, {layer.firsts.data(), pages}, 0, kmers, layer.kmers, layout,
                   threads);
  store_sequences(layer, std::move(sequences));
}

void add_exact_layer(kmer_counts& counts, const stored_exact_layer& layer, unsigned hash_bits,
                     unsigned threads, const std::function<taxon_node(taxon_node)>& node_of) {
  const exact_table_view table({layer.pages.data(), layer.pages.size()},
                               {layer.firsts.data(), layer.firsts.size()},
                               {layer.key_bytes, layer.number_bytes, 64 - hash_bits});
  constexpr std::size_t grain = 64;
  workload::parallel_for(threads, table.pages(), grain, [&](std::size_t first, std::size_t last) {
    // In pieces, so that memory stays small with one thread.
    std::vector<kmer_count> some;
    for (std::size_t page = first; page < last; page += grain) {
      some.clear();
      table.for_each(page, std::min(page + grain, last), [&](std::uint64_t hash, std::uint32_t number) {
        for (const taxon_count& one : layer.set(number)) some.push_back({hash, node_of(one.node), one.count});
        if (!layer.pruned_from.empty() && layer.pruned_from[number] != stored_exact_layer::not_pruned)
          some.push_back({hash, kmer_count::pruned | layer.pruned_from[number], 1});
      });
      counts.add(some);
    }
  });
}

}  // namespace perdure::kmer::detail
