#include "os/parallel_io.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/file.hpp"
#include "os/file_observer.hpp"

namespace perdure::os {

namespace {

void run_one(transfer_request& request) noexcept {
  const std::ptrdiff_t done =
      request.writes ? write_once(request.descriptor, request.memory, request.bytes, request.offset)
                     : read_once(request.descriptor, request.memory, request.bytes, request.offset);
  request.result = done < 0 ? -errno : done;
}

}  // namespace

parallel_io::~parallel_io() {
  if (context_ != 0) ::syscall(SYS_io_destroy, context_);
}

void parallel_io::run(std::span<transfer_request> requests) noexcept {
  if (requests.size() > 1 && context_ == 0 && is_to_be_had_ && !files_are_observed())
    is_to_be_had_ = ::syscall(SYS_io_setup, most_at_once, &context_) == 0;
  while (!requests.empty()) {
    std::size_t started = 0;
    if (requests.size() > 1 && context_ != 0 && !files_are_observed()) {
      started = start(requests);
      finish(requests, started);
    }
    if (started == 0) run_one(requests.front());
    requests = requests.subspan(std::max<std::size_t>(started, 1));
  }
}

std::size_t parallel_io::start(std::span<transfer_request> requests) noexcept {
  const std::size_t wanted = std::min(requests.size(), most_at_once);
  for (std::size_t i = 0; i < wanted; ++i) {
    const transfer_request& request = requests[i];
    iocb& call = calls_[i] = {};
    call.aio_data = i;
    call.aio_lio_opcode = request.writes ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
    call.aio_fildes = static_cast<std::uint32_t>(request.descriptor);
    call.aio_buf = reinterpret_cast<std::uintptr_t>(request.memory);
    call.aio_nbytes = request.bytes;
    call.aio_offset = static_cast<std::int64_t>(request.offset);
    pointers_[i] = &call;
  }
  const long started = ::syscall(SYS_io_submit, context_, static_cast<long>(wanted), pointers_.data());
  return started < 0 ? 0 : static_cast<std::size_t>(started);
}

void parallel_io::finish(std::span<transfer_request> requests, std::size_t started) noexcept {
  while (started != 0) {
    const long done = ::syscall(SYS_io_getevents, context_, static_cast<long>(started),
                                static_cast<long>(started), events_.data(), nullptr);
    // Interrupted: the transfers go on, and their memory must not go before they are done.
    if (done <= 0) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(done); ++i)
      requests[events_[i].data].result = static_cast<std::ptrdiff_t>(events_[i].res);
    started -= static_cast<std::size_t>(done);
  }
}

}  // namespace perdure::os
