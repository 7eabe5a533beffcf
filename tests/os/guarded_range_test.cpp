// Memory that is closed until its first touch, seen without a store.
#include "os/guarded_range.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace perdure::os {
namespace {

constexpr std::size_t extent = guarded_range::extent_bytes;

class counting_examiner final : public extent_examiner {
 public:
  bool is_fit(std::size_t number) noexcept override {
    ++examined;
    return number != unfit;
  }
  bool refused(std::size_t, std::byte*) override {
    ++refusals;
    return true;
  }
  void kept_closed(std::size_t, std::byte*, int) override { ++failures; }

  std::size_t unfit = ~std::size_t{0};
  std::atomic<int> examined{0};
  std::atomic<int> refusals{0};
  std::atomic<int> failures{0};
};

class a_guarded_range : public ::testing::Test {
 protected:
  a_guarded_range() : memory_(8 * extent, extent), range_(memory_.base(), memory_.size()) {
    protect(memory_.base(), memory_.size(), access::read_write);
    range_.close(6 * extent, access::read_write, examiner_);
  }
  ~a_guarded_range() override { range_.detach(); }

  int load(std::size_t number) { return static_cast<int>(byte_of(number)); }
  void store(std::size_t number) { byte_of(number) = std::byte{1}; }
  // Whether the kernel would store there for us, which never opens anything.
  bool is_writable(std::size_t number) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return false;
    const bool sent = ::write(ends[1], "x", 1) == 1;
    const bool stored = ::read(ends[0], memory_.base() + number * extent, 1) == 1;
    ::close(ends[0]);
    ::close(ends[1]);
    return sent && stored;
  }

  volatile std::byte& byte_of(std::size_t number) { return memory_.base()[number * extent + 77]; }

  reservation memory_;
  counting_examiner examiner_;
  guarded_range range_;
};

TEST_F(a_guarded_range, opens_what_is_touched_and_nothing_else) {
  EXPECT_EQ(load(2), 0);
  store(2);
  store(4);
  store(7);  // was never closed
  EXPECT_EQ(examiner_.examined, 2);
  for (const std::size_t number : {0, 1, 3, 5}) EXPECT_TRUE(range_.is_closed(number)) << number;
  for (const std::size_t number : {2, 4, 6, 7}) EXPECT_FALSE(range_.is_closed(number)) << number;
  EXPECT_FALSE(is_writable(3));
  EXPECT_TRUE(is_writable(4));
}

TEST_F(a_guarded_range, is_opened_by_no_new_mapping) {
  store(1);
  store(2);
  range_.hold(2 * extent, extent);
  range_.remap(0, 8 * extent, access::read_write, [this](std::size_t at, std::size_t bytes, access allowed) {
    map_anonymous(memory_.base() + at, bytes, allowed);
  });
  EXPECT_TRUE(is_writable(1));
  EXPECT_FALSE(is_writable(2));
  EXPECT_EQ(load(2), 0);
  EXPECT_TRUE(is_writable(7));
  range_.release(2 * extent, extent);
  EXPECT_TRUE(is_writable(2));
  for (const std::size_t number : {0, 3, 5}) EXPECT_FALSE(is_writable(number)) << number;
  EXPECT_EQ(examiner_.examined, 2);
  EXPECT_EQ(load(3), 0);
  EXPECT_EQ(examiner_.examined, 3);
}

TEST_F(a_guarded_range, is_opened_by_no_change_of_protection) {
  EXPECT_EQ(range_.open(1), guarded_range::opening::open);
  range_.protect(0, 8 * extent, access::read_write);
  EXPECT_TRUE(is_writable(1));
  EXPECT_TRUE(is_writable(7));
  EXPECT_FALSE(is_writable(0));
  EXPECT_FALSE(is_writable(5));
  EXPECT_EQ(examiner_.examined, 1);
}

TEST_F(a_guarded_range, holds_what_is_opened_meanwhile_too) {
  EXPECT_EQ(range_.open(1), guarded_range::opening::open);
  range_.hold(0, 4 * extent);
  EXPECT_EQ(load(2), 0);
  EXPECT_EQ(load(5), 0);
  EXPECT_FALSE(is_writable(1));
  EXPECT_FALSE(is_writable(2));
  EXPECT_TRUE(is_writable(5));
  range_.release(0, 4 * extent);
  EXPECT_TRUE(is_writable(1));
  EXPECT_TRUE(is_writable(2));
  EXPECT_FALSE(is_writable(3));
}

TEST_F(a_guarded_range, shows_what_is_unfit_only_if_the_examiner_says_so) {
  examiner_.unfit = 3;
  EXPECT_EQ(range_.open(3), guarded_range::opening::unfit);
  EXPECT_TRUE(range_.is_closed(3));
  EXPECT_EQ(examiner_.refusals, 0);
  store(3);
  EXPECT_EQ(examiner_.refusals, 1);
  EXPECT_FALSE(range_.is_closed(3));
  EXPECT_EQ(examiner_.failures, 0);
}

}  // namespace
}  // namespace perdure::os
