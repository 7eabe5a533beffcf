#include "os/clear_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/mapping.hpp"

namespace perdure::os {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

struct ClearAnonymous : testing::Test {
  void SetUp() override {
    protect(range.base(), size, access::read_write);
    std::memset(range.base(), 0x5a, size);
  }
  bool is(std::size_t begin, std::size_t end, std::byte value) const {
    return std::all_of(range.base() + begin, range.base() + end, [&](std::byte b) { return b == value; });
  }

  static constexpr std::size_t size = 8 * mib;
  reservation range{std::size_t{1} << 30, std::size_t{1} << 30};
};

TEST_F(ClearAnonymous, ClearsExactlyWhatItIsGiven) {
  for (const std::size_t least : {std::size_t{0}, mib, 100 * mib})
    for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{100, 200},
                                     {4000, 4000},
                                     {4096, 4096 + mib - 1},
                                     {5001, 5 * mib + 77},
                                     {4096, 5 * mib},
                                     {0, size}}) {
      std::memset(range.base(), 0x5a, size);
      errno = EDOM;
      clear_anonymous(range.base() + begin, end - begin, least);
      EXPECT_EQ(errno, EDOM);
      EXPECT_TRUE(is(0, begin, std::byte{0x5a})) << begin;
      EXPECT_TRUE(is(begin, end, std::byte{0})) << begin;
      EXPECT_TRUE(is(end, size, std::byte{0x5a})) << begin;
    }
}

TEST_F(ClearAnonymous, ClearsMemoryThatIsLocked) {
  if (::mlock(range.base(), 2 * mib) != 0) GTEST_SKIP() << "this process may not lock 2 MiB";
  clear_anonymous(range.base(), 4 * mib, mib);
  EXPECT_TRUE(is(0, 4 * mib, std::byte{0}));
  EXPECT_TRUE(is(4 * mib, size, std::byte{0x5a}));
}

}  // namespace
}  // namespace perdure::os
