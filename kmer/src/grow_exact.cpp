#include <map>
#include <perdure/error.hpp>
#include <perdure/kmer/grow_exact.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "exact_layer.hpp"
#include "exact_scan.hpp"
#include "layer_rule.hpp"

namespace perdure::kmer {
namespace {

using layer_span = std::span<const stored_exact_layer* const>;

std::string exact_layer_name(const std::string& index, std::size_t layer) {
  return index + exact_layer_suffix + std::to_string(layer);
}

/// Returns whether a layer has a sequence of this name, and which.
const stored_sequence* sequence_in(const stored_exact_layer& layer, std::string_view name) {
  std::size_t low = 0;
  std::size_t high = layer.sequences.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (layer.name(middle) < name)
      low = middle + 1;
    else
      high = middle;
  }
  return low < layer.sequences.size() && layer.name(low) == name ? &layer.sequences[low] : nullptr;
}

const stored_sequence* sequence_in(const exact_index& index, std::string_view name) {
  for (const stored_exact_layer* const layer : index.stored_layers())
    if (const stored_sequence* const found = sequence_in(*layer, name); found != nullptr) return found;
  return nullptr;
}

void refuse_known_names(const exact_index& index, const std::vector<detail::named_sequence>& sequences) {
  for (const detail::named_sequence& one : sequences)
    if (sequence_in(index, one.name) != nullptr)
      throw error(errc::bad_input, "sequence " + one.name + " is in the k-mer index \"" + index.name() +
                                       "\" already; its k-mers would count twice");
}

taxon_node same_node(taxon_node node) {
  return node;
}

void add_sequences(std::vector<detail::named_sequence>& to, const stored_exact_layer& layer,
                   const std::function<taxon_node(taxon_node)>& node_of) {
  for (std::size_t i = 0; i < layer.sequences.size(); ++i) {
    to.push_back({std::string(layer.name(i)), layer.sequences[i]});
    to.back().counts.node = node_of(layer.sequences[i].node);
  }
}

/// Replaces the layers of an index from `first` on by one of these counts and sequences.
exact_result replace_exact_layers(manager& store, const exact_index& index, std::size_t first,
                                  detail::kmer_counts& counts, std::vector<detail::named_sequence> sequences,
                                  unsigned threads) {
  const layer_span layers = index.stored_layers();
  const std::string& name = index.name();
  // It has a name of its own until it is whole.
  const std::string new_name = name + exact_layer_suffix + "new";
  auto* const made = store.construct<stored_exact_layer>(new_name)();
  try {
    detail::fill_exact_layer(*made, counts, std::move(sequences), index.taxonomy(), index.prune(),
                             index.hash().bits(), threads);
    if (first == layers.size()) store.construct<stored_exact_layer>(exact_layer_name(name, first))();
  } catch (...) {
    store.destroy<stored_exact_layer>(new_name);
    throw;
  }
  exact_result result;
  result.kmers = made->kmers;
  result.occurrences = made->occurrences;
  result.layers = static_cast<std::uint32_t>(first + 1);
  result.merged = static_cast<std::uint32_t>(layers.size() - first);
  result.bytes = made->bytes();
  for (const stored_exact_layer* const layer : layers.first(first)) result.bytes += layer->bytes();
  *store.find<stored_exact_layer>(exact_layer_name(name, first)).first = std::move(*made);
  store.destroy<stored_exact_layer>(new_name);
  for (std::size_t i = first + 1; i < layers.size(); ++i)
    store.destroy<stored_exact_layer>(exact_layer_name(name, i));
  store.find<stored_exact_index>(name).first->layers = result.layers;
  return result;
}

/// Adds merged counts to an index, with the layers behind that are to be merged with them.
exact_result grow(manager& store, const exact_index& index, detail::kmer_counts& counts,
                  std::vector<detail::named_sequence> sequences, const exact_options& options) {
  const layer_span layers = index.stored_layers();
  std::vector<std::uint64_t> sizes;
  for (const stored_exact_layer* const layer : layers) sizes.push_back(layer->kmers);
  const std::size_t first = detail::first_to_merge(sizes, counts.kmers(), options.merge_below);
  for (const stored_exact_layer* const layer : layers.subspan(first)) {
    detail::add_exact_layer(counts, *layer, index.hash().bits(), options.threads, same_node);
    add_sequences(sequences, *layer, same_node);
  }
  counts.merge(options.threads, true);
  return replace_exact_layers(store, index, first, counts, std::move(sequences), options.threads);
}

void refuse_other(const exact_index& index, const exact_index& other) {
  if (index.k() != other.k() || index.prune() != other.prune())
    throw error(errc::bad_input, "the k-mer index \"" + other.name() + "\" has k " +
                                     std::to_string(other.k()) + " and prunes to " +
                                     std::to_string(other.prune()) + " taxa, the index that it would go to " +
                                     std::to_string(index.k()) + " and " + std::to_string(index.prune()));
  const taxonomy_view a = index.taxonomy();
  const taxonomy_view b = other.taxonomy();
  if (index.prune() != 0 &&
      (!std::equal(a.ids.begin(), a.ids.end(), b.ids.begin(), b.ids.end()) ||
       !std::equal(a.parents.begin(), a.parents.end(), b.parents.begin(), b.parents.end())))
    throw error(errc::bad_input, "the k-mer index \"" + other.name() +
                                     "\" has another taxonomy, and pruned indexes of different taxonomies "
                                     "cannot be merged; build an index of all genomes");
}

}  // namespace

