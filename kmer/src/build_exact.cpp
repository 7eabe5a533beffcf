#include <perdure/error.hpp>
#include <perdure/kmer/build_exact.hpp>

#include "exact_layer.hpp"
#include "exact_scan.hpp"

namespace perdure::kmer {
namespace {

void refuse_taken_name(const manager& store, const std::string& name) {
  try {
    kind_of_index(store, name);
  } catch (const error& failure) {
    if (failure.code() == errc::not_found) return;
    throw;
  }
  throw error(errc::already_exists, store.path().string() + ": the store has a k-mer index named \"" + name +
                                        "\" already; give the new one another name");
}

}  // namespace

exact_result build_exact_index(manager& store, const std::vector<std::filesystem::path>& genomes,
                               const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                               const exact_options& options) {
  if (options.k < least_exact_k || options.k > most_kmer_bases)
    throw error(errc::invalid_argument, "k-mers of " + std::to_string(options.k) +
                                            " bases: an exact index has those of 18 to 31 bases");
  refuse_taken_name(store, options.index);
  detail::exact_scan scan(taxonomy, taxa, options, "");
  scan.read(genomes);
  if (scan.counts().empty()) detail::throw_nothing_to_index(options.k);
  const std::string layer_name = options.index + exact_layer_suffix + "0";
  exact_result made;
  made.sequences = scan.totals().sequences;
  made.bases = scan.totals().bases;
  made.skipped = scan.totals().skipped;
  made.layers = 1;
  try {
    store.construct<stored_taxonomy>(options.index + taxonomy_suffix)()->assign(taxonomy);
    auto* const layer = store.construct<stored_exact_layer>(layer_name)();
    detail::fill_exact_layer(*layer, scan.counts(), scan.sequences(), taxonomy, options.prune,
                             scan.hash().bits(), options.threads);
    made.kmers = layer->kmers;
    made.occurrences = layer->occurrences;
    made.bytes = layer->bytes();
    // The object with the index's name is the last.
    store.construct<stored_exact_index>(options.index)(stored_exact_index{1, options.k, options.prune, 1});
  } catch (...) {
    store.destroy<stored_exact_layer>(layer_name);
    store.destroy<stored_taxonomy>(options.index + taxonomy_suffix);
    throw;
  }
  return made;
}

}  // namespace perdure::kmer
