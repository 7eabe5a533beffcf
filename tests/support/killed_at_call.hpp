// Ends this process at a chosen call that changes what is on disk, as a kill at that moment would.
#pragma once

#include <unistd.h>

#include <atomic>

#include "os/file_observer.hpp"

namespace perdure {

/// For a forked child: while it lives, the process ends before the call of that number, with the status
/// `killed`.
class killed_at_call final : public os::file_observer {
 public:
  static constexpr int killed = 42;

  explicit killed_at_call(int number) : left_(number) { os::observe_files(this); }
  killed_at_call(const killed_at_call&) = delete;
  killed_at_call& operator=(const killed_at_call&) = delete;
  ~killed_at_call() override { os::observe_files(nullptr); }

  verdict before(const os::file_call& call) override {
    if (call.operation != os::file_operation::read && call.operation != os::file_operation::open &&
        left_.fetch_sub(1) == 0)
      ::_exit(killed);
    return {};
  }
  void after(const os::file_call&, std::int64_t, int) override {}

 private:
  std::atomic<int> left_;
};

}  // namespace perdure
