// Files are read a batch of sequences at a time. Threads scan pieces of the batch's sequences, which overlap
// by k - 1 bases, and collect minimizers with taxa in parts by hash. In the end each part is sorted, and the
// table is filled page by page in the order of hashes, so that it does not depend on which thread did what.
#include <algorithm>
#include <bit>
#include <cmath>
#include <perdure/error.hpp>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/read_source.hpp>
#include <perdure/workload/parallel.hpp>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "minimizer_sets.hpp"

namespace perdure::kmer {
namespace {

constexpr std::size_t batch_bytes = std::size_t{32} << 20;
constexpr std::size_t piece_bases = std::size_t{1} << 18;
constexpr unsigned least_key_bits = 8;

/// Part of a sequence, and its taxon.
struct piece {
  std::string_view bases;
  taxon_node node = 0;
};

/// The sequences of genomes, added to sets of minimizers.
class genome_scan {
 public:
  genome_scan(const taxonomy_view& taxonomy, const sequence_taxa& taxa, const build_options& options)
      : taxonomy_(taxonomy), taxa_(taxa), options_(options), sets_(taxonomy) {}

  void read(const std::vector<std::filesystem::path>& genomes) {
    read_source source(genomes, false, options_.end_descriptor);
    read_batch batch;
    while (source.next(batch, batch_bytes)) {
      source.parse(batch);
      take(genomes[batch.file], batch.reads);
      if (options_.on_progress) options_.on_progress(source.progress());
    }
    sets_.merge(options_.threads, true);
  }

  const detail::minimizer_sets& sets() const noexcept { return sets_; }
  const build_result& counts() const noexcept { return counts_; }

 private:
  void take(const std::filesystem::path& file, const sequence_batch& batch) {
    std::vector<piece> pieces;
    for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
      const sequence& one = batch.sequences[i];
      const std::string at = file.string() + ": record " + std::to_string(batch.first_record + i) +
                             ": sequence " + std::string(one.name);
      if (!names_.emplace(one.name).second)
        throw error(errc::bad_input, at + " was there before; each sequence needs a name of its own");
      const auto taxon = taxa_.taxon_of(one.name);
      if (!taxon) {
        if (options_.unmapped == unmapped_sequences::error)
          throw error(errc::bad_input, at + " has no taxon: neither a map nor its name has one");
        ++counts_.skipped;
        continue;
      }
      const auto node = taxonomy_.find(*taxon);
      if (!node)
        throw error(errc::bad_input,
                    at + " has the taxon " + std::to_string(*taxon) + ", which the taxonomy does not have");
      ++counts_.sequences;
      counts_.bases += one.bases.size();
      for (std::size_t begin = 0; begin < one.bases.size(); begin += piece_bases)
        pieces.push_back({one.bases.substr(begin, piece_bases + options_.scheme.k - 1), *node});
    }
    workload::parallel_for(options_.threads, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
      minimizer_scanner scanner(options_.scheme);
      std::vector<minimizer_run> runs;
      for (std::size_t i = begin; i < end; ++i) {
        runs.clear();
        scanner.scan(pieces[i].bases, runs);
        sets_.add(runs, pieces[i].node);
      }
    });
    sets_.merge(options_.threads, false);
  }

  taxonomy_view taxonomy_;
  const sequence_taxa& taxa_;
  const build_options& options_;
  detail::minimizer_sets sets_;
  std::unordered_set<std::string> names_;
  build_result counts_;
};

