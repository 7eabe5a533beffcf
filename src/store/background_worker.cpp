#include "store/background_worker.hpp"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace perdure {

background_worker::~background_worker() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void background_worker::start(std::function<void()> task) {
  const std::scoped_lock lock(mutex_);
  if (!thread_.joinable()) {
    // The program's signal handlers must not run on a thread it does not know of.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { loop(); });
    } catch (...) {
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  failure_ = nullptr;
  task_ = std::move(task);
  changed_.notify_all();
}

std::exception_ptr background_worker::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !task_; });
  return failure_;
}

void background_worker::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return task_ || ending_; });
    if (!task_) return;
    std::exception_ptr failure;
    lock.unlock();
    try {
      task_();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    task_ = nullptr;
    failure_ = failure;
    changed_.notify_all();
  }
}

}  // namespace perdure
