// Where the pages are that have left memory, after any order of leaving, coming back and checkpoints.
#include "store/commit/journaled_pages.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "page_sets.hpp"
#include "support/errors.hpp"
#include "support/failing_allocation.hpp"

namespace perdure::store {
namespace {

using place = journaled_pages::place;

/// The pages of two epochs, each in a map of its own.
class journal_model {
 public:
  struct record {
    bool is_zero;
    journaled_pages::number slot;
    std::uint32_t checksum;
  };
  std::map<std::uint64_t, record> running;
  std::map<std::uint64_t, record> before;  // but for pages that the running epoch has
  std::map<std::uint64_t, std::uint32_t> checksums;
  unsigned parity = 0;

  void put(std::uint64_t page, record one) {
    running[page] = one;
    before.erase(page);
    checksums[page] = one.checksum;
  }

  void expect_is(const journaled_pages& table) const {
    for (std::uint64_t page = 0; page < page_count; ++page) {
      const place found = table.find(page);
      const bool is_running = running.contains(page);
      if (!is_running && !before.contains(page)) {
        EXPECT_EQ(found.in, place::where::home) << page;
        EXPECT_TRUE(table.is_home(page)) << page;
      } else {
        const record& one = is_running ? running.at(page) : before.at(page);
        EXPECT_FALSE(table.is_home(page)) << page;
        EXPECT_EQ(found.in, one.is_zero ? place::where::nowhere : place::where::journal) << page;
        if (!one.is_zero) {
          EXPECT_EQ(found.slot, one.slot) << page;
          EXPECT_EQ(found.parity, is_running ? parity : parity ^ 1) << page;
        }
      }
      const auto checksum = checksums.find(page);
      EXPECT_EQ(table.checksum_of(page), checksum == checksums.end() ? 0 : checksum->second) << page;
    }
    auto expected = running.begin();
    for (const journaled_pages::record& one : table.records()) {
      ASSERT_NE(expected, running.end());
      EXPECT_EQ(one.page, expected->first);
      EXPECT_EQ(one.checksum, expected->second.checksum);
      EXPECT_EQ(one.slot, expected->second.is_zero ? 0 : expected->second.slot);
      ++expected;
    }
    EXPECT_EQ(expected, running.end());
  }
};

TEST(journaled_pages, are_where_they_were_put_last) {
  random_stream random(17);
  for (int round = 0; round < 400; ++round) {
    journal_model model;
    model.parity = static_cast<unsigned>(round & 1);
    journaled_pages table(page_count, model.parity);
    journaled_pages::number slots = 0;
    for (std::uint64_t page = 0; page < page_count; ++page) {
      if (!random.one_in(3)) continue;
      const bool is_zero = random.one_in(2);
      const auto slot = static_cast<journaled_pages::number>(page + 3);
      const std::uint32_t checksum = is_zero ? 0 : static_cast<std::uint32_t>(page + 70);
      table.put_before(page, slot, checksum);
      model.before[page] = {is_zero, slot, checksum};
      if (!is_zero) model.checksums[page] = checksum;
    }
    bool is_settled = model.before.empty();
    bool has_had_zeros = false;
    for (int step = 0; step < 40; ++step) {
      const std::uint64_t page = random.below(page_count);
      const auto checksum = static_cast<std::uint32_t>(random.below(1000) + 1);
      switch (random.below(8)) {
        case 0:
        case 1: {
          const auto slot = table.slot_for(page);
          const auto has = model.running.find(page);
          if (has != model.running.end() && !has->second.is_zero) {
            ASSERT_EQ(slot, has->second.slot);
          } else {
            ASSERT_EQ(slot, slots++);
          }
          ASSERT_EQ(table.slots(), slots);
          if (random.one_in(4)) break;  // the write failed
          table.put(page, slot, checksum);
          model.put(page, {false, slot, checksum});
          break;
        }
        case 2:
        case 3:
          table.reserve_zeros(1);
          table.put_zero(page);
          has_had_zeros = true;
          model.put(page, {true, 0, 0});
          break;
        case 4:
          table.put_home(page, checksum);
          model.running.erase(page);
          model.checksums[page] = checksum;
          break;
        case 5: {
          const std::uint64_t count = random.below(page_count - page) + 1;
          table.erase({page, count});
          for (std::uint64_t one = page; one < page + count; ++one) {
            model.running.erase(one);
            model.checksums.erase(one);
          }
          break;
        }
        case 6: {
          page_set visited;
          const bool had_some = table.settle([&](journaled_pages::number one) { visited.insert(one); });
          EXPECT_EQ(had_some, !is_settled);
          page_set expected;
          for (const auto& [one, ignored] : model.before) expected.insert(one);
          EXPECT_EQ(visited, expected);
          model.before.clear();
          is_settled = true;
          break;
        }
        default:
          if (!is_settled) break;
          // Slots without a page count, and empty pages that are not empty any more.
          is_settled = table.slots() == 0 && !has_had_zeros;
          table.commit();
          model.before = std::exchange(model.running, {});
          model.parity ^= 1;
          slots = 0;
          has_had_zeros = false;
          break;
      }
      model.expect_is(table);
      ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round << ", step " << step;
    }
  }
}

TEST(journaled_pages, are_no_more_than_there_may_be_slots) {
  journaled_pages table(page_count, 0, 3);
  for (const std::uint64_t page : {5, 6, 7, 6}) table.put(page, table.slot_for(page), 1);
  EXPECT_TRUE(fails_with(errc::out_of_capacity, "make checkpoints more often", [&] { table.slot_for(8); }));
  EXPECT_EQ(table.slot_for(5), 0u);
}

// Where it could throw, the page would be nowhere: home has anything in its place.
TEST(journaled_pages, are_emptied_without_memory_where_room_was_reserved) {
  journaled_pages table(100, 0);
  for (std::uint64_t first = 0; first < 100; first += 10) {
    table.reserve_zeros(10);
    const failing_allocation none(0);
    for (std::uint64_t page = first; page < first + 10; ++page) table.put_zero(page);
  }
  EXPECT_EQ(table.records().size(), 100u);
}

}  // namespace
}  // namespace perdure::store
