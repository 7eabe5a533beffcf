#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/kmer/build_index.hpp>
#include <utility>

#include "add_index.hpp"
#include "external_build.hpp"
#include "genome_scan.hpp"
#include "layer_table.hpp"
#include "resumable_build.hpp"

namespace perdure::kmer {
namespace {

/// Adds an index with the layer that `make_layer` fills.
template <class MakeLayer>
void add_index(manager& store, const taxonomy_view& taxonomy, const build_options& options,
               MakeLayer&& make_layer) {
  detail::add_index<stored_layer>(
      store, options.index, layer_suffix, taxonomy,
      stored_index{2, options.scheme.k, options.scheme.l, options.scheme.spaces, 1},
      std::forward<MakeLayer>(make_layer));
}

build_result build_in_memory(manager& store, const std::vector<std::filesystem::path>& genomes,
                             const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                             const build_options& options) {
  detail::genome_scan scan(taxonomy, taxa, {options.scheme.k, options}, "");
  detail::minimizer_sets sets(taxonomy, options.scheme, options.threads);
  scan.read(genomes, sets);
  sets.merge_all();
  detail::require_minimizers(sets.size(), options.scheme);
  build_result made = scan.counts();
  made.minimizers = sets.size();
  add_index(store, taxonomy, options, [&](stored_layer& layer) {
    detail::fill_layer(layer, sets, taxonomy, options.threads);
    layer.sequences = made.sequences;
    layer.bases = made.bases;
    made.bytes = layer.bytes();
  });
  return made;
}

build_result build_in_steps(manager& store, const std::vector<std::filesystem::path>& genomes,
                            const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                            const build_options& options) {
  const minimizer_scheme& scheme = options.scheme;
  const std::vector<detail::build_input> inputs = detail::inputs_of(
      index_kind::minimizer, genomes, taxonomy, taxa, options.unmapped,
      std::to_string(scheme.k) + " " + std::to_string(scheme.l) + " " + std::to_string(scheme.spaces));
  return detail::build_in_steps<detail::stored_build>(
      store, options, inputs, [&](detail::stored_build& build, const std::function<void()>& checkpoint) {
        detail::external_build steps(store, build, taxonomy, options, checkpoint);
        const build_result made = steps.run(genomes, taxa);
        add_index(store, taxonomy, options, [&](stored_layer& layer) { layer = std::move(build.layer); });
        return made;
      });
}

}  // namespace

build_result build_index(manager& store, const std::vector<std::filesystem::path>& genomes,
                         const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                         const build_options& options) {
  detail::prepare_build(store, options);
  return options.budget == 0 ? build_in_memory(store, genomes, taxonomy, taxa, options)
                             : build_in_steps(store, genomes, taxonomy, taxa, options);
}

}  // namespace perdure::kmer
