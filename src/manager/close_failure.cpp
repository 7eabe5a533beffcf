// Tells of checkpoints that fail in the destructor of a manager, where nothing can be thrown.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "perdure/manager.hpp"

namespace perdure {

namespace {

std::atomic<close_failure_handler> installed{nullptr};
std::atomic<pid_t> lost_by{0};  // the process that has lost changes, which is not its forked children

// Flushes what a program prints with, as no handler that was registered earlier runs any more.
void end_as_failed() {
  if (lost_by.load() != ::getpid()) return;
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace

close_failure_handler set_close_failure_handler(close_failure_handler handler) noexcept {
  return installed.exchange(handler);
}

namespace detail {

void watch_exit() noexcept {
  [[maybe_unused]] static const bool is_watched = std::atexit(end_as_failed) == 0;
}

void report_close_failure(const std::filesystem::path& path, const char* what) noexcept {
  if (const close_failure_handler handler = installed.load(); handler != nullptr) return handler(path, what);
  lost_by = ::getpid();
  try {
    std::cerr << "perdure: changes to " << path.string() << " since its last checkpoint are lost: " << what
              << '\n';
  } catch (...) {
    // There is no one left to tell.
  }
}

}  // namespace detail

}  // namespace perdure
