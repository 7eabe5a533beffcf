// What the C and POSIX standards and glibc's manual say of malloc and its like.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "support/child_process.hpp"

extern "C" void* __libc_malloc(std::size_t bytes);

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

std::size_t address_of(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

/// The compiler must not reason about sizes that no object has.
std::size_t opaque(std::size_t value) {
  volatile std::size_t hidden = value;
  return hidden;
}

std::size_t resident_bytes() {
  std::size_t total = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Before main, and kept until after it.
struct early {
  early() : block(static_cast<char*>(std::malloc(100))) { std::strcpy(block, "early"); }
  early(const early&) = delete;
  early& operator=(const early&) = delete;
  ~early() { std::free(block); }
  char* block;
};
const early early_block;

TEST(malloc_conformance, PerdureServesThisProcess) {
  using function = int (*)();
  const auto is_active = reinterpret_cast<function>(::dlsym(RTLD_DEFAULT, "perdure_malloc_is_active"));
  ASSERT_NE(is_active, nullptr) << "libperdure-malloc.so is not preloaded";
  EXPECT_EQ(is_active(), 1);
  EXPECT_STREQ(early_block.block, "early");
  Dl_info where;
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(&std::malloc), &where), 0);
}

TEST(malloc_conformance, BlocksAreAlignedDistinctAndWritable) {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t bytes = 0; bytes < 8 * mib; bytes = bytes * 5 / 4 + 1) {
    auto* const block = static_cast<unsigned char*>(std::malloc(bytes));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(address_of(block) % 16, 0U);
    EXPECT_GE(::malloc_usable_size(block), bytes);
    std::memset(block, static_cast<int>(blocks.size() % 251), ::malloc_usable_size(block));
    blocks.emplace_back(block, ::malloc_usable_size(block));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, bytes] = blocks[i];
    EXPECT_EQ(std::count(block, block + bytes, static_cast<unsigned char>(i % 251)),
              static_cast<std::ptrdiff_t>(bytes));
    std::free(block);
  }
  std::free(nullptr);
  EXPECT_EQ(::malloc_usable_size(nullptr), 0U);
}

TEST(malloc_conformance, ZeroBytesHaveAnAddress) {
  void* const a = std::malloc(0);
  void* const b = std::malloc(0);
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  std::free(a);
  std::free(b);
  void* const c = std::calloc(0, 8);
  EXPECT_NE(c, nullptr);
  std::free(c);
}

TEST(malloc_conformance, AbsurdSizesAreRefused) {
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  const auto refused = [](auto allocate) {
    errno = 0;
    void* const block = allocate();
    const int error = errno;
    EXPECT_EQ(block, nullptr);
    EXPECT_EQ(error, ENOMEM);
    std::free(block);
  };
  refused([&] { return std::malloc(opaque(most)); });
  refused([&] { return std::malloc(opaque(most / 2 + 1)); });
  refused([&] { return std::malloc(opaque(std::size_t{1} << 50)); });
  refused([&] { return std::calloc(opaque(most / 2), 3); });
  refused([&] { return std::calloc(opaque(most), 1); });
  refused([&] { return ::reallocarray(nullptr, opaque(most / 2), 3); });
  refused([&] { return ::memalign(64, opaque(most - 32)); });
  refused([&] { return ::valloc(opaque(most - 1)); });
  refused([&] { return ::pvalloc(opaque(most - 1)); });
  char* const block = static_cast<char*>(std::malloc(100));
  std::strcpy(block, "kept");
  refused([&] { return std::realloc(block, opaque(most)); });
  refused([&] { return ::reallocarray(block, opaque(most / 2), 3); });
  EXPECT_STREQ(block, "kept");
  std::free(block);
}

TEST(malloc_conformance, CallocClears) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{100}, std::size_t{70000}, mib - 1, 3 * mib + 5}) {
    for (int round = 0; round < 3; ++round) {
      auto* const block = static_cast<unsigned char*>(std::calloc(bytes, 1));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(std::count(block, block + bytes, 0), static_cast<std::ptrdiff_t>(bytes));
      std::memset(block, 0xff, bytes);
      std::free(block);
    }
  }
}

TEST(malloc_conformance, AnUntouchedLargeCallocTakesNoMemory) {
  const std::size_t before = resident_bytes();
  auto* const block = static_cast<char*>(std::calloc(std::size_t{16} << 30, 1));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block[std::size_t{7} << 30], 0);
  EXPECT_LT(resident_bytes(), before + 100 * mib);
  std::free(block);
}

