// Transfers that wait for the device together, by the kernel's asynchronous I/O (io_submit).
//
// io_uring would do the same, but sandboxes and administrators often forbid it.
#pragma once

#include <linux/aio_abi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace perdure::os {

/// A transfer of whole blocks of a file that is open with O_DIRECT; other transfers work too, but one after
/// the other.
struct transfer_request {
  int descriptor = -1;
  bool writes = false;
  void* memory = nullptr;
  std::size_t bytes = 0;
  std::uint64_t offset = 0;
  std::ptrdiff_t result = 0;  ///< bytes transferred, or -errno
  std::size_t tag = 0;        ///< for the caller's own use
};

/// For one thread at a time.
class parallel_io {
 public:
  parallel_io() = default;
  parallel_io(const parallel_io&) = delete;
  parallel_io& operator=(const parallel_io&) = delete;
  ~parallel_io();

  /// Makes all transfers, calls `done(request)` after each, in any order, and returns after the last. Where
  /// the kernel has no place for more asynchronous I/O, or an observer of files is in place, they are made
  /// one after the other. Async-signal-safe as far as the observer and `done` are.
  template <class Done>
  void run(std::span<transfer_request> requests, Done&& done) noexcept {
    prepare(requests.size());
    std::size_t next = 0;
    std::size_t under_way = 0;
    while (next != requests.size() || under_way != 0) {
      const std::size_t started = start(requests, next, most_at_once - under_way);
      next += started;
      under_way += started;
      if (under_way == 0) {
        run_one(requests[next]);
        done(requests[next++]);
        continue;
      }
      // A few at a time, so that the caller can work with those that are done beside the others.
      for (const io_event& event : finish(std::max<std::size_t>(under_way / 4, 1), under_way)) {
        transfer_request& request = requests[event.data];
        request.result = static_cast<std::ptrdiff_t>(event.res);
        --under_way;
        done(request);
      }
    }
  }

 private:
  static constexpr std::size_t most_at_once = 128;

  void prepare(std::size_t requests) noexcept;
  static void run_one(transfer_request& request) noexcept;
  std::size_t start(std::span<transfer_request> requests, std::size_t next, std::size_t most) noexcept;
  std::span<const io_event> finish(std::size_t least, std::size_t most) noexcept;

  aio_context_t context_ = 0;
  bool is_to_be_had_ = true;
  std::array<iocb, most_at_once> calls_;
  std::array<iocb*, most_at_once> pointers_;
  std::array<io_event, most_at_once> events_;
};

}  // namespace perdure::os
