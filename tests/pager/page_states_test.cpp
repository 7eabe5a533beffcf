#include "pager/page_states.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace perdure::pager::detail {
namespace {

TEST(a_page, starts_absent_and_knows_what_happened_to_it) {
  page one;
  EXPECT_EQ(one.read().bits(), 0u);
  ASSERT_TRUE(one.claim(one.read(), page_state::loading));
  EXPECT_EQ(one.read().state(), page_state::loading);
  one.settle(page_state::clean, {0, page_word::queued_bit | page_word::hot_bit | page_word::as_history(7)});
  EXPECT_EQ(one.read().state(), page_state::clean);
  EXPECT_TRUE(one.read().is_queued());
  EXPECT_TRUE(one.read().is_hot());
  EXPECT_FALSE(one.read().is_spilled());
  EXPECT_EQ(one.read().history(), 7u);
  EXPECT_TRUE(one.rewrite_history(one.read(), 6));
  EXPECT_EQ(one.read().history(), 6u);
  EXPECT_TRUE(one.add_pin(one.read()));
  EXPECT_TRUE(one.add_pin(one.read()));
  EXPECT_EQ(one.read().pins(), 2u);
  EXPECT_FALSE(one.remove_pin());
  EXPECT_TRUE(one.remove_pin());
  ASSERT_TRUE(one.claim(one.read(), page_state::evicting));
  const page_word before = one.settle(page_state::absent, {page_word::hot_bit, 0});
  EXPECT_TRUE(before.is_hot());
  EXPECT_FALSE(one.read().is_hot());
}

TEST(a_page, is_claimed_by_one_only) {
  page one;
  const page_word seen = one.read();
  EXPECT_TRUE(one.claim(seen, page_state::loading));
  EXPECT_FALSE(one.claim(seen, page_state::loading));
  EXPECT_FALSE(one.add_pin(seen));
}

TEST(a_page, that_someone_waits_for_does_not_go_on_to_leave) {
  page one;
  ASSERT_TRUE(one.claim(one.read(), page_state::writing));
  std::thread waiter([&] {
    for (page_word seen = one.read(); seen.state() == page_state::writing; seen = one.read()) one.wait(seen);
  });
  while (!one.read().has_waiters()) std::this_thread::yield();
  EXPECT_FALSE(one.go_on_unless_awaited(page_state::evicting, 0));
  EXPECT_EQ(one.read().state(), page_state::writing);
  one.settle(page_state::clean);
  waiter.join();
  EXPECT_FALSE(one.read().has_waiters());
  ASSERT_TRUE(one.claim(one.read(), page_state::writing));
  EXPECT_TRUE(one.go_on_unless_awaited(page_state::evicting, page_word::spilled_bit));
  EXPECT_TRUE(one.read().is_spilled());
}

}  // namespace
}  // namespace perdure::pager::detail