/// Nodes that minimizers have, and all above them, in their order.
std::vector<taxon_node> nodes_of(const detail::minimizer_sets& sets, const taxonomy_view& taxonomy) {
  std::vector<bool> has(taxonomy.size());
  for (std::size_t i = 0; i < detail::minimizer_sets::parts; ++i)
    for (const detail::minimizer_taxon& one : sets.part(i)) has[one.node] = true;
  std::vector<taxon_node> nodes;
  for (auto node = static_cast<taxon_node>(taxonomy.size()); node-- > 0;) {
    if (!has[node]) continue;
    has[taxonomy.parents[node]] = true;
    nodes.push_back(node);
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

/// Fills pages of a table from hashes in their order.
class page_filler {
 public:
  page_filler(std::span<table_page> pages, unsigned key_bits, const taxonomy_view& taxonomy,
              std::span<const taxon_node> nodes)
      : pages_(pages), key_bits_(key_bits), taxonomy_(taxonomy), nodes_(nodes) {}

  /// Returns false where the page has no room.
  bool add(const detail::minimizer_taxon& one) const {
    const table_place place = table_view::place_of(one.hash, pages_.size(), key_bits_);
    table_page& page = pages_[place.page];
    const std::uint32_t mask = (std::uint32_t{1} << key_bits_) - 1;
    for (std::size_t tried = 0; tried < table_page::size; ++tried) {
      const std::size_t line = (place.line + tried / table_page::line_cells) % table_page::lines;
      std::uint32_t& cell = page.cells[line * table_page::line_cells + tried % table_page::line_cells];
      if (cell == 0) {
        cell = number_of(one.node) << key_bits_ | place.key;
        return true;
      }
      if ((cell & mask) == place.key) {
        // Minimizers that a look-up cannot tell apart have one taxon.
        const taxon_node both = taxonomy_.common_ancestor(nodes_[(cell >> key_bits_) - 1], one.node);
        cell = number_of(both) << key_bits_ | place.key;
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
  unsigned key_bits_;
  taxonomy_view taxonomy_;
  std::span<const taxon_node> nodes_;
};

/// Fills a table of empty pages. Returns false where a page has no room for what belongs there.
bool fill(std::span<table_page> pages, unsigned key_bits, const detail::minimizer_sets& sets,
          const taxonomy_view& taxonomy, std::span<const taxon_node> nodes, unsigned threads) {
  const page_filler filler(pages, key_bits, taxonomy, nodes);
  std::atomic<bool> has_room{true};
  constexpr std::size_t grain = 64;
  workload::parallel_for(threads, pages.size(), grain, [&](std::size_t begin, std::size_t end) {
    // The hashes of these pages begin somewhere in the part that the first page's begin in.
    const auto page_of = [&](const detail::minimizer_taxon& one) {
      return table_view::place_of(one.hash, pages.size(), key_bits).page;
    };
    std::size_t part = begin * detail::minimizer_sets::parts / pages.size();
    for (; part < detail::minimizer_sets::parts; ++part) {
      const std::span<const detail::minimizer_taxon> all = sets.part(part);
      auto one =
          std::partition_point(all.begin(), all.end(), [&](const auto& it) { return page_of(it) < begin; });
      for (; one != all.end(); ++one) {
        if (page_of(*one) >= end) return;
        if (!filler.add(*one)) has_room = false;
      }
    }
  });
  return has_room;
}

void fill_layer(stored_layer& layer, const genome_scan& scan, const taxonomy_view& taxonomy,
                const build_options& options) {
  const detail::minimizer_sets& sets = scan.sets();
  const std::vector<taxon_node> nodes = nodes_of(sets, taxonomy);
  const auto number_bits = static_cast<unsigned>(std::bit_width(nodes.size()));
  if (number_bits + least_key_bits > 32)
    throw error(errc::unsupported, "the genomes have " + std::to_string(nodes.size()) +
                                       " taxa, ancestors included; an index has at most 2^24 - 1");
  layer.key_bits = 32 - number_bits;
  layer.minimizers = sets.size();
  layer.sequences = scan.counts().sequences;
  layer.bases = scan.counts().bases;
  layer.nodes.assign(nodes.begin(), nodes.end());
  auto pages =
      static_cast<std::size_t>(std::ceil(static_cast<double>(sets.size()) / (table_load * table_page::size)));
  for (;; pages += pages / 16 + 1) {
    layer.table.clear();
    layer.table.resize(pages);
    if (fill({layer.table.data(), pages}, layer.key_bits, sets, taxonomy, nodes, options.threads)) return;
  }
}

}  // namespace

build_result build_index(manager& store, const std::vector<std::filesystem::path>& genomes,
                         const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                         const build_options& options) {
  const std::string& name = options.index;
  if (store.find<stored_index>(name).first != nullptr)
    throw error(errc::already_exists, store.path().string() + ": the store has a k-mer index named \"" +
                                          name + "\" already; give the new one another name");
  genome_scan scan(taxonomy, taxa, options);
  scan.read(genomes);
  build_result made = scan.counts();
  made.minimizers = scan.sets().size();
  if (made.minimizers == 0)
    throw error(errc::bad_input, "the genomes have no sequence of " + std::to_string(options.scheme.k) +
                                     " unambiguous bases, so there is nothing to index");
  try {
    store.construct<stored_taxonomy>(name + taxonomy_suffix)()->assign(taxonomy);
    auto* const layer = store.construct<stored_layer>(name + layer_suffix)();
    fill_layer(*layer, scan, taxonomy, options);
    made.bytes = layer->table.size() * sizeof(table_page);
    // The object with the index's name is the last.
    store.construct<stored_index>(name)(
        stored_index{1, options.scheme.k, options.scheme.l, options.scheme.spaces, 1});
  } catch (...) {
    store.destroy<stored_layer>(name + layer_suffix);
    store.destroy<stored_taxonomy>(name + taxonomy_suffix);
    throw;
  }
  return made;
}

}  // namespace perdure::kmer
