// Files are read a batch of sequences at a time. Threads scan pieces of the batch's sequences, which overlap
// by k - 1 bases.
#include "genome_scan.hpp"

#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <string_view>
#include <utility>

namespace perdure::kmer::detail {

genome_scan::genome_scan(const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                         const scan_options& options, std::string advice, const scan_sizes& sizes)
    : options_(options), sizes_(sizes), names_(taxonomy, taxa, options.unmapped, std::move(advice)) {}

void genome_scan::resume(const scan_position& reached, const build_result& counts, std::string_view names) {
  reached_ = reached;
  names_.resume(counts, names);
}

void genome_scan::read(const std::vector<std::filesystem::path>& genomes, genome_collector& into) {
  // Files before the place are not read again.
  const auto first = genomes.begin() + static_cast<std::ptrdiff_t>(reached_.file);
  read_source source({first, genomes.end()}, false, options_.end_descriptor);
  read_batch batch;
  while (source.next(batch, sizes_.batch_bytes)) {
    source.parse(batch);
    const std::uint64_t file = static_cast<std::uint64_t>(first - genomes.begin()) + batch.file;
    if (file != reached_.file) reached_ = {file, 0};
    take(genomes[file], batch.reads, into);
    reached_.records = std::max<std::uint64_t>(reached_.records,
                                               batch.reads.first_record - 1 + batch.reads.sequences.size());
    into.end_batch(reached_);
    if (options_.on_progress) options_.on_progress(source.progress());
  }
}

void genome_scan::take(const std::filesystem::path& file, const sequence_batch& batch,
                       genome_collector& into) {
  std::vector<sequence_piece> pieces;
  for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
    if (batch.first_record + i <= reached_.records) continue;
    const sequence& one = batch.sequences[i];
    const auto node = names_.take(file, batch.first_record + i, one);
    const std::size_t number = into.add_sequence(one, node);
    if (!node) continue;
    for (std::size_t begin = 0; begin < one.bases.size(); begin += sizes_.piece_bases)
      pieces.push_back({one.bases.substr(begin, sizes_.piece_bases + options_.k - 1), number, *node});
  }
  workload::parallel_for(options_.threads, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    into.add_pieces(std::span(pieces).subspan(begin, end - begin));
  });
}

void require_minimizers(std::uint64_t number, const minimizer_scheme& scheme) {
  if (number == 0) throw_nothing_to_index(scheme.k);
}

}  // namespace perdure::kmer::detail
