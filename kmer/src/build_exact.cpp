#include <perdure/error.hpp>
#include <perdure/kmer/build_exact.hpp>
#include <utility>

#include "add_index.hpp"
#include "exact_layer.hpp"
#include "exact_scan.hpp"
#include "external_exact_build.hpp"
#include "resumable_build.hpp"

namespace perdure::kmer {
namespace {

/// Adds an index with the layer that `make_layer` fills.
template <class MakeLayer>
void add_index(manager& store, const taxonomy_view& taxonomy, const exact_options& options,
               MakeLayer&& make_layer) {
  detail::add_index<stored_exact_layer>(store, options.index, exact_layer_suffix, taxonomy,
                                        stored_exact_index{1, options.k, options.prune, 1},
                                        std::forward<MakeLayer>(make_layer));
}

exact_result build_in_memory(manager& store, const std::vector<std::filesystem::path>& genomes,
                             const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                             const exact_options& options) {
  detail::exact_scan scan(taxonomy, taxa, options, "");
  scan.read(genomes);
  if (scan.counts().empty()) detail::throw_nothing_to_index(options.k);
  exact_result made;
  made.sequences = scan.totals().sequences;
  made.bases = scan.totals().bases;
  made.skipped = scan.totals().skipped;
  made.layers = 1;
  add_index(store, taxonomy, options, [&](stored_exact_layer& layer) {
    detail::fill_exact_layer(layer, scan.counts(), scan.sequences(), taxonomy, options.prune,
                             scan.hash().bits(), options.threads);
    made.kmers = layer.kmers;
    made.occurrences = layer.occurrences;
    made.bytes = layer.bytes();
  });
  return made;
}

exact_result build_in_steps(manager& store, const std::vector<std::filesystem::path>& genomes,
                            const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                            const exact_options& options) {
  const std::vector<detail::build_input> inputs =
      detail::inputs_of(index_kind::exact, genomes, taxonomy, taxa, options.unmapped,
                        std::to_string(options.k) + " " + std::to_string(options.prune));
  return detail::build_in_steps<detail::stored_exact_build>(
      store, options, inputs,
      [&](detail::stored_exact_build& build, const std::function<void()>& checkpoint) {
        detail::external_exact_build steps(store, build, taxonomy, options, checkpoint);
        const exact_result made = steps.run(genomes, taxa);
        add_index(store, taxonomy, options,
                  [&](stored_exact_layer& layer) { layer = std::move(build.layer); });
        return made;
      });
}

}  // namespace

exact_result build_exact_index(manager& store, const std::vector<std::filesystem::path>& genomes,
                               const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                               const exact_options& options) {
  if (options.k < least_exact_k || options.k > most_kmer_bases)
    throw error(errc::invalid_argument, "k-mers of " + std::to_string(options.k) +
                                            " bases: an exact index has those of 18 to 31 bases");
  detail::prepare_build(store, options);
  return options.budget == 0 ? build_in_memory(store, genomes, taxonomy, taxa, options)
                             : build_in_steps(store, genomes, taxonomy, taxa, options);
}

}  // namespace perdure::kmer
