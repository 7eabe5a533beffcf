// Maps files on a DAX file system, and writes cache lines back to the medium.
#include "os/persistent_memory.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "os/file_observer.hpp"
#include "os/system_error.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#ifndef MAP_SHARED_VALIDATE
#define MAP_SHARED_VALIDATE 0x03
#endif
#ifndef MAP_SYNC
#define MAP_SYNC 0x80000
#endif

namespace perdure::os {

namespace {

std::atomic<bool> is_pretended{false};

using line_operation = void (*)(std::uintptr_t line);

struct write_back_way {
  std::string_view name;
  line_operation write_back;
  std::size_t line_bytes;
};

#if defined(__x86_64__)

[[gnu::target("clwb")]] void write_back_by_clwb(std::uintptr_t line) {
  _mm_clwb(reinterpret_cast<void*>(line));
}
[[gnu::target("clflushopt")]] void write_back_by_clflushopt(std::uintptr_t line) {
  _mm_clflushopt(reinterpret_cast<void*>(line));
}
void write_back_by_clflush(std::uintptr_t line) {
  _mm_clflush(reinterpret_cast<void*>(line));
}

write_back_way choose_way() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  __get_cpuid(1, &a, &b, &c, &d);
  const std::size_t line = (b >> 8 & 0xff) * std::size_t{8};
  a = b = c = d = 0;
  __get_cpuid_count(7, 0, &a, &b, &c, &d);
  if ((b >> 24 & 1) != 0) return {"clwb", write_back_by_clwb, line};
  if ((b >> 23 & 1) != 0) return {"clflushopt", write_back_by_clflushopt, line};
  return {"clflush", write_back_by_clflush, line};
}

void wait_for_lines() noexcept {
  _mm_sfence();
}

#elif defined(__aarch64__)

// The instruction is given by its encoding: assemblers know its name only for processors that have it.
void write_back_by_cvap(std::uintptr_t line) {
  asm volatile("sys #3, c7, c12, #1, %0" : : "r"(line) : "memory");
}
void write_back_by_civac(std::uintptr_t line) {
  asm volatile("dc civac, %0" : : "r"(line) : "memory");
}

write_back_way choose_way() noexcept {
  constexpr unsigned long has_cvap = 1UL << 16;  // HWCAP_DCPOP
  std::uint64_t cache_type;
  asm("mrs %0, ctr_el0" : "=r"(cache_type));
  const std::size_t line = std::size_t{4} << (cache_type >> 16 & 0xf);
  if ((::getauxval(AT_HWCAP) & has_cvap) != 0) return {"dc cvap", write_back_by_cvap, line};
  return {"dc civac", write_back_by_civac, line};
}

void wait_for_lines() noexcept {
  asm volatile("dsb sy" : : : "memory");
}

#else

write_back_way choose_way() noexcept {
  return {"", [](std::uintptr_t) {}, 64};
}

void wait_for_lines() noexcept {}

#endif

// Chosen before main: a signal handler must not be the first to ask.
const write_back_way way = choose_way();

}  // namespace

std::string_view write_back_instruction() noexcept {
  return way.name;
}

void pretend_persistent_memory(bool pretend) noexcept {
  is_pretended = pretend;
}

namespace {

// Maps by `map`, which is like mmap(2) without an address. False with errno.
template <class Map>
bool try_sharing(Map map) noexcept {
  const bool pretend = is_pretended.load(std::memory_order_relaxed);
  if (way.name.empty() && !pretend) {
    errno = EOPNOTSUPP;
    return false;
  }
  if (map(pretend ? MAP_SHARED : MAP_SHARED_VALIDATE | MAP_SYNC)) return true;
  // A kernel that does not know MAP_SHARED_VALIDATE says EINVAL.
  if (errno == EINVAL && !pretend) errno = EOPNOTSUPP;
  return false;
}

}  // namespace

bool can_map_persistent(int file, std::size_t bytes) noexcept {
  return try_sharing([&](int sharing) {
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ, sharing, file, 0);
    return mapped != MAP_FAILED && ::munmap(mapped, bytes) == 0;
  });
}

bool try_map_persistent(void* address, std::size_t bytes, int file, std::uint64_t offset,
                        access allowed) noexcept {
  if (bytes == 0) return true;
  const int protection = allowed == access::none   ? PROT_NONE
                         : allowed == access::read ? PROT_READ
                                                   : PROT_READ | PROT_WRITE;
  return try_sharing([&](int sharing) {
    // A child that wrote there would change the parent's files.
    return try_map_as(address, bytes, protection, sharing, file, offset) &&
           ::madvise(address, bytes, MADV_DONTFORK) == 0;
  });
}

void map_persistent(void* address, std::size_t bytes, int file, std::uint64_t offset, access allowed) {
  if (try_map_persistent(address, bytes, file, offset, allowed)) return;
  char text[64];
  std::snprintf(text, sizeof text, "%zu bytes at %p", bytes, address);
  throw_errno("mmap persistent memory,", text);
}

void persist(std::span<const iovec> parts) noexcept {
  file_observer* const observer = observer_of_files();
  const file_call call{.operation = file_operation::persist, .data = parts};
  if (observer != nullptr) observer->before(call);
  for (const iovec& part : parts) {
    const auto begin = reinterpret_cast<std::uintptr_t>(part.iov_base);
    const std::uintptr_t end = begin + part.iov_len;
    for (std::uintptr_t line = begin & ~(way.line_bytes - 1); line < end; line += way.line_bytes)
      way.write_back(line);
  }
  wait_for_lines();
  if (observer != nullptr) observer->after(call, 0, 0);
}

}  // namespace perdure::os
