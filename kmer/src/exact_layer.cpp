// Each part of the counts becomes a list of hashes with numbers of sets. Sets get their numbers in the layer
// by falling frequency, then pages are filled in the order of hashes.
#include "exact_layer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <perdure/error.hpp>
#include <perdure/workload/parallel.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "prune_taxa.hpp"

namespace perdure::kmer::detail {
namespace {

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

/// A set of taxa as bytes, with the depth from which on it was pruned, and the number of k-mers that have it.
struct taxon_set {
  std::string bytes;
  std::uint64_t kmers = 0;

  std::uint32_t pruned_from() const noexcept {
    std::uint32_t depth = 0;
    std::memcpy(&depth, bytes.data(), sizeof depth);
    return depth;
  }
  std::vector<taxon_count> taxa() const {
    std::vector<taxon_count> all((bytes.size() - sizeof(std::uint32_t)) / sizeof(taxon_count));
    std::memcpy(all.data(), bytes.data() + sizeof(std::uint32_t), all.size() * sizeof(taxon_count));
    return all;
  }
};

/// Sets that were seen, numbered in their order.
class set_numbers {
 public:
  std::uint32_t number_of(std::string_view bytes, std::uint64_t kmers) {
    auto found = numbers_.find(bytes);
    if (found == numbers_.end()) {
      found = numbers_.emplace(std::string(bytes), static_cast<std::uint32_t>(sets_.size())).first;
      sets_.push_back({found->first, 0});
    }
    sets_[found->second].kmers += kmers;
    return found->second;
  }
  const std::vector<taxon_set>& sets() const noexcept { return sets_; }

 private:
  std::unordered_map<std::string, std::uint32_t, text_hash, std::equal_to<>> numbers_;
  std::vector<taxon_set> sets_;
};

/// A k-mer and the number of its set.
struct numbered_kmer {
  std::uint64_t hash = 0;
  std::uint32_t set = 0;
};

/// A part of the counts, with sets that are numbered for themselves.
struct numbered_part {
  std::vector<numbered_kmer> kmers;
  set_numbers sets;
  std::uint64_t occurrences = 0;
  std::size_t before = 0;  // number of k-mers in the parts before this one
};

numbered_part number_part(std::span<const kmer_count> counts, const taxonomy_view& taxonomy, unsigned prune) {
  numbered_part part;
  std::vector<taxon_count> taxa;
  std::string bytes;
  for (std::size_t i = 0; i < counts.size();) {
    const std::uint64_t hash = counts[i].hash;
    std::uint32_t pruned_from = stored_exact_layer::not_pruned;
    taxa.clear();
    for (; i < counts.size() && counts[i].hash == hash; ++i) {
      if ((counts[i].node & kmer_count::pruned) != 0) {
        pruned_from = std::min(pruned_from, counts[i].node & ~kmer_count::pruned);
        continue;
      }
      taxa.push_back({counts[i].node, counts[i].count});
      part.occurrences += counts[i].count;
    }
    if (prune != 0) pruned_from = prune_taxa(taxonomy, prune, pruned_from, taxa);
    bytes.assign(reinterpret_cast<const char*>(&pruned_from), sizeof pruned_from);
    bytes.append(reinterpret_cast<const char*>(taxa.data()), taxa.size() * sizeof(taxon_count));
    part.kmers.push_back({hash, part.sets.number_of(bytes, 1)});
  }
  return part;
}

void store_sets(stored_exact_layer& layer, const std::vector<taxon_set>& sets,
                const std::vector<std::uint32_t>& order) {
  std::uint64_t end = 0;
  bool has_pruned = false;
  for (const std::uint32_t number : order) {
    const std::vector<taxon_count> taxa = sets[number].taxa();
    layer.taxa.insert(layer.taxa.end(), taxa.begin(), taxa.end());
    layer.set_ends.push_back(end += taxa.size());
    has_pruned = has_pruned || sets[number].pruned_from() != stored_exact_layer::not_pruned;
  }
  if (!has_pruned) return;
  for (const std::uint32_t number : order) layer.pruned_from.push_back(sets[number].pruned_from());
}

/// Numbers the sets of all parts by falling frequency, stores them, and gives k-mers these numbers.
void number_sets(stored_exact_layer& layer, std::vector<numbered_part>& parts, unsigned threads) {
  set_numbers all;
  std::vector<std::vector<std::uint32_t>> numbers(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const taxon_set& one : parts[i].sets.sets())
      numbers[i].push_back(all.number_of(one.bytes, one.kmers));
    parts[i].sets = {};
  }
  const std::vector<taxon_set>& sets = all.sets();
  if (sets.size() >= exact_table_view::none)
    throw error(errc::unsupported,
                "the genomes have more than 2^32 - 2 sets of taxa with a k-mer; use --prune");
  std::vector<std::uint32_t> order(sets.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&sets](std::uint32_t a, std::uint32_t b) {
    return sets[a].kmers != sets[b].kmers ? sets[a].kmers > sets[b].kmers : sets[a].bytes < sets[b].bytes;
  });
  store_sets(layer, sets, order);
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  workload::parallel_for(threads, parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (numbered_kmer& one : parts[i].kmers) one.set = place[numbers[i][one.set]];
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
    return part.kmers[place - part.before];
  }

