// Puts the answers of batches into the order of their reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <perdure/kmer/classify_files.hpp>
#include <string>
#include <utility>

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

}  // namespace perdure::kmer::detail