TEST(malloc_conformance, ReallocKeepsTheContent) {
  auto* block = static_cast<unsigned char*>(std::realloc(nullptr, 1));
  block[0] = 0;
  std::size_t bytes = 1;
  while (bytes < 20 * mib) {
    const std::size_t more = bytes * 3 / 2 + 1;
    block = static_cast<unsigned char*>(std::realloc(block, more));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(address_of(block) % 16, 0U);
    for (std::size_t i = bytes; i < more; ++i) block[i] = static_cast<unsigned char>(i % 251);
    bytes = more;
  }
  while (bytes > 10) {
    bytes /= 3;
    block = static_cast<unsigned char*>(std::realloc(block, bytes));
    for (std::size_t i = 0; i < bytes; i += 97) ASSERT_EQ(block[i], i % 251);
  }
  EXPECT_EQ(std::realloc(block, 0), nullptr);
  block = static_cast<unsigned char*>(::reallocarray(nullptr, 10, 10));
  EXPECT_GE(::malloc_usable_size(block), 100U);
  std::free(block);
}

TEST(malloc_conformance, BlocksAreAlignedAsAsked) {
  for (std::size_t alignment = 1; alignment <= 64 * mib; alignment *= 2) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{100000}}) {
      for (void* const block : {::memalign(alignment, bytes), ::aligned_alloc(alignment, bytes)}) {
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(address_of(block) % alignment, 0U);
        EXPECT_GE(::malloc_usable_size(block), bytes);
        std::memset(block, 1, bytes);
        std::free(block);
      }
      if (alignment < sizeof(void*)) continue;
      void* block = nullptr;
      EXPECT_EQ(::posix_memalign(&block, alignment, bytes), 0);
      EXPECT_EQ(address_of(block) % alignment, 0U);
      void* const moved = std::realloc(block, bytes + 100000);
      EXPECT_NE(moved, nullptr);
      std::free(moved);
    }
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (void* const block : {::valloc(10), ::pvalloc(10)}) {
    EXPECT_EQ(address_of(block) % page, 0U);
    std::free(block);
  }
  void* const whole = ::pvalloc(page + 1);
  EXPECT_GE(::malloc_usable_size(whole), 2 * page);
  std::free(whole);
}

TEST(malloc_conformance, WrongAlignmentsAreRefused) {
  void* untouched = &untouched;
  errno = 0;
  EXPECT_EQ(::posix_memalign(&untouched, 3, 8), EINVAL);
  EXPECT_EQ(::posix_memalign(&untouched, 4, 8), EINVAL);
  EXPECT_EQ(::posix_memalign(&untouched, 0, 8), EINVAL);
  EXPECT_EQ(::posix_memalign(&untouched, 64, opaque(~std::size_t{0} - 64)), ENOMEM);
  EXPECT_EQ(untouched, &untouched);
  EXPECT_EQ(errno, 0) << "posix_memalign reports by its result only";
  EXPECT_EQ(::aligned_alloc(opaque(3), 8), nullptr);
  EXPECT_EQ(errno, EINVAL);
  void* const rounded = ::memalign(opaque(48), 8);
  EXPECT_EQ(address_of(rounded) % 64, 0U);
  std::free(rounded);
}

TEST(malloc_conformance, FreeKeepsErrno) {
  std::vector<void*> blocks;
  for (int i = 0; i < 20; ++i) blocks.push_back(std::malloc(10 * mib));
  for (int i = 0; i < 2000; ++i) blocks.push_back(std::malloc(static_cast<std::size_t>(i)));
  errno = 1234;
  for (void* const block : blocks) std::free(block);
  EXPECT_EQ(errno, 1234);
}

TEST(malloc_conformance, BlocksOfTheCLibraryAreTakenOver) {
  // As those that were given out before the library was loaded.
  char* block = static_cast<char*>(__libc_malloc(100));
  EXPECT_GE(::malloc_usable_size(block), 100U);
  std::strcpy(block, "kept");
  block = static_cast<char*>(std::realloc(block, 100000));
  EXPECT_STREQ(block, "kept");
  std::free(block);
  std::free(__libc_malloc(10));
  char* const text = ::strdup("text");
  std::free(text);
  char* const path = ::realpath("/", nullptr);
  EXPECT_STREQ(path, "/");
  std::free(path);
}

