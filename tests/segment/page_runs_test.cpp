#include "segment/page_runs.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace perdure::detail {
namespace {

std::set<std::uint64_t> pages(const std::vector<page_run>& runs) {
  std::set<std::uint64_t> result;
  for (const page_run& run : runs) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) result.insert(page);
  }
  return result;
}

std::vector<page_run> some_runs(std::mt19937& random) {
  std::vector<page_run> runs;
  const std::size_t count = random() % 12;
  for (std::size_t i = 0; i < count; ++i) runs.push_back({random() % 100, random() % 9});
  return runs;
}

TEST(page_runs, normalized_are_sorted_and_apart) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<page_run> runs = some_runs(random);
    const std::set<std::uint64_t> before = pages(runs);
    normalize(runs);
    EXPECT_EQ(pages(runs), before);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      EXPECT_NE(runs[i].count, 0u);
      if (i != 0) {
        EXPECT_GT(runs[i].first, runs[i - 1].first + runs[i - 1].count);
      }
    }
  }
}

TEST(page_runs, subtract_as_sets_do) {
  std::mt19937 random(4);
  for (int round = 0; round < 500; ++round) {
    std::vector<page_run> from = some_runs(random);
    std::vector<page_run> what = some_runs(random);
    normalize(from);
    normalize(what);
    std::set<std::uint64_t> expected = pages(from);
    for (const std::uint64_t page : pages(what)) expected.erase(page);
    const std::vector<page_run> result = subtract(from, what);
    EXPECT_EQ(pages(result), expected);
    std::vector<page_run> again = result;
    normalize(again);
    EXPECT_EQ(again, result);
  }
}

TEST(page_runs, take_pages_in_and_give_them_as_sets_do) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<page_run> runs;
    std::set<std::uint64_t> expected;
    for (int step = 0; step < 40; ++step) {
      const page_run some{random() % 60, random() % 12};
      const bool is_added = random() % 2 == 0;
      (is_added ? add_run : remove_run)(runs, some);
      for (std::uint64_t page = some.first; page < some.first + some.count; ++page) {
        if (is_added) {
          expected.insert(page);
        } else {
          expected.erase(page);
        }
      }
      ASSERT_EQ(pages(runs), expected);
      ASSERT_TRUE(is_normalized(runs));
    }
  }
}

}  // namespace
}  // namespace perdure::detail
