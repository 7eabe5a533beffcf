// perdure kmer stats: what an index is made of.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kmer_options.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

struct stats_wanted : index_options {
  std::uint64_t top = 0;
};

/// Sums of all layers.
struct layer_sums {
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t minimizers = 0;
  std::uint64_t bytes = 0;
  std::uint32_t key_bits = 32;  // the smallest number

  void add(const kmer::stored_layer& layer) {
    sequences += layer.sequences;
    bases += layer.bases;
    minimizers += layer.minimizers;
    bytes += layer.bytes();
    key_bits = std::min(key_bits, layer.key_bits);
  }
};

void show_minimizers(const stats_wanted& given, const opened_index& opened,
                     const kmer::minimizer_index& index) {
  const kmer::minimizer_scheme& scheme = index.scheme();
  layer_sums sums;
  for (const kmer::stored_layer* const layer : index.stored_layers()) sums.add(*layer);
  const std::vector<std::uint64_t> counts =
      given.top == 0 ? std::vector<std::uint64_t>() : index.minimizers_of_taxa();
  std::vector<std::uint32_t> top;
  for (std::uint32_t taxon = 1; taxon < counts.size(); ++taxon)
    if (counts[taxon] != 0) top.push_back(taxon);
  std::stable_sort(top.begin(), top.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
  top.resize(std::min<std::size_t>(top.size(), given.top));
  if (given.as_json) {
    json value{{"store", given.store.string()},
               {"epoch", opened.epoch()},
               {"index", given.name},
               {"k", scheme.k},
               {"l", scheme.l},
               {"spaces", scheme.spaces},
               {"sequences", sums.sequences},
               {"bases", sums.bases},
               {"minimizers", sums.minimizers},
               {"taxa", index.taxa()},
               {"taxa_in_taxonomy", index.taxonomy().size()},
               {"layers", index.layers().size()},
               {"bytes", sums.bytes},
               {"key_bits", sums.key_bits},
               {"attach_seconds", opened.seconds()}};
    if (given.top != 0) {
      value["top"] = json::array();
      for (const std::uint32_t taxon : top) {
        json one;
        tell_taxon(one, index.taxonomy(), index.node_of(taxon));
        one["minimizers"] = counts[taxon];
        value["top"].push_back(std::move(one));
      }
    }
    print(value);
    return;
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(opened.seconds()) + ", at epoch " + grouped(opened.epoch()) +
            "\n");
  out.write("index          " + printable_name(given.name) + ": minimizers of " + std::to_string(scheme.l) +
            " bases, " + std::to_string(scheme.spaces) + " of them left out, of k-mers of " +
            std::to_string(scheme.k) + "\n");
  out.write("genomes        " + counted(sums.sequences, "sequence", "sequences") + ", " +
            grouped(sums.bases) + " bases\n");
  out.write("minimizers     " + grouped(sums.minimizers) + "\n");
  out.write("taxa           " + grouped(index.taxa()) + " of " + grouped(index.taxonomy().size()) +
            " in the taxonomy\n");
  out.write("table          " + in_bytes(sums.bytes) + " in " +
            counted(index.layers().size(), "layer", "layers") + ", " + std::to_string(sums.key_bits) +
            " bits of a hash in a cell\n");
  for (const std::uint32_t taxon : top)
    out.write("  " + std::to_string(index.id_of(taxon)) + "  " +
              printable_name(std::string(index.taxonomy().name(index.node_of(taxon)))) + "  " +
              counted(counts[taxon], "minimizer", "minimizers") + "\n");
  out.finish();
}

void show_exact(const stats_wanted& given, const opened_index& opened) {
  if (given.top != 0)
    throw usage_error("--top counts minimizers, and " + given.name + " is an exact index: leave it out");
  const kmer::exact_index& index = opened.exact();
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t kmers = 0;
  std::uint64_t occurrences = 0;
  std::uint64_t sets = 0;
  std::uint64_t bytes = 0;
  for (const kmer::stored_exact_layer* const layer : index.stored_layers()) {
    sequences += layer->sequences.size();
    for (const kmer::stored_sequence& one : layer->sequences) bases += one.bases;
    kmers += layer->kmers;
    occurrences += layer->occurrences;
    sets += layer->set_ends.size();
    bytes += layer->bytes();
  }
  if (given.as_json) {
    print(json{{"store", given.store.string()},
               {"epoch", opened.epoch()},
               {"index", given.name},
               {"k", index.k()},
               {"prune", index.prune()},
               {"sequences", sequences},
               {"bases", bases},
               {"kmers", kmers},
               {"occurrences", occurrences},
               {"sets", sets},
               {"taxa_in_taxonomy", index.taxonomy().size()},
               {"layers", index.tables().size()},
               {"bytes", bytes},
               {"attach_seconds", opened.seconds()}});
    return;
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(opened.seconds()) + ", at epoch " + grouped(opened.epoch()) +
            "\n");
  out.write(
      "index          " + printable_name(given.name) + ": all k-mers of " + std::to_string(index.k()) +
      " bases" +
      (index.prune() == 0 ? std::string() : ", each of at most " + counted(index.prune(), "taxon", "taxa")) +
      "\n");
  out.write("genomes        " + counted(sequences, "sequence", "sequences") + ", " + grouped(bases) +
            " bases\n");
  out.write("k-mers         " + grouped(kmers) + ", which occur " + grouped(occurrences) + " times\n");
  out.write("sets of taxa   " + grouped(sets) + "\n");
  out.write("table          " + in_bytes(bytes) + " in " + counted(index.tables().size(), "layer", "layers") +
            "\n");
  out.finish();
}

}  // namespace

void add_kmer_stats_command(command kmer) {
  auto given = std::make_shared<stats_wanted>();
  command stats = kmer.add_command("stats", "Show what an index is made of");
  add_index_options(stats, *given);
  stats.add_number("--top", 0, 1'000'000'000,
                   "Also list the N taxa with the most minimizers, which reads the table",
                   [given](std::uint64_t n) { given->top = n; });
  stats.callback([given] {
    const opened_index opened(*given);
    if (const kmer::minimizer_index* const index = opened.minimizers(); index != nullptr)
      show_minimizers(*given, opened, *index);
    else
      show_exact(*given, opened);
  });
}

}  // namespace perdure::cli
