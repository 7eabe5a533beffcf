#include <functional>
#include <perdure/kmer/grow_index.hpp>
#include <span>
#include <string>
#include <utility>

#include "genome_scan.hpp"
#include "layer_rule.hpp"
#include "layer_table.hpp"

namespace perdure::kmer {
namespace {

std::string layer_name(const std::string& index, std::size_t layer) {
  return index + layer_suffix + std::to_string(layer);
}

/// Replaces the layers of an index from `first` on by one, with their minimizers and those that `sets` has.
growth_result replace_layers(manager& store, const minimizer_index& index, std::size_t first,
                             detail::minimizer_sets& sets, const build_result& added, unsigned threads,
                             const std::function<void(const workload::progress&)>& on_progress = {}) {
  const std::span<const stored_layer* const> layers = index.stored_layers();
  const std::string& name = index.name();
  workload::progress now{0, 0, "minimizers"};
  for (const stored_layer* const layer : layers.subspan(first)) now.total += 2 * layer->minimizers;
  const auto report = [&](std::uint64_t done) {
    now.done += done;
    if (on_progress) on_progress(now);
  };
  for (const stored_layer* const layer : layers.subspan(first)) {
    detail::add_layer(sets, *layer, threads);
    report(layer->minimizers);
  }
  sets.merge_all();
  // It has a name of its own until it is whole.
  const std::string new_name = name + layer_suffix + "new";
  auto* made = store.construct<stored_layer>(new_name)();
  try {
    detail::fill_layer(*made, sets, index.taxonomy(), threads);
    report(now.total - now.done);
    made->sequences = added.sequences;
    made->bases = added.bases;
    for (const stored_layer* const layer : layers.subspan(first)) {
      made->sequences += layer->sequences;
      made->bases += layer->bases;
    }
    if (first == layers.size()) store.construct<stored_layer>(layer_name(name, first))();
  } catch (...) {
    store.destroy<stored_layer>(new_name);
    throw;
  }
  growth_result result{static_cast<std::uint32_t>(first + 1),
                       static_cast<std::uint32_t>(layers.size() - first), made->minimizers, made->bytes()};
  for (const stored_layer* const layer : layers.first(first)) result.bytes += layer->bytes();
  *store.find<stored_layer>(layer_name(name, first)).first = std::move(*made);
  store.destroy<stored_layer>(new_name);
  for (std::size_t i = first + 1; i < layers.size(); ++i) store.destroy<stored_layer>(layer_name(name, i));
  store.find<stored_index>(name).first->layers = result.layers;
  return result;
}

}  // namespace

added_genomes add_genomes(manager& store, const std::vector<std::filesystem::path>& genomes,
                          const sequence_taxa& taxa, const build_options& options) {
  const minimizer_index index(store, options.index);
  build_options how = options;
  how.scheme = index.scheme();
  detail::genome_scan scan(index.taxonomy(), taxa, {how.scheme.k, how},
                           "; build an index with a newer taxonomy to have such genomes in it");
  detail::minimizer_sets sets(index.taxonomy(), how.scheme, how.threads);
  scan.read(genomes, sets);
  sets.merge_all();
  detail::require_minimizers(sets.size(), how.scheme);
  added_genomes result;
  result.added = scan.counts();
  result.added.minimizers = sets.size();
  const std::span<const stored_layer* const> layers = index.stored_layers();
  std::vector<std::uint64_t> sizes;
  for (const stored_layer* const layer : layers) sizes.push_back(layer->minimizers);
  const std::size_t first = detail::first_to_merge(sizes, result.added.minimizers, how.merge_below);
  result.index = replace_layers(store, index, first, sets, result.added, how.threads);
  return result;
}

growth_result compact_index(manager& store, const std::string& name, unsigned threads,
                            const std::function<void(const workload::progress&)>& on_progress) {
  const minimizer_index index(store, name);
  const std::span<const stored_layer* const> layers = index.stored_layers();
  if (layers.size() == 1) return {1, 0, layers.front()->minimizers, layers.front()->bytes()};
  detail::minimizer_sets sets(index.taxonomy(), index.scheme(), threads);
  return replace_layers(store, index, 0, sets, {}, threads, on_progress);
}

}  // namespace perdure::kmer
