// Waiting for the other ranks of a program.
#pragma once

#include <algorithm>
#include <chrono>
#include <perdure/error.hpp>
#include <string>
#include <thread>

namespace perdure::detail {

/// How often something is asked for that others do.
struct asking_pace {
  std::chrono::microseconds eager{0};       ///< so long only other threads come between, if any want to run
  std::chrono::microseconds longest{1000};  ///< and then pauses that grow up to this
};

/// Asks `is_done` until it is true, often at first and then less and less often. Returns false once `timeout`
/// is over. What `is_done` throws is passed on.
template <class IsDone>
bool wait_until_done(IsDone&& is_done, std::chrono::milliseconds timeout, const asking_pace& pace = {}) {
  const auto start = std::chrono::steady_clock::now();
  std::chrono::microseconds pause(0);
  for (int asked = 0;; ++asked) {
    if (is_done()) return true;
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > timeout) return false;
    if (asked < 50 || waited < pace.eager) {
      std::this_thread::yield();
    } else {
      pause = pause.count() == 0 ? std::chrono::microseconds(10) : std::min(2 * pause, pace.longest);
      std::this_thread::sleep_for(pause);
    }
  }
}

/// Throws `timed_out`: the other ranks did not come to the call that this rank is in.
[[noreturn]] inline void throw_waited_in_vain(int rank, std::chrono::milliseconds timeout) {
  throw error(
      errc::timed_out,
      "rank " + std::to_string(rank) + " has waited " + std::to_string(timeout.count()) +
          " ms for other ranks, which do not make the call that this one is in: one of them hangs, or "
          "has ended. End the program (MPI_Abort), and run it again");
}

}  // namespace perdure::detail
