// A decorator that writes a line for each call.
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/file_size_limit.hpp"
#include "perdure/kind_decorator.hpp"

namespace perdure {

address_logger::address_logger(const std::filesystem::path& file)
    : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (file_ < 0) throw error(errc::io, file.string() + ": cannot be opened: " + std::strerror(errno));
}

address_logger::~address_logger() {
  ::close(file_);
}

void address_logger::after(const kind_call& call) noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  char line[320];
  const int length = std::snprintf(
      line, sizeof line,
      "%lld.%09ld %ld %.64s %s count=%zu bytes=%zu alignment=%zu block=%p result=%p usable=%zu%s\n",
      static_cast<long long>(now.tv_sec), now.tv_nsec, ::syscall(SYS_gettid), call.memory.name().c_str(),
      to_string(call.operation).data(), call.count, call.bytes, call.alignment, call.block, call.result,
      call.result_bytes, call.refused ? " refused" : "");
  // One write for each line, so that lines of several threads do not mix. On a full disk lines are lost, and
  // the program goes on.
  if (length > 0 && !base::is_at_file_size_limit(file_)) {
    const auto ignored = ::write(file_, line, static_cast<std::size_t>(length));
    static_cast<void>(ignored);
  }
}

}  // namespace perdure
