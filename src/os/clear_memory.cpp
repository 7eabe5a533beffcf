// Fills memory with zeros, by giving its pages back where that is cheaper.
#include "os/clear_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace perdure::os {

void clear_anonymous(void* address, std::size_t bytes, std::size_t least_given_back) noexcept {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto* const begin = static_cast<std::byte*>(address);
  if (bytes >= std::max(least_given_back, page)) {
    const std::size_t head = (page - reinterpret_cast<std::uintptr_t>(address) % page) % page;
    const std::size_t whole = (bytes - head) / page * page;
    const int saved = errno;
    const bool given_back = ::madvise(begin + head, whole, MADV_DONTNEED) == 0;  // not if it is locked
    errno = saved;
    if (given_back) {
      std::memset(begin, 0, head);
      std::memset(begin + head + whole, 0, bytes - head - whole);
      return;
    }
  }
  std::memset(begin, 0, bytes);
}

}  // namespace perdure::os
