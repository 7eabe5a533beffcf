// Drawing from an edge source with many threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <perdure/error.hpp>
#include <perdure/graph/edge_source.hpp>
#include <perdure/workload/line_reader.hpp>
#include <perdure/workload/parallel.hpp>

namespace perdure::graph::detail {

/// The error that is first in the input, if several threads met errors in a source.
class first_source_error {
 public:
  /// In a handler of `e`.
  void note(const error& e) {
    const auto* const located = dynamic_cast<const workload::line_error*>(&e);
    const std::lock_guard lock(mutex_);
    const std::uint64_t line =
        located != nullptr ? located->line() : std::numeric_limits<std::uint64_t>::max() - 1;
    if (line >= line_) return;
    line_ = line;
    error_ = std::current_exception();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
  std::uint64_t line_ = std::numeric_limits<std::uint64_t>::max();
};

/// Each thread makes itself a taker by `make_taker()` and gives it batches, by `take(batch)`, until the
/// source is at its end or about `most_edges` were drawn in all; then `finish()`, also where the source has
/// thrown. Whether the source is at its end. Throws the error of the source that stands first in the input;
/// before that, and with the rest undone, anything else that the source or a taker throws.
template <class MakeTaker>
bool draw_batches(edge_source& source, unsigned threads, std::uint64_t most_edges, MakeTaker make_taker) {
  first_source_error source_error;
  std::atomic<std::uint64_t> drawn{0};
  std::atomic<bool> exhausted{false};
  std::atomic<bool> failed{false};
  workload::run_threads(threads, [&](unsigned) {
    auto taker = make_taker();
    edge_batch batch;
    try {
      while (drawn.load(std::memory_order_relaxed) < most_edges && !failed.load(std::memory_order_relaxed)) {
        try {
          if (!source.next(batch)) {
            exhausted.store(true, std::memory_order_relaxed);
            break;
          }
        } catch (const error& e) {
          source_error.note(e);
          break;
        }
        drawn.fetch_add(batch.edges.size(), std::memory_order_relaxed);
        taker.take(batch);
      }
      taker.finish();
    } catch (...) {
      failed.store(true, std::memory_order_relaxed);
      throw;
    }
  });
  source_error.rethrow();
  return exhausted.load(std::memory_order_relaxed);
}

}  // namespace perdure::graph::detail
