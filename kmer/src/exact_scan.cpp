// Files are read a batch of sequences at a time. Threads count the k-mers of pieces of the batch's sequences,
// which overlap by k - 1 bases.
#include "exact_scan.hpp"

#include <mutex>
#include <perdure/error.hpp>
#include <perdure/kmer/canonical_kmers.hpp>
#include <perdure/workload/parallel.hpp>
#include <string_view>
#include <utility>

namespace perdure::kmer::detail {
namespace {

constexpr std::size_t exact_batch_bytes = std::size_t{32} << 20;
constexpr std::size_t exact_piece_bases = std::size_t{1} << 17;

/// Part of a sequence, and the number of the sequence.
struct sequence_piece {
  std::string_view bases;
  std::size_t sequence = 0;
};

}  // namespace

exact_scan::exact_scan(const taxonomy_view& taxonomy, const sequence_taxa& taxa, const exact_options& options,
                       std::string advice)
    : options_(options),
      hash_({options.k, options.k, 0}),
      names_(taxonomy, taxa, options.unmapped, std::move(advice)) {}

void exact_scan::read(const std::vector<std::filesystem::path>& genomes) {
  read_source source(genomes, false, options_.end_descriptor);
  read_batch batch;
  while (source.next(batch, exact_batch_bytes)) {
    source.parse(batch);
    take(genomes[batch.file], batch.reads);
    if (options_.on_progress) options_.on_progress(source.progress());
  }
  counts_.merge(options_.threads, true);
}

void exact_scan::take(const std::filesystem::path& file, const sequence_batch& batch) {
  std::vector<sequence_piece> pieces;
  for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
    const sequence& one = batch.sequences[i];
    const auto node = names_.take(file, batch.first_record + i, one);
    if (!node) continue;
    for (std::size_t begin = 0; begin < one.bases.size(); begin += exact_piece_bases)
      pieces.push_back({one.bases.substr(begin, exact_piece_bases + options_.k - 1), sequences_.size()});
    sequences_.push_back({std::string(one.name), {0, one.bases.size(), 0, *node}});
  }
  std::mutex mutex;
  workload::parallel_for(options_.threads, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<kmer_count> some;
    for (std::size_t i = begin; i < end; ++i) {
      some.clear();
      stored_sequence& sequence = sequences_[pieces[i].sequence].counts;
      std::uint64_t sum = 0;
      for_each_canonical_kmer(pieces[i].bases, options_.k, [&](std::size_t, std::uint64_t kmer) {
        some.push_back({hash_(kmer), sequence.node, 1});
        sum += some.back().hash;
      });
      counts_.add(some);
      const std::lock_guard lock(mutex);
      sequence.kmer_sum += sum;
    }
  });
  counts_.merge(options_.threads, false);
}

}  // namespace perdure::kmer::detail
