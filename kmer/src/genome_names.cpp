#include "genome_names.hpp"

#include <perdure/error.hpp>
#include <utility>

namespace perdure::kmer::detail {

genome_names::genome_names(const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                           unmapped_sequences unmapped, std::string advice)
    : taxonomy_(taxonomy), taxa_(taxa), unmapped_(unmapped), advice_(std::move(advice)) {}

void genome_names::resume(const build_result& counts, std::string_view names) {
  counts_ = counts;
  while (!names.empty()) {
    const std::size_t end = names.find('\n');
    names_.emplace(names.substr(0, end));
    names.remove_prefix(end + 1);
  }
}

std::optional<taxon_node> genome_names::take(const std::filesystem::path& file, std::uint64_t record,
                                             const sequence& one) {
  const std::string at =
      file.string() + ": record " + std::to_string(record) + ": sequence " + std::string(one.name);
  if (!names_.emplace(one.name).second)
    throw error(errc::bad_input, at + " was there before; each sequence needs a name of its own");
  const auto taxon = taxa_.taxon_of(one.name);
  if (!taxon) {
    if (unmapped_ == unmapped_sequences::error)
      throw error(errc::bad_input, at + " has no taxon: neither a map nor its name has one");
    ++counts_.skipped;
    return std::nullopt;
  }
  const auto node = taxonomy_.find(*taxon);
  if (!node)
    throw error(errc::bad_input, at + " has the taxon " + std::to_string(*taxon) +
                                     ", which the taxonomy does not have" + advice_);
  ++counts_.sequences;
  counts_.bases += one.bases.size();
  return node;
}

void throw_nothing_to_index(unsigned k) {
  throw error(errc::bad_input, "the genomes have no sequence of " + std::to_string(k) +
                                   " unambiguous bases, so there is nothing to index");
}

}  // namespace perdure::kmer::detail