TEST(malloc_conformance, OperatorNewAlignsAndThrows) {
  struct alignas(256) wide {
    char bytes[256];
  };
  const auto one = std::make_unique<wide>();
  EXPECT_EQ(address_of(one.get()) % 256, 0U);
  EXPECT_THROW(std::vector<char>(opaque(std::size_t{1} << 50)), std::bad_alloc);
  EXPECT_EQ(::operator new(opaque(std::size_t{1} << 50), std::nothrow), nullptr);
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "ten chars.";
  EXPECT_EQ(text.size(), 1000000U);
}

TEST(malloc_conformance, TrimGivesMemoryBack) {
  constexpr std::size_t bytes = 48 * mib;
  const std::size_t before = resident_bytes();
  std::vector<void*> blocks;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(std::malloc(bytes));
    std::memset(blocks.back(), 1, bytes);
  }
  EXPECT_GT(resident_bytes(), before + 3 * bytes);
  for (void* const block : blocks) std::free(block);
  ::malloc_trim(0);
  EXPECT_LT(resident_bytes(), before + bytes);
}

// Freed the other way round than they came, and in no order.
TEST(malloc_conformance, MemoryGoesByItselfWhenLargeBlocksAreFreed) {
  constexpr std::size_t all = 400 * mib;
  for (const bool in_order : {true, false}) {
    std::vector<char*> blocks;
    std::size_t taken = 0;
    for (std::size_t i = 0; taken < all; ++i) {
      const std::size_t bytes = std::size_t{200'000} << i * 7 % 8;
      char* const block = static_cast<char*>(std::malloc(bytes));
      ASSERT_NE(block, nullptr);
      for (std::size_t at = 0; at < bytes; at += 4096) block[at] = 1;
      blocks.push_back(block);
      taken += bytes;
    }
    const std::size_t full = resident_bytes();
    std::reverse(blocks.begin(), blocks.end());
    for (std::size_t i = 0; i + 1 < blocks.size() && !in_order; ++i)
      std::swap(blocks[i], blocks[i + i * 7919 % (blocks.size() - i)]);
    for (char* const block : blocks) std::free(block);
    EXPECT_GT(full, all);
    // Twice 64 MiB may stay, and what threads keep.
    EXPECT_LT(resident_bytes() + all, full + 170 * mib) << in_order;
  }
}

TEST(malloc_conformance, MoreThanTheSystemGivesIsRefused) {
  const auto pages = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES));
  const std::size_t bytes = opaque(16 * pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  // What the C library gets, which asks the system each time, is what its overcommit mode allows.
  const std::unique_ptr<void, decltype(&std::free)> allowed(__libc_malloc(bytes), std::free);
  const std::unique_ptr<void, decltype(&std::free)> given(std::malloc(bytes), std::free);
  EXPECT_EQ(given == nullptr, allowed == nullptr);
  void* const small = std::malloc(100);
  void* const grown = std::realloc(small, bytes);
  EXPECT_EQ(grown == nullptr, allowed == nullptr);
  std::free(grown != nullptr ? grown : small);
  const std::unique_ptr<void, decltype(&std::free)> cleared(std::calloc(bytes / 8, 8), std::free);
  EXPECT_EQ(cleared == nullptr, allowed == nullptr);
}

TEST(malloc_conformance, WhatIsReservedIsGivenThoughNothingMoreMayBeMapped) {
  void* const first = std::malloc(100);
  EXPECT_EQ(perdure::result_of_child([&] {
              const rlimit little{mib, mib};
              if (::setrlimit(RLIMIT_AS, &little) != 0) return 1;
              // The C library could map nothing for it.
              return std::malloc(200 * mib) != nullptr && __libc_malloc(200 * mib) == nullptr ? 0 : 2;
            }),
            0);
  std::free(first);
}

TEST(malloc_conformance, MallinfoCounts) {
  const struct mallinfo2 before = ::mallinfo2();
  void* const block = std::malloc(10 * mib);
  const struct mallinfo2 after = ::mallinfo2();
  EXPECT_GE(after.uordblks, before.uordblks + 10 * mib);
  EXPECT_GE(after.arena, after.uordblks);
  std::free(block);
  EXPECT_EQ(::mallopt(M_MXFAST, 0), 0);
}

}  // namespace
