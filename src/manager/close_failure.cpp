// Tells of changes that are lost where nothing can be thrown: a checkpoint fails in the destructor of a
// manager, or the program ends with a store open.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <vector>

#include "manager/manager_state.hpp"
#include "perdure/manager.hpp"

namespace perdure {

namespace {

std::atomic<close_failure_handler> installed{nullptr};
std::atomic<pid_t> lost_by{0};  // the process that has lost changes, which is not its forked children

// Never destroyed, as managers may be while the program ends.
struct open_writers {
  std::mutex mutex;
  std::vector<const detail::open_writer*> all;

  static open_writers& of_this_process() {
    static auto& them = *new open_writers;
    return them;
  }
  void report_all() noexcept {
    // Another thread may still be at work; in a forked child, one that does not exist there.
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return;
    for (const detail::open_writer* one : all)
      if (one->is_of_this_process())
        detail::report_close_failure(one->path(),
                                     "the program ended by exit() with the store open for writing; close it "
                                     "or discard its changes before");
  }
};

// Flushes what a program prints with, as no handler that was registered earlier runs any more.
void end_as_failed() {
  open_writers::of_this_process().report_all();
  if (lost_by.load() != ::getpid()) return;
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  std::_Exit(EXIT_FAILURE);
}

// Before the program's own objects are made, so that it runs after their destructors, which may close stores.
// (To register it when the first store is opened would be too late for a global that was made empty.)
[[gnu::constructor(101)]] void watch_exit() {
  static_cast<void>(std::atexit(end_as_failed));
}

}  // namespace

close_failure_handler set_close_failure_handler(close_failure_handler handler) noexcept {
  return installed.exchange(handler);
}

namespace detail {

open_writer::open_writer(std::string path) : path_(std::move(path)) {
  open_writers& them = open_writers::of_this_process();
  const std::scoped_lock lock(them.mutex);
  them.all.push_back(this);
}

open_writer::~open_writer() {
  // A forked child leaves the list as it is: it may be locked, and all of it is its parent's.
  if (!is_of_this_process()) return;
  open_writers& them = open_writers::of_this_process();
  const std::scoped_lock lock(them.mutex);
  std::erase(them.all, this);
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
