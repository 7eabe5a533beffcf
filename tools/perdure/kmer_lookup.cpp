// perdure kmer lookup: the minimizers of a sequence, and what the index has for each.
#include <memory>
#include <perdure/error.hpp>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/nucleotide.hpp>
#include <string>
#include <vector>

#include "kmer_options.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

struct lookup_wanted : index_options {
  std::string bases;
};

void look_up(const lookup_wanted& given) {
  for (const char letter : given.bases)
    if (kmer::code_of_nucleotide(letter) == kmer::not_a_nucleotide)
      throw usage_error("SEQUENCE has something that is no code of a nucleotide; give letters as ACGTN");
  const opened_index opened(given);
  const kmer::minimizer_index& index = opened.index();
  const kmer::minimizer_scheme& scheme = index.scheme();
  if (given.bases.size() < scheme.k)
    throw usage_error("SEQUENCE has " + counted(given.bases.size(), "base", "bases") +
                      "; a k-mer of this index has " + std::to_string(scheme.k));
  std::vector<kmer::minimizer_run> runs;
  kmer::minimizer_scanner(scheme).scan(given.bases, runs);
  json found = json::array();
  output out = output::standard();
  std::size_t position = 1;
  for (const kmer::minimizer_run& run : runs) {
    const bool is_ambiguous = run.minimizer == kmer::no_minimizer;
    const std::uint32_t taxon = is_ambiguous ? 0 : index.find(run.minimizer);
    const std::string letters = is_ambiguous ? "" : kmer::letters_of(run.minimizer, scheme);
    if (given.as_json) {
      json one{{"position", position}, {"kmers", run.kmers}, {"minimizer", nullptr}, {"taxon", nullptr}};
      if (!is_ambiguous) one["minimizer"] = letters;
      if (taxon != 0) tell_taxon(one, index.taxonomy(), index.node_of(taxon));
      found.push_back(std::move(one));
    } else {
      std::string what = is_ambiguous ? "ambiguous" : "not in the index";
      if (taxon != 0) {
        const kmer::taxon_node node = index.node_of(taxon);
        what = std::to_string(index.id_of(taxon)) + "  " +
               printable_name(std::string(index.taxonomy().name(node)));
      }
      std::string line = grouped(position) + "  " + counted(run.kmers, "k-mer", "k-mers") + "  ";
      if (!letters.empty()) line.append(letters).append("  ");
      out.write(line.append(what).append("\n"));
    }
    position += run.kmers;
  }
  if (given.as_json)
    print(json{
        {"store", given.store.string()}, {"epoch", opened.epoch()}, {"index", given.name}, {"runs", found}});
  else
    out.finish();
}

}  // namespace

void add_kmer_lookup_command(command kmer) {
  auto given = std::make_shared<lookup_wanted>();
  command lookup = kmer.add_command(
      "lookup",
      "Show the minimizers of a sequence, the k-mers that have each, and the taxon of each in an index");
  add_index_options(lookup, *given);
  lookup.add_text("SEQUENCE", given->bases, "Letters of a sequence, at least as many as a k-mer has")
      .required();
  lookup.callback([given] { look_up(*given); });
}

}  // namespace perdure::cli
