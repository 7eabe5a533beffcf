// Threads that read pages ahead of those that touch them.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "os/mapping.hpp"
#include "pager/page_loader.hpp"
#include "pager/pending_reads.hpp"
#include "pager/region_pages.hpp"

namespace perdure::pager::detail {

class background_readers {
 public:
  /// Up to `wanted` threads, at most four. Throws std::system_error.
  background_readers(region_pages& pages, page_loader& loader, std::size_t wanted);
  background_readers(const background_readers&) = delete;
  background_readers& operator=(const background_readers&) = delete;

  /// Signals must be blocked: the threads run no handlers of the program. Fewer threads, or none, are started
  /// if the system refuses them.
  void start() noexcept;
  /// To be called before it is destroyed, in the process that started it; waits for the threads to end.
  void stop() noexcept;

  bool are_there() const noexcept { return count_ != 0; }

  /// False if the threads have too much to do already. Signals must be blocked; async-signal-safe.
  bool post(page_span wanted) noexcept { return pending_.post(wanted); }

 private:
  static constexpr std::size_t most = 4;

  static void* run(void* self) noexcept;
  void read_all_posted() noexcept;

  region_pages& pages_;
  page_loader& loader_;
  pending_reads pending_;
  // Several: some install what they have read while the device works on what others asked it for.
  std::array<pthread_t, most> threads_{};
  std::size_t count_ = 0;
  const std::size_t wanted_;
  os::reservation memory_;  // of the threads' buffers
  std::atomic<std::size_t> buffers_taken_{0};
};

}  // namespace perdure::pager::detail
