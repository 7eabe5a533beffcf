#include "pager/page_queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "pager/pending_reads.hpp"
#include "pager/refault_clock.hpp"
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

TEST(stream_detector, finds_who_goes_on_where_the_last_touch_ended) {
  stream_detector streams;
  EXPECT_EQ(streams.find(7).count, 0u);
  streams.expect({8, 1, false});
  EXPECT_EQ(streams.find(8).count, 1u);
  EXPECT_EQ(streams.find(10).count, 1u);
  EXPECT_EQ(streams.find(11).count, 0u) << "so far off is chance";
  EXPECT_EQ(streams.find(7).count, 0u);
  streams.expect({268, 256, false});
  EXPECT_EQ(streams.find(268).count, 256u);
  EXPECT_EQ(streams.find(283).count, 256u);
  EXPECT_EQ(streams.find(300).count, 0u);
  EXPECT_EQ(streams.find(5000).count, 0u);
}

TEST(stream_detector, finds_a_stream_anywhere_in_what_was_asked_for_it) {
  stream_detector streams;
  streams.expect({268, 256, false});
  const stream asked{400, 1300, true};
  streams.expect(asked, {268, 256, false}, 268);
  EXPECT_EQ(streams.find(268).count, 0u) << "it has gone on";
  for (const page_number page : {400u, 500u, 655u, 1100u, 1699u, 1700u}) {
    const stream found = streams.find(page);
    EXPECT_TRUE(found.is_asked);
    EXPECT_EQ(found.end(), 1700u);
  }
  streams.expect({1700, 200, true}, asked, 500);
  for (const page_number page : {400u, 500u, 655u, 1100u})
    EXPECT_EQ(streams.find(page).count, 0u) << "it has gone on";
  EXPECT_EQ(streams.find(1700).end(), 1900u);
}

TEST(pending_reads, come_out_in_order_until_the_end) {
  pending_reads pending;
  EXPECT_TRUE(pending.post({5, 2}));
  EXPECT_TRUE(pending.post({9, 1}));
  EXPECT_TRUE(pending.post({20, 10}));
  EXPECT_EQ(pending.take(8).first, 5u);
  const page_span second = pending.take(8);
  EXPECT_EQ(second.first, 9u);
  EXPECT_EQ(second.count, 1u);
  const page_span part = pending.take(8);
  EXPECT_EQ(part.first, 20u);
  EXPECT_EQ(part.count, 8u);
  const page_span rest = pending.take(8);
  EXPECT_EQ(rest.first, 28u);
  EXPECT_EQ(rest.count, 2u);
  std::size_t posted = 0;
  while (posted < 1000 && pending.post({1, 1})) ++posted;
  EXPECT_GE(posted, 2u);
  EXPECT_LT(posted, 1000u) << "the program is not to wait, nor memory to be taken";
  std::thread waiter([&] {
    while (pending.take(8).count != 0) {
    }
  });
  pending.end();
  waiter.join();
  EXPECT_EQ(pending.take(8).count, 0u);
}

TEST(refault_clock, gives_chances_to_what_comes_back_soon) {
  refault_clock clock(100);
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
