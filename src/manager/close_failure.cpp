// Tells of changes that are lost where nothing can be thrown: a checkpoint fails in the destructor of a
// manager, or the program ends with a store open.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "manager/manager_state.hpp"
#include "perdure/manager.hpp"

extern "C" {
/// Flushes a unit of a Fortran program, or all with numbers from 0 on for null; does nothing for one that is
/// not open. Of gfortran's library, where a program has it.
[[gnu::weak]] void flush_fortran_unit(const std::int32_t* unit) __asm__("_gfortran_flush_i4");
}

namespace perdure {

namespace {

std::atomic<close_failure_handler> installed{nullptr};
std::atomic<base::owner_process> lost_by{base::owner_process::nobody()};  // the process that has lost changes

// The stores that this process has open for writing. Never destroyed, as managers may be while the program
// ends. A forked child begins anew: its parent's list may be locked, by a thread that does not exist there.
class open_writers {
 public:
  static open_writers& of_this_process() {
    static constinit std::atomic<open_writers*> current{nullptr};
    open_writers* seen = current.load();
    while (seen == nullptr || !seen->owner_.is_here()) {
      auto made = std::make_unique<open_writers>(seen);
      if (current.compare_exchange_strong(seen, made.get())) return *made.release();
    }
    return *seen;
  }

  explicit open_writers(const open_writers* of_parent) noexcept : of_parent_(of_parent) {}

  void add(const detail::open_writer* one, const std::string& path) {
    const std::scoped_lock lock(mutex_);
    all_.push_back({one, path});
  }
  void remove(const detail::open_writer* one) noexcept {
    const std::scoped_lock lock(mutex_);
    std::erase_if(all_, [one](const entry& each) { return each.of == one; });
  }
  void report_all() {
    std::vector<entry> found;
    {
      const std::scoped_lock lock(mutex_);
      found = all_;  // a handler may close stores
    }
    for (const entry& one : found)
      detail::report_close_failure(one.path,
                                   "the program ended by exit() with the store open for writing; close it or "
                                   "discard its changes before");
  }

 private:
  struct entry {
    const detail::open_writer* of;
    std::string path;
  };

  base::owner_process owner_;
  [[maybe_unused]] const open_writers* of_parent_;  // kept, so that it does not look lost
  std::mutex mutex_;
  std::vector<entry> all_;
};

void flush_fortran_units() {
  if (flush_fortran_unit == nullptr) return;
  flush_fortran_unit(nullptr);
  // Files opened by NEWUNIT= have numbers from -10 downwards.
  constexpr std::int32_t first = -10;
  constexpr std::int32_t most = 1000;
  for (std::int32_t unit = first; unit > first - most; --unit) flush_fortran_unit(&unit);
}

// Flushes what a program prints with, as no handler that was registered earlier runs any more.
void end_as_failed() {
  open_writers::of_this_process().report_all();
  if (!lost_by.load().is_here()) return;
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  flush_fortran_units();
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

open_writer::open_writer(const std::string& path) {
  open_writers::of_this_process().add(this, path);
}

open_writer::~open_writer() {
  if (owner_.is_here()) open_writers::of_this_process().remove(this);
}

void report_close_failure(const std::filesystem::path& path, const char* what) noexcept {
  if (const close_failure_handler handler = installed.load(); handler != nullptr) return handler(path, what);
  lost_by = base::owner_process();
  try {
    std::cerr << "perdure: changes to " << path.string() << " since its last checkpoint are lost: " << what
              << '\n';
  } catch (...) {
    // There is no one left to tell.
  }
}

}  // namespace detail

}  // namespace perdure
