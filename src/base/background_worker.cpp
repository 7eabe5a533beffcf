// A thread that runs tasks beside its owner, one after the other.
#include "base/background_worker.hpp"

#include <signal.h>

#include <exception>
#include <utility>

#include "base/signals_blocked.hpp"

namespace perdure::base {

namespace {

/// Signals that a thread gets for its own touches of memory. By them pages of stores are brought in and
/// tracked.
constexpr kernel_signals memory_signals =
    (kernel_signals{1} << (SIGBUS - 1)) | (kernel_signals{1} << (SIGSEGV - 1));

}  // namespace

background_worker::~background_worker() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void background_worker::post(std::function<void()> task) {
  {
    const std::scoped_lock lock(mutex_);
    if (!thread_.joinable()) start_thread();
    if (thread_.joinable()) {
      tasks_.push_back(std::move(task));
      changed_.notify_all();
      return;
    }
  }
  task();
}

void background_worker::start_thread() {
  // The program's signal handlers must not run on a thread it does not know of.
  const base::signals_blocked blocked;
  try {
    thread_ = std::thread([this] { loop(); });
  } catch (const std::exception&) {
    // The system refuses a thread, or memory for one. The caller sees that there is none.
  }
}

void background_worker::wait() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.wait(lock, [this] { return tasks_.empty(); });
  --waiting_;
}

bool background_worker::is_idle() {
  const std::scoped_lock lock(mutex_);
  return tasks_.empty();
}

bool background_worker::is_awaited() {
  const std::scoped_lock lock(mutex_);
  return waiting_ != 0 || ending_ || tasks_.size() > 1;
}

void background_worker::loop() {
  block_only(all_signals & ~memory_signals);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !tasks_.empty() || ending_; });
    if (tasks_.empty()) return;
    // A deque's elements stay where they are while others are added behind.
    const std::function<void()>& task = tasks_.front();
    lock.unlock();
    task();
    lock.lock();
    tasks_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace perdure::base