 private:
  const std::vector<numbered_part>& parts_;
};

/// Returns the first hash of the page that begins with a k-mer.
std::uint64_t first_of(const ordered_kmers& kmers, std::size_t begin) {
  return begin == 0 ? 0 : kmers[begin].hash;
}

/// Returns the layout with the shortest keys that say all hashes.
exact_page_layout layout_for(const ordered_kmers& kmers, std::size_t count, exact_page_layout layout) {
  const auto fits = [&] {
    const std::size_t capacity = layout.capacity();
    for (std::size_t begin = 0; begin < count; begin += capacity) {
      const std::uint64_t last = kmers[std::min(begin + capacity, count) - 1].hash;
      const std::uint64_t key = (last - first_of(kmers, begin)) >> layout.unused_bits;
      if (static_cast<unsigned>(std::bit_width(key)) > 8 * layout.key_bytes) return false;
    }
    return true;
  };
  for (layout.key_bytes = 1; layout.key_bytes < 8 && !fits();) ++layout.key_bytes;
  return layout;
}

void put_bytes(std::uint8_t* to, std::uint64_t value, unsigned bytes) noexcept {
  for (unsigned i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

void fill_pages(stored_exact_layer& layer, const ordered_kmers& kmers, const exact_page_layout& layout,
                unsigned threads) {
  const std::size_t capacity = layout.capacity();
  const std::size_t pages = (layer.kmers + capacity - 1) / capacity;
  layer.pages.resize(pages);
  layer.firsts.resize(pages);
  constexpr std::size_t grain = 64;
  workload::parallel_for(threads, pages, grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      exact_page& page = layer.pages[i];
      const std::size_t begin = i * capacity;
      layer.firsts[i] = first_of(kmers, begin);
      page.used = std::min<std::size_t>(capacity, layer.kmers - begin);
      for (std::size_t j = 0; j < page.used; ++j) {
        const numbered_kmer& one = kmers[begin + j];
        put_bytes(page.bytes.data() + j * layout.key_bytes,
                  (one.hash - layer.firsts[i]) >> layout.unused_bits, layout.key_bytes);
        put_bytes(page.bytes.data() + capacity * layout.key_bytes + j * layout.number_bytes, one.set,
                  layout.number_bytes);
      }
    }
  });
}

void store_sequences(stored_exact_layer& layer, std::vector<named_sequence> sequences) {
  std::sort(sequences.begin(), sequences.end(),
            [](const named_sequence& a, const named_sequence& b) { return a.name < b.name; });
  for (named_sequence& one : sequences) {
    layer.names.insert(layer.names.end(), one.name.begin(), one.name.end());
    one.counts.name_end = layer.names.size();
    layer.sequences.push_back(one.counts);
  }
}

}  // namespace

void fill_exact_layer(stored_exact_layer& layer, kmer_counts& counts, std::vector<named_sequence> sequences,
                      const taxonomy_view& taxonomy, unsigned prune, unsigned hash_bits, unsigned threads) {
  std::vector<numbered_part> parts(kmer_counts::parts);
  workload::parallel_for(threads, parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      parts[i] = number_part(counts.part(i), taxonomy, prune);
      counts.forget(i);
    }
  });
  for (numbered_part& part : parts) {
    part.before = layer.kmers;
    layer.kmers += part.kmers.size();
    layer.occurrences += part.occurrences;
  }
  number_sets(layer, parts, threads);
  const ordered_kmers kmers(parts);
  exact_page_layout layout;
  layout.unused_bits = 64 - hash_bits;
  const auto number_bits = static_cast<unsigned>(std::bit_width(layer.set_ends.size() - 1));
  layout.number_bytes = std::max((number_bits + 7) / 8, 1U);
  layout = layout_for(kmers, layer.kmers, layout);
  layer.key_bytes = layout.key_bytes;
  layer.number_bytes = layout.number_bytes;
  fill_pages(layer, kmers, layout, threads);
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
