// perdure kmer lookup: the minimizers or k-mers of a sequence, and what the index has for each.
#include <memory>
#include <perdure/error.hpp>
#include <perdure/kmer/canonical_kmers.hpp>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/nucleotide.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kmer_options.hpp"
#include "type_names.hpp"

namespace perdure::cli {
namespace {

struct lookup_wanted : index_options {
  std::string bases;
};

/// Throws `usage_error` for fewer bases than a k-mer has.
void require_kmer(const std::string& bases, unsigned k) {
  if (bases.size() < k)
    throw usage_error("SEQUENCE has " + counted(bases.size(), "base", "bases") +
                      "; a k-mer of this index has " + std::to_string(k));
}

void show_found(const lookup_wanted& given, const opened_index& opened, const char* key, json found,
                output& out) {
  if (given.as_json)
    print(json{
        {"store", given.store.string()}, {"epoch", opened.epoch()}, {"index", given.name}, {key, found}});
  else
    out.finish();
}

void look_up_kmers(const lookup_wanted& given, const opened_index& opened) {
  const kmer::exact_index& index = opened.exact();
  require_kmer(given.bases, index.k());
  json found = json::array();
  output out = output::standard();
  std::vector<kmer::taxon_count> room;
  kmer::for_each_canonical_kmer(given.bases, index.k(), [&](std::size_t position, std::uint64_t one) {
    const std::span<const kmer::taxon_count> taxa = index.find(one, room);
    const std::string letters = kmer::letters_of_kmer(one, index.k());
    if (given.as_json) {
      json here{{"position", position + 1}, {"kmer", letters}, {"taxa", json::array()}};
      for (const auto& [node, count] : taxa) {
        json taxon;
        tell_taxon(taxon, index.taxonomy(), node);
        taxon["count"] = count;
        here["taxa"].push_back(std::move(taxon));
      }
      found.push_back(std::move(here));
      return;
    }
    std::string line = grouped(position + 1) + "  " + letters + "  ";
    for (const auto& [node, count] : taxa)
      line += (line.ends_with("  ") ? "" : ", ") + std::to_string(index.taxonomy().ids[node]) + " " +
              printable_name(std::string(index.taxonomy().name(node))) + ": " +
              counted(count, "time", "times");
    out.write(line.append(taxa.empty() ? "not in the index\n" : "\n"));
  });
  show_found(given, opened, "kmers", std::move(found), out);
}

void look_up_minimizers(const lookup_wanted& given, const opened_index& opened,
                        const kmer::minimizer_index& index) {
  const kmer::minimizer_scheme& scheme = index.scheme();
  require_kmer(given.bases, scheme.k);
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
  show_found(given, opened, "runs", std::move(found), out);
}

void look_up(const lookup_wanted& given) {
  for (const char letter : given.bases)
    if (kmer::code_of_nucleotide(letter) == kmer::not_a_nucleotide)
      throw usage_error("SEQUENCE has something that is no code of a nucleotide; give letters as ACGTN");
  const opened_index opened(given);
  if (const kmer::minimizer_index* const index = opened.minimizers(); index != nullptr)
    look_up_minimizers(given, opened, *index);
  else
    look_up_kmers(given, opened);
}

}  // namespace

void add_kmer_lookup_command(command kmer) {
  auto given = std::make_shared<lookup_wanted>();
  command lookup = kmer.add_command("lookup",
                                    "Show the minimizers of a sequence, the k-mers that have each, and the "
                                    "taxon of each in an index; with an "
                                    "exact index its k-mers, and the taxa of each");
  add_index_options(lookup, *given);
  lookup.add_text("SEQUENCE", given->bases, "Letters of a sequence, at least as many as a k-mer has")
      .required();
  lookup.example("genomes.store ACGTTGCAAGCTTAGCCATGACTGATCGGCTAAGTCT", "Look a sequence up");
  lookup.callback([given] { look_up(*given); });
}

}  // namespace perdure::cli
