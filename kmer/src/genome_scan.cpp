// Files are read a batch of sequences at a time. Threads scan pieces of the batch's sequences, which overlap
// by k - 1 bases, and collect minimizers with taxa in parts by hash. In the end each part is sorted.
#include "genome_scan.hpp"

#include <perdure/error.hpp>
#include <perdure/workload/parallel.hpp>
#include <string_view>
#include <utility>

namespace perdure::kmer::detail {
namespace {

constexpr std::size_t batch_bytes = std::size_t{32} << 20;
constexpr std::size_t piece_bases = std::size_t{1} << 18;

/// Part of a sequence, and its taxon.
struct piece {
  std::string_view bases;
  taxon_node node = 0;
};

}  // namespace

genome_scan::genome_scan(const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                         const build_options& options, std::string advice)
    : taxonomy_(taxonomy),
      taxa_(taxa),
      options_(options),
      advice_(std::move(advice)),
      sets_(taxonomy, options.scheme) {}

void genome_scan::read(const std::vector<std::filesystem::path>& genomes) {
  read_source source(genomes, false, options_.end_descriptor);
  read_batch batch;
  while (source.next(batch, batch_bytes)) {
    source.parse(batch);
    take(genomes[batch.file], batch.reads);
    if (options_.on_progress) options_.on_progress(source.progress());
  }
  sets_.merge(options_.threads, true);
  counts_.minimizers = sets_.size();
  if (counts_.minimizers == 0)
    throw error(errc::bad_input, "the genomes have no sequence of " + std::to_string(options_.scheme.k) +
                                     " unambiguous bases, so there is nothing to index");
}

void genome_scan::take(const std::filesystem::path& file, const sequence_batch& batch) {
  std::vector<piece> pieces;
  for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
    const sequence& one = batch.sequences[i];
    const std::string at = file.string() + ": record " + std::to_string(batch.first_record + i) +
                           ": sequence " + std::string(one.name);
    if (!names_.emplace(one.name).second)
      throw error(errc::bad_input, at + " was there before; each sequence needs a name of its own");
    const auto taxon = taxa_.taxon_of(one.name);
    if (!taxon) {
      if (options_.unmapped == unmapped_sequences::error)
        throw error(errc::bad_input, at + " has no taxon: neither a map nor its name has one");
      ++counts_.skipped;
      continue;
    }
    const auto node = taxonomy_.find(*taxon);
    if (!node)
      throw error(errc::bad_input, at + " has the taxon " + std::to_string(*taxon) +
                                       ", which the taxonomy does not have" + advice_);
    ++counts_.sequences;
    counts_.bases += one.bases.size();
    for (std::size_t begin = 0; begin < one.bases.size(); begin += piece_bases)
      pieces.push_back({one.bases.substr(begin, piece_bases + options_.scheme.k - 1), *node});
  }
  workload::parallel_for(options_.threads, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    minimizer_scanner scanner(options_.scheme);
    std::vector<minimizer_run> runs;
    for (std::size_t i = begin; i < end; ++i) {
      runs.clear();
      scanner.scan(pieces[i].bases, runs);
      sets_.add(runs, pieces[i].node);
    }
  });
  sets_.merge(options_.threads, false);
}

}  // namespace perdure::kmer::detail
