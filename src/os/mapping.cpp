// Reserves address space, and maps memory and files into it.
#include "os/mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/page_size.hpp"
#include "os/system_error.hpp"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace perdure::os {

namespace {

int protection_bits(access allowed) noexcept {
  switch (allowed) {
    case access::none:
      return PROT_NONE;
    case access::read:
      return PROT_READ;
    case access::read_write:
      return PROT_READ | PROT_WRITE;
  }
  return PROT_NONE;
}

constexpr int reserve_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

bool is_limited(__rlimit_resource_t what) noexcept {
  rlimit limit{};
  return ::getrlimit(what, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// Whether the kernel counts private writable memory against a limit (vm.overcommit_memory is 2). Reserved
// ranges count then too, once they are opened.
bool counts_commitments() noexcept {
  const int file = ::open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
  char mode = '0';
  const bool is_read = file >= 0 && ::read(file, &mode, 1) == 1;
  if (file >= 0) ::close(file);
  return is_read && mode == '2';
}

std::string describe(const void* address, std::size_t bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%zu bytes at %p", bytes, address);
  return text;
}

void map_file(void* address, std::size_t bytes, int file, std::uint64_t offset, access allowed, int sharing) {
  if (bytes == 0) return;
  if (!try_map_as(address, bytes, protection_bits(allowed), sharing, file, offset))
    throw_errno("mmap file,", describe(address, bytes));
}

}  // namespace

reservation::reservation(std::size_t bytes, std::size_t alignment) {
  if (bytes + alignment < bytes) throw_errno("reserve", describe(nullptr, bytes), ENOMEM);
  void* raw = ::mmap(nullptr, bytes + alignment, PROT_NONE, reserve_flags, -1, 0);
  if (raw == MAP_FAILED) throw_errno("reserve", describe(nullptr, bytes));
  const auto start = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (start + alignment - 1) & ~(alignment - 1);
  const std::size_t before = aligned - start;
  const std::size_t after = alignment - before;
  if (before != 0) ::munmap(raw, before);
  if (after != 0) ::munmap(reinterpret_cast<void*>(aligned + bytes), after);
  base_ = reinterpret_cast<std::byte*>(aligned);
  size_ = bytes;
}

reservation::reservation(void* address, std::size_t bytes) {
  void* raw = ::mmap(address, bytes, PROT_NONE, reserve_flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (raw == MAP_FAILED) throw_errno("reserve", describe(address, bytes));
  if (raw != address) {
    // Kernels before 4.17 take MAP_FIXED_NOREPLACE for a hint and map elsewhere.
    ::munmap(raw, bytes);
    throw_errno("reserve", describe(address, bytes), EEXIST);
  }
  base_ = static_cast<std::byte*>(raw);
  size_ = bytes;
}

reservation::reservation(reservation&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}

reservation& reservation::operator=(reservation&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  return *this;
}

reservation::~reservation() {
  if (base_ != nullptr) ::munmap(base_, size_);
}

void protect(void* address, std::size_t bytes, access allowed) {
  if (!try_protect(address, bytes, allowed)) throw_errno("mprotect", describe(address, bytes));
}

bool try_protect(void* address, std::size_t bytes, access allowed) noexcept {
  return bytes == 0 || ::mprotect(address, bytes, protection_bits(allowed)) == 0;
}

void map_anonymous(void* address, std::size_t bytes, access allowed) {
  if (bytes == 0) return;
  map_as(address, bytes, protection_bits(allowed), reserve_flags, -1, 0);
}

void map_private(void* address, std::size_t bytes, int file, std::uint64_t offset, access allowed) {
  map_file(address, bytes, file, offset, allowed, MAP_PRIVATE | MAP_NORESERVE);
}

void map_shared(void* address, std::size_t bytes, int file, std::uint64_t offset, access allowed) {
  map_file(address, bytes, file, offset, allowed, MAP_SHARED);
}

bool try_map_as(void* address, std::size_t bytes, int protection, int flags, int file,
                std::uint64_t offset) noexcept {
  if (::mmap(address, bytes, protection, flags | MAP_FIXED, file, static_cast<off_t>(offset)) != MAP_FAILED)
    return true;
  // The kernel may have unmapped the range before it failed, and another thread may have got a mapping there,
  // which would be taken for ours.
  const int failure = errno;
  static_cast<void>(::mmap(address, bytes, PROT_NONE, reserve_flags | MAP_FIXED_NOREPLACE, -1, 0));
  errno = failure;
  return false;
}

void map_as(void* address, std::size_t bytes, int protection, int flags, int file, std::uint64_t offset) {
  if (!try_map_as(address, bytes, protection, flags, file, offset))
    throw_errno("mmap", describe(address, bytes));
}

void populate(void* address, std::size_t bytes, int protection) {
  // Linux 5.14; before that, pages are taken only by touching them.
  constexpr int populate_write = 23;
  if ((protection & PROT_WRITE) != 0 && ::madvise(address, bytes, populate_write) != 0 && errno != EINVAL)
    throw_errno("madvise(MADV_POPULATE_WRITE)", describe(address, bytes));
}

std::string mapping_limits_in_words() {
  std::string words;
  const auto add = [&words](const char* option, __rlimit_resource_t what) {
    rlimit limit{};
    if (::getrlimit(what, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    if (!words.empty()) words += " and ";
    words.append(option).append(" (").append(std::to_string(limit.rlim_cur / 1024)).append(" KiB)");
  };
  add("`ulimit -v`", RLIMIT_AS);
  add("`ulimit -d`", RLIMIT_DATA);
  return words.empty() ? "the control group's limit and vm.overcommit_memory" : words;
}

std::size_t mappings_left() {
  std::size_t most = 65'530;  // as long as nobody has changed it
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  std::ifstream maps("/proc/self/maps");
  const auto taken = std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  return most - std::min(most, static_cast<std::size_t>(taken));
}

bool is_obvious_overcommit(std::size_t bytes) noexcept {
  const int saved = errno;
  void* const tried = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool is_given = tried != MAP_FAILED;
  if (is_given) ::munmap(tried, bytes);
  const bool result =
      !is_given && !is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA) && !counts_commitments();
  errno = saved;
  return result;
}

void drop_pages(void* address, std::size_t bytes) {
  if (bytes != 0 && ::madvise(address, bytes, MADV_DONTNEED) != 0) {
    throw_errno("madvise(MADV_DONTNEED)", describe(address, bytes));
  }
}

bool prefer_huge_pages(void* address, std::size_t bytes) noexcept {
  return bytes == 0 || ::madvise(address, bytes, MADV_HUGEPAGE) == 0;
}

namespace {
constexpr int collapse = 25;  // MADV_COLLAPSE: newer than the headers of the oldest supported distribution
}  // namespace

bool can_collapse_pages() noexcept {
  static const bool supported = ::madvise(nullptr, 0, collapse) == 0;
  return supported;
}

void collapse_pages(void* address, std::size_t bytes) noexcept {
  static_cast<void>(::madvise(address, bytes, collapse));
}

bool is_all_in_memory(const void* address, std::size_t bytes) noexcept {
  std::array<unsigned char, huge_page_bytes / page_size> resident;
  for (std::size_t at = 0; at < bytes; at += huge_page_bytes) {
    const std::size_t part = std::min(bytes - at, huge_page_bytes);
    auto* const first = const_cast<std::byte*>(static_cast<const std::byte*>(address) + at);
    if (::mincore(first, part, resident.data()) != 0) return false;
    const auto end = resident.begin() + static_cast<std::ptrdiff_t>(part / page_size);
    if (!std::all_of(resident.begin(), end, [](unsigned char state) { return (state & 1) != 0; }))
      return false;
  }
  return true;
}

void prefer_small_pages(void* address, std::size_t bytes) noexcept {
  static_cast<void>(::madvise(address, bytes, MADV_NOHUGEPAGE));
}

void expect_scattered_touches(void* address, std::size_t bytes) noexcept {
  static_cast<void>(::madvise(address, bytes, MADV_RANDOM));
}

bool huge_pages_on_request() noexcept {
  static const bool allowed = [] {
    std::FILE* file = std::fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
    if (file == nullptr) return false;
    char line[64] = {};
    const bool read = std::fgets(line, sizeof line, file) != nullptr;
    std::fclose(file);
    return read && std::strstr(line, "[never]") == nullptr;
  }();
  return allowed;
}

}  // namespace perdure::os
