// Progress of a long piece of work, for another thread to read.
//
//     perdure::progress_record record;             // another thread calls record.now()
//     const perdure::progress_scope scope(record);
//     perdure::store_maintenance::copy(from, to);  // counts the bytes that it has copied
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace perdure {

/// Progress at one moment.
struct progress_state {
  std::uint64_t done = 0;       ///< amount that is done in this stage
  std::uint64_t total = 0;      ///< amount of this stage in all; 0: unknown
  std::string_view unit = {};   ///< "bytes", "edges" or another unit; empty: none that users know
  std::string_view stage = {};  ///< name of the work under way, such as "copying"; empty: none
  std::uint64_t round = 0;      ///< number of the iteration or level, from 1; 0: the stage has no rounds
};

/// Progress that the work of one thread, and of the threads that it starts, reports.
///
/// Thread safety: all members may be called by several threads at once.
class progress_record {
 public:
  progress_record() = default;
  progress_record(const progress_record&) = delete;
  progress_record& operator=(const progress_record&) = delete;

  /// Returns the progress now.
  progress_state now() const;
  /// Begins a stage of which nothing is done. Both texts must be literals: they are not copied.
  void begin_stage(const char* stage, std::uint64_t total = 0, const char* unit = "");
  /// Begins the next round of the stage of this name, or the first one. Both texts must be literals.
  void begin_round(const char* stage, std::uint64_t total = 0, const char* unit = "");
  /// Begins counting anew within the stage or the round.
  void begin_pass(std::uint64_t total);
  /// Adds to what is done.
  void add(std::uint64_t amount) noexcept { done_.fetch_add(amount, std::memory_order_relaxed); }

 private:
  mutable std::mutex mutex_;  // held while a stage begins
  progress_state begun_;      // without `done`
  std::atomic<std::uint64_t> done_{0};
};

/// While it lives, the work of this thread, and the work that it hands to other threads, reports to a record.
/// The record must outlive it.
///
/// Thread safety: made and destroyed by one thread.
class progress_scope {
 public:
  explicit progress_scope(progress_record& record) noexcept : progress_scope(&record) {}  ///< uses `record`
  /// Reports nowhere where `record` is null.
  explicit progress_scope(progress_record* record) noexcept;
  progress_scope(const progress_scope&) = delete;
  progress_scope& operator=(const progress_scope&) = delete;
  ~progress_scope();

 private:
  progress_record* before_;
};

/// Returns the record that the work of this thread reports to; null: none.
progress_record* current_progress() noexcept;
/// Begins a stage of this thread's work, see `progress_record::begin_stage`. Without a record it does
/// nothing.
void begin_progress_stage(const char* stage, std::uint64_t total = 0, const char* unit = "");
/// Begins the next round of this thread's work, see `progress_record::begin_round`. Without a record it does
/// nothing.
void begin_progress_round(const char* stage, std::uint64_t total = 0, const char* unit = "");
/// Adds to what is done of this thread's stage. Without a record it does nothing.
void add_progress(std::uint64_t amount) noexcept;

}  // namespace perdure
