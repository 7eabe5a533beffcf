#include <algorithm>
#include <exception>
#include <memory>
#include <perdure/kmer/exact_classifier.hpp>
#include <string>
#include <utility>

#include "ordered_answers.hpp"

namespace perdure::kmer {
namespace {

/// Classifies batches on one thread, and counts.
class score_thread {
 public:
  score_thread(const exact_index& index, const score_options& options)
      : index_(index), options_(options), classifier_(index) {
    counts_.reads_of_nodes.resize(index.taxonomy().size());
  }

  void answer_reads(const read_source& source, read_batch& batch, detail::ordered_answers& answers) {
    detail::answer made;
    const std::uint64_t before = counts_.bases;
    try {
      source.parse(batch);
      made.lines = lines_of(batch);
    } catch (...) {
      made.failure = std::current_exception();
    }
    answers.add(batch.number, std::move(made));
    if (options_.on_batch) options_.on_batch(batch.reads.sequences.size(), counts_.bases - before);
  }
  const classify_result& counts() const noexcept { return counts_; }

 private:
  std::string lines_of(const read_batch& batch) {
    std::string lines;
    const std::vector<sequence>& reads = batch.reads.sequences;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      const sequence* const mate = batch.mates.sequences.empty() ? nullptr : &batch.mates.sequences[i];
      const std::string_view of_mate = mate == nullptr ? std::string_view() : mate->bases;
      const scored_read found = classifier_.classify(reads[i].bases, of_mate);
      ++counts_.reads;
      counts_.bases += reads[i].bases.size() + of_mate.size();
      if (found.has_taxon()) {
        ++counts_.classified;
        ++counts_.reads_of_nodes[found.found.node];
      }
      if (options_.on_lines) append_score_line(lines, index_, found, reads[i], mate);
    }
    return lines;
  }

  const exact_index& index_;
  const score_options& options_;
  exact_classifier classifier_;
  classify_result counts_;
};

}  // namespace

classify_result score_files(const exact_index& index, read_source& source, const score_options& options) {
  const unsigned threads = std::max(options.threads, 1U);
  classify_options how;
  how.on_lines = options.on_lines;
  std::vector<std::unique_ptr<score_thread>> workers;
  for (unsigned i = 0; i < threads; ++i) workers.push_back(std::make_unique<score_thread>(index, options));
  struct taken_batch {
    read_batch batch;
  };
  detail::answer_each_batch<taken_batch>(
      source, threads, options.batch_bytes, how,
      [&](unsigned number, taken_batch& own, detail::ordered_answers& answers) {
        workers[number]->answer_reads(source, own.batch, answers);
      });
  classify_result sum;
  sum.reads_of_nodes.resize(index.taxonomy().size());
  for (const auto& worker : workers) sum.add(worker->counts());
  return sum;
}

}  // namespace perdure::kmer
