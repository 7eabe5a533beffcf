// Puts the answers of batches into the order of their reads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/kmer/read_source.hpp>
#include <perdure/workload/parallel.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perdure::kmer::detail {

/// Records of reads, and of the second reads of pairs.
struct read_records {
  std::string reads;
  std::string mates;
};

/// The text that a batch makes, or its failure.
struct answer {
  std::string lines;
  read_records classified;
  read_records unclassified;
  std::exception_ptr failure;
};

/// Thread safety: any member from any thread.
class ordered_answers {
 public:
  ordered_answers(const classify_options& options, std::size_t most_waiting)
      : options_(options), most_waiting_(most_waiting) {}

  /// Gives away this answer and those that waited for it, or lets it wait. Throws the failure of the first
  /// batch that has one.
  void add(std::uint64_t batch, answer one) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(batch, std::move(one));
    while (!has_failed_ && !waiting_.empty() && waiting_.begin()->first == next_) {
      const answer now = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++next_;
      has_failed_ = true;  // unless what follows returns
      if (now.failure) std::rethrow_exception(now.failure);
      if (!now.lines.empty()) options_.on_lines(now.lines);
      if (!now.classified.reads.empty()) options_.on_classified(now.classified.reads, now.classified.mates);
      if (!now.unclassified.reads.empty())
        options_.on_unclassified(now.unclassified.reads, now.unclassified.mates);
      has_failed_ = false;
    }
  }
  /// Returns whether no more batches should be begun for now.
  bool is_full() const {
    const std::lock_guard lock(mutex_);
    return has_failed_ || waiting_.size() >= most_waiting_;
  }

 private:
  const classify_options& options_;
  std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, answer> waiting_;
  std::uint64_t next_ = 0;
  bool has_failed_ = false;
};

/// Keeps the first exception of several threads.
///
/// Thread safety: `watch` from any thread.
class first_failure {
 public:
  /// Returns what `work` returns, or false where it throws.
  template <class Work>
  bool watch(Work&& work) {
    try {
      return work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      return false;
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// Takes batches of a source on several threads. Each calls `answer(number of the thread, taken)` with a
/// `Taken` of its own, whose member `batch` has the reads. Answers that are early wait until those before
/// them are there; when many wait, threads stop taking batches, which the thread that is late does not, and
/// begin again when all have ended. Throws what `answer` throws, else what the source throws: a batch that
/// was taken comes before what could not be read.
template <class Taken, class Answer>
void answer_each_batch(read_source& source, unsigned threads, std::size_t batch_bytes,
                       const classify_options& options, const Answer& answer_taken) {
  constexpr std::size_t most_waiting = 64;
  ordered_answers answers(options, most_waiting + threads);
  std::vector<Taken> taken(threads);
  first_failure of_batches;
  first_failure of_reading;
  std::atomic<bool> has_more{true};
  while (has_more) {
    workload::run_threads(threads, [&](unsigned number) {
      Taken& own = taken[number];
      do {
        if (!of_reading.watch([&] { return source.next(own.batch, batch_bytes); }) || !of_batches.watch([&] {
              answer_taken(number, own, answers);
              return true;
            })) {
          has_more = false;
          return;
        }
      } while (has_more && !answers.is_full());
    });
  }
  of_batches.rethrow();
  of_reading.rethrow();
}

}  // namespace perdure::kmer::detail
