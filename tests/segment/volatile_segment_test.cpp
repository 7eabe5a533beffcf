#include "segment/volatile_segment.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

namespace perdure::detail {
namespace {

TEST(volatile_segment, starts_empty_and_aligned) {
  auto memory = make_volatile_segment(std::size_t{3} << 30);
  EXPECT_EQ(memory->size(), 0u);
  EXPECT_EQ(memory->capacity(), std::size_t{3} << 30);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->base()) % segment_alignment, 0u);
  EXPECT_FALSE(memory->read_only());
}

TEST(volatile_segment, grown_bytes_read_as_zero_and_keep_what_is_written) {
  auto memory = make_volatile_segment(std::size_t{1} << 30);
  memory->grow(1);
  EXPECT_EQ(memory->size(), std::size_t{2} << 20);
  std::memset(memory->base(), 7, memory->size());
  memory->grow(std::size_t{200} << 20);
  EXPECT_EQ(memory->size(), std::size_t{200} << 20);
  EXPECT_EQ(memory->base()[0], std::byte{7});
  EXPECT_EQ(memory->base()[memory->size() - 1], std::byte{0});
  memory->grow(5);
  EXPECT_EQ(memory->size(), std::size_t{200} << 20);
}

TEST(volatile_segment, growing_beyond_capacity_is_bad_alloc) {
  auto memory = make_volatile_segment(std::size_t{1} << 30);
  EXPECT_THROW(memory->grow((std::size_t{1} << 30) + 1), std::bad_alloc);
  memory->grow(std::size_t{1} << 30);
  EXPECT_EQ(memory->size(), std::size_t{1} << 30);
}

TEST(volatile_segment, discarded_pages_can_be_written_again) {
  auto memory = make_volatile_segment(std::size_t{1} << 30);
  memory->grow(std::size_t{8} << 20);
  std::memset(memory->base(), 1, memory->size());
  memory->discard({10, 20});
  EXPECT_EQ(memory->base()[9 * page_size], std::byte{1});
  EXPECT_EQ(memory->base()[30 * page_size], std::byte{1});
  memory->base()[12 * page_size] = std::byte{5};
  EXPECT_EQ(memory->base()[12 * page_size], std::byte{5});
}

TEST(volatile_segment, threads_may_grow_at_once) {
  auto memory = make_volatile_segment(std::size_t{1} << 30);
  std::atomic<std::size_t> end{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const std::size_t mine = end.fetch_add(std::size_t{2} << 20);
        memory->grow(mine + (std::size_t{2} << 20));
        memory->base()[mine] = std::byte{1};
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(memory->size(), std::size_t{400} << 20);
}

}  // namespace
}  // namespace perdure::detail
