#include <perdure/error.hpp>
#include <perdure/kmer/build_index.hpp>

#include "genome_scan.hpp"
#include "layer_table.hpp"

namespace perdure::kmer {

build_result build_index(manager& store, const std::vector<std::filesystem::path>& genomes,
                         const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                         const build_options& options) {
  const std::string& name = options.index;
  if (store.find<stored_index>(name).first != nullptr)
    throw error(errc::already_exists, store.path().string() + ": the store has a k-mer index named \"" +
                                          name + "\" already; give the new one another name");
  detail::genome_scan scan(taxonomy, taxa, options, "");
  scan.read(genomes);
  build_result made = scan.counts();
  const std::string layer_name = name + layer_suffix + "0";
  try {
    store.construct<stored_taxonomy>(name + taxonomy_suffix)()->assign(taxonomy);
    auto* const layer = store.construct<stored_layer>(layer_name)();
    detail::fill_layer(*layer, scan.sets(), taxonomy, options.threads);
    layer->sequences = made.sequences;
    layer->bases = made.bases;
    made.bytes = layer->bytes();
    // The object with the index's name is the last.
    store.construct<stored_index>(name)(
        stored_index{2, options.scheme.k, options.scheme.l, options.scheme.spaces, 1});
  } catch (...) {
    store.destroy<stored_layer>(layer_name);
    store.destroy<stored_taxonomy>(name + taxonomy_suffix);
    throw;
  }
  return made;
}

}  // namespace perdure::kmer
