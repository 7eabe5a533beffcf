// A line on the terminal with the progress of a long command.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <perdure/workload/progress.hpp>
#include <string>
#include <thread>

#include "units.hpp"

namespace perdure::cli {

/// Shows stage, share done, rate and time left on the standard error stream, a few times a second, from a
/// thread of its own. Work in rounds, and work of unknown length, has the time so far instead of the time
/// left. Bytes are shown as a size. Each stage has a rate and a time left of its own.
///
/// Shows nothing if that stream is not a terminal, or after `hide_progress`. The line is erased when the
/// object is destroyed. Of several objects only the newest shows its line.
class progress_line {
 public:
  /// `read` is called from the other thread, and so is `amounts`, with the time so far in seconds. `amounts`
  /// returns what to show instead of what `read` has done and its rate. Nothing is shown before `delay`.
  progress_line(std::string label, std::function<workload::progress()> read,
                std::function<std::string(double seconds)> amounts = {},
                std::chrono::milliseconds delay = std::chrono::milliseconds(250));
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line();

  /// Ends the thread, for a process that forks, and starts it again.
  void stop();
  void start();

 private:
  std::string text();

  std::string label_;
  std::function<workload::progress()> read_;
  std::function<std::string(double)> amounts_;
  std::chrono::milliseconds delay_;
  progress_line* below_;
  stopwatch watch_;
  std::string stage_;  // of what was shown last, with its unit and its round
  double began_ = 0;   // when the first of that stage was under way, in seconds
  double shown_ = 0;   // when something was shown last
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

/// Shows what the work of this thread reports to its `progress_record`: of a whole command, by its name.
class command_progress {
 public:
  explicit command_progress(const std::string& command);

 private:
  progress_record record_;
  progress_scope scope_{record_};
  progress_line line_;
};

/// Shows no progress from now on: for programs that read JSON, and for ranks that do not print.
void hide_progress() noexcept;

/// Hides progress if standard output is a terminal, where lines would mix.
void end_progress_before_output();

/// Erases the line if one is shown. May be called by signal handlers.
void erase_progress() noexcept;

/// While it lives no line is drawn, and the last one is erased: for messages to the same terminal.
class progress_pause {
 public:
  progress_pause();

 private:
  std::scoped_lock<std::mutex> lock_;
};

/// Ends the thread that shows progress, before a process forks, and starts it again.
void stop_progress();
void start_progress();

}  // namespace perdure::cli
