// A line on the terminal that says how far a long command has got.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <perdure/workload/progress.hpp>
#include <string>
#include <thread>

#include "units.hpp"

namespace perdure::cli {

/// Shows share done, rate and time left on the standard error stream, a few times a second, from a thread
/// of its own; nothing at all where that stream is not a terminal. Gone when the object is. Bytes are shown
/// as a size. Work in stages has a unit for each, and rate and time left are those of the stage.
class progress_line {
 public:
  /// `read` is called from the other thread, and so is `amounts`, with the time so far in seconds. It returns
  /// what to show instead of what `read` has done and its rate.
  progress_line(std::string label, std::function<workload::progress()> read,
                std::function<std::string(double seconds)> amounts = {});
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line();

 private:
  void show();

  std::string label_;
  std::function<workload::progress()> read_;
  std::function<std::string(double)> amounts_;
  stopwatch watch_;
  std::string unit_;  // of what was shown last
  double began_ = 0;  // when the first of that unit was under way, in seconds
  double shown_ = 0;  // when something was shown last
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace perdure::cli
