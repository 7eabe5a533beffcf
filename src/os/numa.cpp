// Places pages on NUMA nodes, by system calls.
#include "os/numa.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace perdure::os {

namespace {

// The kernel reads one bit fewer than it is told.
unsigned long bits_of(std::span<const std::uint64_t> mask) noexcept {
  return mask.empty() ? 0 : mask.size() * 64 + 1;
}

}  // namespace

int place_memory(void* address, std::size_t bytes, mempolicy policy,
                 std::span<const std::uint64_t> mask) noexcept {
  const int saved = errno;
  const long result = ::syscall(SYS_mbind, address, bytes, static_cast<long>(policy),
                                mask.empty() ? nullptr : mask.data(), bits_of(mask), 0UL);
  const int failure = result == 0 ? 0 : errno;
  errno = saved;
  return failure;
}

bool knows_policy(mempolicy policy, std::span<const std::uint64_t> mask) noexcept {
  const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const page = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  const bool known = place_memory(page, bytes, policy, mask) == 0;
  ::munmap(page, bytes);
  return known;
}

unsigned current_node() noexcept {
  unsigned node = 0;
  return ::syscall(SYS_getcpu, nullptr, &node, nullptr) == 0 ? node : 0;
}

std::vector<int> nodes_of(std::span<void* const> addresses) {
  std::vector<int> nodes(addresses.size(), -ENOSYS);
  std::vector<void*> pages(addresses.begin(), addresses.end());
  const auto system_page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (void*& page : pages)
    page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(page) & ~(system_page - 1));
  if (::syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0)
    nodes.assign(addresses.size(), -errno);
  return nodes;
}

}  // namespace perdure::os
