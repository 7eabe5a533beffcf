// Transfers that wait for the device together, by io_submit(2).
#include "os/parallel_io.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <optional>

#include "base/file_size_limit.hpp"
#include "base/owner_process.hpp"
#include "os/file.hpp"
#include "os/file_observer.hpp"

namespace perdure::os {

namespace {

// Contexts that no scratch uses now. The kernel takes tens of milliseconds to destroy a context (it waits for
// grace periods of RCU), which would be most of the time that closing a paged store takes. Lock-free, as
// signal handlers take contexts.
class idle_contexts {
 public:
  aio_context_t take() noexcept {
    // A forked child has the numbers of contexts that only its parent can use.
    if (const base::owner_process self; owner_.exchange(self) != self)
      for (std::atomic<aio_context_t>& place : places_) place = 0;
    for (std::atomic<aio_context_t>& place : places_)
      if (const aio_context_t found = place.exchange(0); found != 0) return found;
    return 0;
  }

  bool keep(aio_context_t context) noexcept {
    if (!owner_.load().is_here()) return false;
    for (std::atomic<aio_context_t>& place : places_) {
      aio_context_t none = 0;
      if (place.compare_exchange_strong(none, context)) return true;
    }
    return false;
  }

 private:
  std::atomic<base::owner_process> owner_{base::owner_process::nobody()};
  std::array<std::atomic<aio_context_t>, 16> places_{};
};

constinit idle_contexts idle;

}  // namespace

parallel_io::~parallel_io() {
  if (context_ != 0 && !idle.keep(context_)) ::syscall(SYS_io_destroy, context_);
}

void parallel_io::prepare(std::size_t requests) noexcept {
  if (requests <= 1 || context_ != 0 || !is_to_be_had_ || files_are_observed()) return;
  context_ = idle.take();
  if (context_ == 0) is_to_be_had_ = ::syscall(SYS_io_setup, most_at_once, &context_) == 0;
}

void parallel_io::run_one(transfer_request& request) noexcept {
  const std::ptrdiff_t done =
      request.writes ? write_once(request.descriptor, request.memory, request.bytes, request.offset)
                     : read_once(request.descriptor, request.memory, request.bytes, request.offset);
  request.result = done < 0 ? -errno : done;
}

// Starts some of the requests from `next` on, and returns how many. None if the kernel has no place, or if
// there is a single one, which is as well done at once.
std::size_t parallel_io::start(std::span<transfer_request> requests, std::size_t next,
                               std::size_t most) noexcept {
  const std::size_t wanted = std::min(requests.size() - next, most);
  if (wanted == 0 || requests.size() == 1 || context_ == 0 || files_are_observed()) return 0;
  std::optional<std::uint64_t> furthest_write;
  for (const transfer_request& request : requests.subspan(next, wanted))
    if (request.writes) furthest_write = std::max(furthest_write.value_or(0), request.offset);
  // If the limit on file sizes refuses one of them they are made one by one, so that each gets its own error.
  if (furthest_write && base::is_beyond_file_size_limit(*furthest_write)) return 0;
  for (std::size_t i = 0; i < wanted; ++i) {
    const transfer_request& request = requests[next + i];
    iocb& call = calls_[i] = {};
    call.aio_data = next + i;
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

// Waits for some of the transfers under way. Returns none if it was interrupted: the transfers go on, and
// their memory must stay until they are done.
std::span<const io_event> parallel_io::finish(std::size_t least, std::size_t most) noexcept {
  const long done = ::syscall(SYS_io_getevents, context_, static_cast<long>(least), static_cast<long>(most),
                              events_.data(), nullptr);
  return {events_.data(), done < 0 ? 0 : static_cast<std::size_t>(done)};
}

}  // namespace perdure::os
