// In memory, threads take batches as they come (`answer_each_batch`).
//
// Out of core, threads take batches until the memory for them is used. The look-ups of all of them are made
// together, and then threads answer the batches in their order.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <perdure/kmer/batch_lookup.hpp>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/workload/parallel.hpp>
#include <utility>

#include "classify_thread.hpp"
#include "ordered_answers.hpp"

namespace perdure::kmer {
namespace {

using detail::classify_thread;
using detail::first_failure;
using detail::ordered_answers;
using detail::taken_reads;

void classify_in_memory(read_source& source, const classify_options& options,
                        std::vector<classify_thread>& workers) {
  detail::answer_each_batch<taken_reads>(source, static_cast<unsigned>(workers.size()), options.batch_bytes,
                                         options,
                                         [&](unsigned number, taken_reads& own, ordered_answers& answers) {
                                           workers[number].scan(source, own);
                                           workers[number].find_taxa(own);
                                           workers[number].answer_reads(own, answers);
                                         });
}

/// Batches of reads that are in memory together.
///
/// Thread safety: `take` from any thread.
class read_group {
 public:
  read_group(read_source& source, std::size_t most_bytes, std::size_t batch_bytes)
      : source_(source),
        most_bytes_(most_bytes),
        batch_bytes_(batch_bytes),
        largest_batch_(batch_bytes * bytes_per_letter) {}

  /// Memory that a batch takes with its look-ups for each byte of its text, at most, when most letters are
  /// bases.
  static constexpr std::size_t bytes_per_letter = 16;

  /// Takes batches until the memory is used or the source is at its end. The batches of the last group must
  /// have been forgotten.
  void take(classify_thread& worker) {
    while (std::unique_ptr<taken_reads> own = begin_batch()) {
      const bool has_reads = of_reading_.watch([&] { return source_.next(own->batch, batch_bytes_); });
      if (has_reads) worker.scan(source_, *own);
      end_batch(std::move(own), has_reads);
    }
  }
  /// Returns the batches by rising number.
  std::span<const std::unique_ptr<taken_reads>> in_order() {
    std::sort(taken_.begin(), taken_.end(),
              [](const auto& a, const auto& b) { return a->batch.number < b->batch.number; });
    return taken_;
  }
  /// Forgets all batches. Their memory is used again.
  void forget() {
    for (std::unique_ptr<taken_reads>& one : taken_) unused_.push_back(std::move(one));
    taken_.clear();
    used_ = 0;
  }
  bool has_more() const noexcept { return has_more_; }
  /// Throws what the source threw.
  void rethrow() const { of_reading_.rethrow(); }

 private:
  /// Returns a batch to be filled, or none where no room is left.
  std::unique_ptr<taken_reads> begin_batch() {
    const std::lock_guard lock(mutex_);
    const bool is_first = taken_.empty() && begun_ == 0;
    if (!has_more_ || (!is_first && used_ + (begun_ + 1) * largest_batch_ > most_bytes_)) return nullptr;
    ++begun_;
    if (unused_.empty()) return std::make_unique<taken_reads>();
    std::unique_ptr<taken_reads> own = std::move(unused_.back());
    unused_.pop_back();
    return own;
  }
  void end_batch(std::unique_ptr<taken_reads> own, bool has_reads) {
    const std::lock_guard lock(mutex_);
    --begun_;
    if (!has_reads || own->failure) has_more_ = false;
    if (!has_reads) return;
    const std::size_t bytes = own->bytes() + own->scanned.runs.size() * batch_lookup::bytes_per_lookup;
    used_ += bytes;
    largest_batch_ = std::max(largest_batch_, bytes);
    taken_.push_back(std::move(own));
  }

