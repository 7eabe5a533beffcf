// Reading /proc/self/pagemap, whose flags any process may read of itself.
#include "os/private_copies.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "os/system_error.hpp"

namespace perdure::os {

file open_pagemap() {
  file pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), "/proc/self/pagemap");
  if (!pagemap) throw_errno("open", "/proc/self/pagemap");
  return pagemap;
}

void read_pagemap(const file& pagemap, std::uint64_t first_page, std::vector<std::uint64_t>& entries) {
  const std::size_t bytes = entries.size() * sizeof(std::uint64_t);
  if (pagemap.read_at(entries.data(), bytes, first_page * sizeof(std::uint64_t)) != bytes)
    throw_errno("read", "/proc/self/pagemap", EIO);
}

}  // namespace perdure::os
