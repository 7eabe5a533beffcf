#include "pager/page_queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "pager/residence.hpp"
#include "pager/stream_detector.hpp"

namespace perdure::pager::detail {
namespace {

TEST(page_queues, give_back_each_page_once) {
  page_queues queues(100'000, 50'000);
  for (page_number p = 0; p < 100'000; p += 3) queues.push(p, p % 2 == 0);
  std::vector<page_number> all;
  std::array<page_number, 500> some;
  while (const std::size_t n = queues.take(some)) all.insert(all.end(), some.begin(), some.begin() + n);
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), 33'334u);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], 3 * i);
  EXPECT_EQ(queues.size(), 0u);
}

TEST(page_queues, give_the_oldest_first) {
  page_queues queues(100, 100);
  for (const page_number p : {5, 3, 9, 1}) queues.push(p, false);
  std::array<page_number, 2> some;
  ASSERT_EQ(queues.take(some), 2u);
  EXPECT_EQ(some, (std::array<page_number, 2>{5, 3}));
  queues.push(5, false);
  std::array<page_number, 10> rest;
  ASSERT_EQ(queues.take(rest), 3u);
  EXPECT_EQ(rest[0], 9u);
  EXPECT_EQ(rest[2], 5u);
}

TEST(page_queues, spare_the_hot_ones_while_the_others_have_more_than_a_quarter) {
  page_queues queues(100, 100);
  for (page_number p = 0; p < 40; ++p) queues.push(p, false);
  for (page_number p = 40; p < 100; ++p) queues.push(p, true);
  std::array<page_number, 20> first;
  ASSERT_EQ(queues.take(first), 20u);
  EXPECT_TRUE(std::all_of(first.begin(), first.end(), [](page_number p) { return p < 40; }));
  std::array<page_number, 60> next;
  ASSERT_EQ(queues.take(next), 60u);
  EXPECT_GE(std::count_if(next.begin(), next.end(), [](page_number p) { return p >= 40; }), 40);
}

TEST(stream_detector, doubles_what_it_brings_in_for_a_stream_only) {
  stream_detector streams;
  EXPECT_EQ(streams.window(7, 256), 1u);
  streams.brought_in(7, 1);
  EXPECT_EQ(streams.window(8, 256), 2u);
  streams.brought_in(8, 2);
  EXPECT_EQ(streams.window(10, 256), 4u);
  streams.brought_in(12, 256);
  EXPECT_EQ(streams.window(268, 256), 256u);
  EXPECT_EQ(streams.window(268, 1), 1u);
  EXPECT_EQ(streams.window(5000, 256), 1u);
  EXPECT_EQ(streams.window(300, 256), 1u);
}

TEST(residence_clock, gives_chances_to_what_comes_back_soon) {
  residence_clock clock(100);
  EXPECT_EQ(clock.chances(0), 0u);
  const std::uint32_t left = clock.now();
  clock.evicted(20);
  EXPECT_EQ(clock.chances(left), 3u);
  clock.evicted(20);
  EXPECT_EQ(clock.chances(left), 1u);
  clock.evicted(20);
  EXPECT_EQ(clock.chances(left), 0u);
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t then = clock.now();
    ASSERT_GE(then, 1u);
    ASSERT_LE(then, 255u);
    clock.evicted(25);
    ASSERT_EQ(clock.chances(then), 1u);
  }
}

}  // namespace
}  // namespace perdure::pager::detail
