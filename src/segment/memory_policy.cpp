// Maps memory as a policy says: nodes, page sizes, a file.
#include "perdure/memory_policy.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <perdure/error.hpp>
#include <span>
#include <system_error>

#include "os/mapping.hpp"
#include "os/memory_limits.hpp"
#include "os/numa.hpp"
#include "segment/growth.hpp"

namespace perdure {

namespace {

constexpr int ordinary_flags = MAP_PRIVATE | MAP_ANONYMOUS;
constexpr int ordinary_protection = PROT_READ | PROT_WRITE;

os::mempolicy mempolicy_of(const numa_placement& wanted) noexcept {
  switch (wanted.mode) {
    case numa_mode::none:
      return os::mempolicy::standard;
    case numa_mode::bind:
      return os::mempolicy::bind;
    case numa_mode::preferred:
      return wanted.nodes.count() == 1 ? os::mempolicy::preferred : os::mempolicy::preferred_many;
    case numa_mode::interleave:
      return os::mempolicy::interleave;
    case numa_mode::weighted_interleave:
      return os::mempolicy::weighted_interleave;
    case numa_mode::local:
      return os::mempolicy::local;
  }
  return os::mempolicy::standard;
}

void place(void* address, std::size_t bytes, const numa_placement& wanted) {
  if (wanted.mode == numa_mode::none) return;
  const std::span<const std::uint64_t> nodes =
      wanted.mode == numa_mode::local ? std::span<const std::uint64_t>() : wanted.nodes.words();
  int failure = os::place_memory(address, bytes, mempolicy_of(wanted), nodes);
  // Before Linux 5.15 there is one preferred node, the lowest of the mask.
  if (failure == EINVAL && wanted.mode == numa_mode::preferred)
    failure = os::place_memory(address, bytes, os::mempolicy::preferred, nodes);
  // A kernel without NUMA has one node, and all memory is on it.
  if (failure == ENOSYS && wanted.nodes.count() <= 1) return;
  if (failure != 0) throw std::system_error(failure, std::generic_category(), "mbind");
}

}  // namespace

void* memory_policy::address_hint(std::size_t) {
  return nullptr;
}
std::size_t memory_policy::granularity() const {
  return detail::size_step;
}
std::size_t memory_policy::step(std::size_t missing, std::size_t committed) {
  return populates() ? missing : detail::growth_step(committed);
}
int memory_policy::protection(std::uint64_t, std::size_t) {
  return ordinary_protection;
}
int memory_policy::map_flags(std::uint64_t offset, std::size_t bytes) {
  return file(offset, bytes).descriptor < 0 ? ordinary_flags : MAP_SHARED;
}
file_place memory_policy::file(std::uint64_t, std::size_t) {
  return {};
}
numa_placement memory_policy::placement(std::uint64_t, std::size_t) {
  return {};
}
void memory_policy::advise(void*, std::size_t) {}
bool memory_policy::populates() const {
  return false;
}
bool memory_policy::drops_to_zero() const {
  return false;
}
bool memory_policy::is_private() const {
  return true;
}

void memory_policy::prepare(std::uint64_t, std::size_t) {}

void memory_policy::forget(std::uint64_t offset, std::size_t bytes) noexcept {
  try {
    // A file system that cannot punch holes keeps the space.
    const file_place backing = file(offset, bytes);
    if (backing.descriptor >= 0)
      static_cast<void>(::fallocate(backing.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                    static_cast<off_t>(backing.offset), static_cast<off_t>(bytes)));
  } catch (...) {  // no file, nothing to give back
  }
}

std::optional<int> memory_policy::map_flags_otherwise(std::uint64_t, std::size_t) {
  return std::nullopt;
}

void memory_policy::commit(void* address, std::size_t bytes, std::uint64_t offset) {
  prepare(offset, bytes);
  map_pages(address, bytes, offset, populates());
}

void memory_policy::map_pages(void* address, std::size_t bytes, std::uint64_t offset, bool take) {
  const auto map = [&](int flags) {
    const int allowed = protection(offset, bytes);
    const file_place backing = file(offset, bytes);
    try {
      // Ordinary memory is what the range was reserved with: opening it leaves one mapping, not many.
      if (flags == ordinary_flags && allowed == ordinary_protection)
        os::protect(address, bytes, os::access::read_write);
      else
        os::map_as(address, bytes, allowed, flags, backing.descriptor, backing.offset);
      place(address, bytes, placement(offset, bytes));
      advise(address, bytes);
      // Pages of a pool are only certain once they are taken.
      if (take || (flags & MAP_HUGETLB) != 0) os::populate(address, bytes, allowed);
    } catch (const std::exception&) {
      os::map_anonymous(address, bytes, os::access::none);
      throw std::bad_alloc();
    }
  };
  try {
    try {
      map(map_flags(offset, bytes));
    } catch (const std::bad_alloc&) {
      const std::optional<int> otherwise = map_flags_otherwise(offset, bytes);
      if (!otherwise) throw;
      map(*otherwise);
    }
  } catch (...) {
    forget(offset, bytes);
    throw;
  }
}

bool memory_policy::decommit(void* address, std::size_t bytes, std::uint64_t offset) noexcept {
  try {
    if (!populates() && map_flags(offset, bytes) == ordinary_flags) {
      os::drop_pages(address, bytes);
      return false;
    }
    os::map_anonymous(address, bytes, os::access::none);
  } catch (...) {
    return false;
  }
  forget(offset, bytes);
  return true;
}

memory_size memory_policy::size() const {
  return {os::usable_memory(), os::available_memory()};
}

}  // namespace perdure
