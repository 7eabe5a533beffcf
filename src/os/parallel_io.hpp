// Transfers that wait for the device together, by the kernel's asynchronous I/O (io_submit).
//
// io_uring would do the same, but sandboxes and administrators often forbid it.
#pragma once

#include <linux/aio_abi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace perdure::os {

/// A transfer of whole blocks of a file that is open with O_DIRECT; others work too, one after the other.
struct transfer_request {
  int descriptor = -1;
  bool writes = false;
  void* memory = nullptr;
  std::size_t bytes = 0;
  std::uint64_t offset = 0;
  std::ptrdiff_t result = 0;  ///< bytes transferred, or -errno
};

/// For one thread at a time.
class parallel_io {
 public:
  parallel_io() = default;
  parallel_io(const parallel_io&) = delete;
  parallel_io& operator=(const parallel_io&) = delete;
  ~parallel_io();

  /// Returns when all are done. Where the kernel has no place for more asynchronous I/O, or an observer of
  /// files is in place, they are done one after the other. Async-signal-safe as far as the observer is.
  void run(std::span<transfer_request> requests) noexcept;

 private:
  static constexpr std::size_t most_at_once = 64;

  std::size_t start(std::span<transfer_request> requests) noexcept;
  void finish(std::span<transfer_request> requests, std::size_t started) noexcept;

  aio_context_t context_ = 0;
  bool is_to_be_had_ = true;
  std::array<iocb, most_at_once> calls_;
  std::array<iocb*, most_at_once> pointers_;
  std::array<io_event, most_at_once> events_;
};

}  // namespace perdure::os