  read_source& source_;
  std::size_t most_bytes_;
  std::size_t batch_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<taken_reads>> taken_;
  std::vector<std::unique_ptr<taken_reads>> unused_;
  std::size_t used_ = 0;   // bytes of the batches that were taken
  std::size_t begun_ = 0;  // number of batches that are being taken
  std::size_t largest_batch_;
  bool has_more_ = true;
  first_failure of_reading_;
};

void classify_out_of_core(const minimizer_index& index, read_source& source, const classify_options& options,
                          std::vector<classify_thread>& workers, classify_result& sum) {
  const auto threads = static_cast<unsigned>(workers.size());
  constexpr std::size_t most_buffer = std::size_t{1} << 20;  // of a thread
  const std::size_t buffers = std::min(options.budget / 4, threads * most_buffer);
  const std::size_t for_reads = options.budget - buffers;
  // So that many batches are in memory together.
  const std::size_t batch_bytes = std::clamp<std::size_t>(
      for_reads / (std::size_t{4} * threads * read_group::bytes_per_letter), 1, options.batch_bytes);
  batch_lookup lookups(index, {.plan = options.plan,
                               .threads = threads,
                               .buffer_bytes = buffers,
                               .on_pages = options.on_pages,
                               .on_choice = options.on_choice});
  read_group group(source, for_reads, batch_bytes);
  ordered_answers answers(options, 0);
  do {
    workload::run_threads(threads, [&](unsigned number) { group.take(workers[number]); });
    const auto batches = group.in_order();
    std::vector<wanted_taxa> wanted;
    for (const auto& one : batches) wanted.push_back({one->scanned.runs, one->scanned.taxa});
    lookups.find(wanted);
    std::atomic<std::size_t> next{0};
    workload::run_threads(threads, [&](unsigned number) {
      try {
        for (std::size_t i = next++; i < batches.size(); i = next++)
          workers[number].answer_reads(*batches[i], answers);
      } catch (...) {
        next = batches.size();
        throw;
      }
    });
    group.forget();
  } while (group.has_more());
  group.rethrow();
  sum.faults = lookups.done_by(lookup_plan::faults);
  sum.sweep = lookups.done_by(lookup_plan::sweep);
}

/// Returns whether reads need few pages of a large index at most: their text has fewer bytes than the index
/// has pages, and of several letters one begins a minimizer.
bool needs_few_pages(const minimizer_index& index, const read_source& source) {
  const std::uint64_t bytes = source.progress().total;
  std::uint64_t pages = 0;
  for (const stored_layer* const layer : index.stored_layers()) pages += layer->table.size();
  return bytes != 0 && bytes < pages;
}

/// Copies the pages that reads need. The first touch of a mapped page takes longer, and maps those around it.
void classify_with_few_pages(const minimizer_index& index, read_source& source,
                             const classify_options& options, std::vector<classify_thread>& workers,
                             classify_result& sum) {
  classify_options how = options;
  how.budget = std::size_t{64} << 20;
  how.plan = lookup_plan::faults;
  how.on_pages = nullptr;
  classify_out_of_core(index, source, how, workers, sum);
}

}  // namespace

void classify_result::add(const classify_result& other) {
  reads += other.reads;
  bases += other.bases;
  classified += other.classified;
  reads_of_nodes.resize(std::max(reads_of_nodes.size(), other.reads_of_nodes.size()));
  for (std::size_t node = 0; node < other.reads_of_nodes.size(); ++node)
    reads_of_nodes[node] += other.reads_of_nodes[node];
  faults.add(other.faults);
  sweep.add(other.sweep);
}

classify_result classify_files(const minimizer_index& index, read_source& source,
                               const classify_options& options) {
  std::vector<classify_thread> workers;
  const unsigned threads = std::max(options.threads, 1U);
  workers.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) workers.emplace_back(index, options);
  classify_result sum;
  sum.reads_of_nodes.assign(index.taxonomy().size(), 0);
  if (options.budget != 0)
    classify_out_of_core(index, source, options, workers, sum);
  else if (needs_few_pages(index, source))
    classify_with_few_pages(index, source, options, workers, sum);
  else
    classify_in_memory(source, options, workers);
  for (const classify_thread& one : workers) one.add_to(sum);
  return sum;
}

}  // namespace perdure::kmer
