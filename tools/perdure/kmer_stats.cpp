// perdure kmer stats: what an index is made of.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kmer_facts.hpp"
#include "kmer_options.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

struct stats_wanted : index_options {
  std::uint64_t top = 0;
};

std::uint64_t number_in(const json& facts, const char* key) {
  return facts[key].get<std::uint64_t>();
}

/// Prints the facts under the store that they are of.
void print_facts(const stats_wanted& given, const opened_index& opened, const json& facts, const json& top) {
  json value{{"store", given.store.string()}, {"epoch", opened.epoch()}};
  value.update(facts);
  value["attach_seconds"] = opened.seconds();
  if (!top.is_null()) value["top"] = top;
  print(value);
}

void show_minimizers(const stats_wanted& given, const opened_index& opened,
                     const kmer::minimizer_index& index) {
  const kmer::minimizer_scheme& scheme = index.scheme();
  const json facts = facts_of(index);
  const std::vector<std::uint64_t> counts =
      given.top == 0 ? std::vector<std::uint64_t>() : index.minimizers_of_taxa();
  std::vector<std::uint32_t> top;
  for (std::uint32_t taxon = 1; taxon < counts.size(); ++taxon)
    if (counts[taxon] != 0) top.push_back(taxon);
  std::stable_sort(top.begin(), top.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
  top.resize(std::min<std::size_t>(top.size(), given.top));
  if (given.as_json) {
    json ranking;
    if (given.top != 0) {
      ranking = json::array();
      for (const std::uint32_t taxon : top) {
        json one;
        tell_taxon(one, index.taxonomy(), index.node_of(taxon));
        one["minimizers"] = counts[taxon];
        ranking.push_back(std::move(one));
      }
    }
    return print_facts(given, opened, facts, ranking);
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(opened.seconds()) + ", at epoch " + grouped(opened.epoch()) +
            "\n");
  out.write("index          " + printable_name(given.name) + ": minimizers of " + std::to_string(scheme.l) +
            " bases, " + std::to_string(scheme.spaces) + " of them left out, of k-mers of " +
            std::to_string(scheme.k) + "\n");
  out.write("genomes        " + counted(number_in(facts, "sequences"), "sequence", "sequences") + ", " +
            grouped(number_in(facts, "bases")) + " bases\n");
  out.write("minimizers     " + grouped(number_in(facts, "minimizers")) + "\n");
  out.write("taxa           " + grouped(index.taxa()) + " of " + grouped(index.taxonomy().size()) +
            " in the taxonomy\n");
  out.write("table          " + in_bytes(number_in(facts, "bytes")) + " in " +
            counted(index.layers().size(), "layer", "layers") + ", " +
            std::to_string(number_in(facts, "key_bits")) + " bits of a hash in a cell\n");
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
  const json facts = facts_of(index);
  if (given.as_json) return print_facts(given, opened, facts, nullptr);
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(opened.seconds()) + ", at epoch " + grouped(opened.epoch()) +
            "\n");
  out.write(
      "index          " + printable_name(given.name) + ": all k-mers of " + std::to_string(index.k()) +
      " bases" +
      (index.prune() == 0 ? std::string() : ", each of at most " + counted(index.prune(), "taxon", "taxa")) +
      "\n");
  out.write("genomes        " + counted(number_in(facts, "sequences"), "sequence", "sequences") + ", " +
            grouped(number_in(facts, "bases")) + " bases\n");
  out.write("k-mers         " + grouped(number_in(facts, "kmers")) + ", which occur " +
            grouped(number_in(facts, "occurrences")) + " times\n");
  out.write("sets of taxa   " + grouped(number_in(facts, "sets")) + "\n");
  out.write("table          " + in_bytes(number_in(facts, "bytes")) + " in " +
            counted(index.tables().size(), "layer", "layers") + "\n");
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
  stats.example("genomes.store --top 10", "Show the size of an index and its ten largest taxa");
  stats.callback([given] {
    const opened_index opened(*given);
    if (const kmer::minimizer_index* const index = opened.minimizers(); index != nullptr)
      show_minimizers(*given, opened, *index);
    else
      show_exact(*given, opened);
  });
}

}  // namespace perdure::cli