exact_result add_exact_genomes(manager& store, const std::vector<std::filesystem::path>& genomes,
                               const sequence_taxa& taxa, const exact_options& options) {
  const exact_index index(store, options.index);
  exact_options how = options;
  how.k = index.k();
  detail::exact_scan scan(index.taxonomy(), taxa, how,
                          "; build an index with a newer taxonomy to have such genomes in it");
  scan.read(genomes);
  refuse_known_names(index, scan.sequences());
  if (scan.counts().empty()) detail::throw_nothing_to_index(how.k);
  exact_result result = grow(store, index, scan.counts(), scan.sequences(), how);
  result.sequences = scan.totals().sequences;
  result.bases = scan.totals().bases;
  result.skipped = scan.totals().skipped;
  return result;
}

exact_result remove_exact_genomes(manager& store, const std::vector<std::filesystem::path>& genomes,
                                  const sequence_taxa& taxa, const exact_options& options) {
  const exact_index index(store, options.index);
  const std::string what = store.path().string() + ": the k-mer index \"" + index.name() + "\"";
  if (index.prune() != 0)
    throw error(errc::unsupported, what +
                                       " was built with --prune: its common ancestors do not say which "
                                       "genomes made them; build an index without these genomes");
  exact_options how = options;
  how.k = index.k();
  detail::exact_scan scan(index.taxonomy(), taxa, how, "");
  scan.read(genomes);
  std::map<std::string_view, const stored_sequence*> removed;
  for (const detail::named_sequence& one : scan.sequences()) {
    const stored_sequence* const found = sequence_in(index, one.name);
    if (found == nullptr)
      throw error(errc::bad_input, what + " has no sequence " + one.name + ", so it cannot be removed");
    if (found->node != one.counts.node || found->bases != one.counts.bases ||
        found->kmer_sum != one.counts.kmer_sum)
      throw error(errc::bad_input,
                  what + " has a sequence " + one.name +
                      " with another taxon or other bases; give the file that it was built of");
    removed.emplace(one.name, &one.counts);
  }
  detail::kmer_counts counts;
  std::vector<detail::named_sequence> kept;
  for (const stored_exact_layer* const layer : index.stored_layers()) {
    detail::add_exact_layer(counts, *layer, index.hash().bits(), how.threads, same_node);
    add_sequences(kept, *layer, same_node);
  }
  std::erase_if(kept, [&removed](const auto& one) { return removed.contains(one.name); });
  counts.merge(how.threads, true);
  if (!counts.subtract(scan.counts(), how.threads))
    throw error(errc::damaged, what + " lacks k-mers of its own sequences; build it again");
  if (counts.empty())
    throw error(errc::bad_input, what + " would have no k-mers left; remove it with 'perdure rm' instead");
  exact_result result = replace_exact_layers(store, index, 0, counts, std::move(kept), how.threads);
  result.sequences = scan.totals().sequences;
  result.bases = scan.totals().bases;
  result.skipped = scan.totals().skipped;
  return result;
}

exact_result merge_exact_index(manager& store, const exact_index& other, const exact_options& options) {
  const exact_index index(store, options.index);
  refuse_other(index, other);
  const auto node_of = [&index, &other](taxon_node node) {
    const taxon_id id = other.taxonomy().ids[node];
    const auto found = index.taxonomy().find(id);
    if (!found)
      throw error(errc::bad_input, "the k-mer index \"" + other.name() + "\" has the taxon " +
                                       std::to_string(id) +
                                       ", which the taxonomy of the index that it would go "
                                       "to does not have");
    return *found;
  };
  detail::kmer_counts counts;
  std::vector<detail::named_sequence> sequences;
  for (const stored_exact_layer* const layer : other.stored_layers()) {
    add_sequences(sequences, *layer, node_of);
    detail::add_exact_layer(counts, *layer, other.hash().bits(), options.threads, node_of);
  }
  refuse_known_names(index, sequences);
  counts.merge(options.threads, true);
  exact_result added;
  added.sequences = sequences.size();
  for (const detail::named_sequence& one : sequences) added.bases += one.counts.bases;
  exact_result result = grow(store, index, counts, std::move(sequences), options);
  result.sequences = added.sequences;
  result.bases = added.bases;
  return result;
}

exact_result compact_exact_index(manager& store, const std::string& name, unsigned threads) {
  const exact_index index(store, name);
  const layer_span layers = index.stored_layers();
  if (layers.size() == 1) {
    exact_result result;
    result.kmers = layers.front()->kmers;
    result.occurrences = layers.front()->occurrences;
    result.bytes = layers.front()->bytes();
    result.layers = 1;
    return result;
  }
  detail::kmer_counts counts;
  std::vector<detail::named_sequence> sequences;
  for (const stored_exact_layer* const layer : layers) {
    detail::add_exact_layer(counts, *layer, index.hash().bits(), threads, same_node);
    add_sequences(sequences, *layer, same_node);
  }
  counts.merge(threads, true);
  return replace_exact_layers(store, index, 0, counts, std::move(sequences), threads);
}

}  // namespace perdure::kmer
