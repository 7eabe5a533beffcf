// Overviews of stores, and histograms of arrays.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <perdure/array_store.hpp>
#include <perdure/inspect/overview.hpp>
#include <perdure/perdure.hpp>
#include <string>
#include <vector>

#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

class Overview : public scratch_test {
 protected:
  manager store_{create_only, path(), small_store()};
};

TEST_F(Overview, ListsTheLargestObjectsAndSumsUpTheOthers) {
  for (int i = 1; i <= 5; ++i)
    store_.construct<vector<int>>("v" + std::to_string(i))(static_cast<std::size_t>(i) * 1000, i);
  store_.construct<int>(anonymous_instance)(1);
  store_.close();
  const manager reader(open_read_only, path());
  const inspect::store_overview found = inspect::overview_of(reader, {.most_rows = 2});
  ASSERT_EQ(found.objects.size(), 2U);
  EXPECT_EQ(found.objects[0].info.name(), "v5");
  EXPECT_EQ(found.objects[1].info.name(), "v4");
  EXPECT_EQ(found.other_objects, 3U);
  EXPECT_GE(found.other_object_bytes, 6000 * sizeof(int));
  ASSERT_EQ(found.anonymous.size(), 1U);
  EXPECT_EQ(found.heap.blocks, reader.memory().stats().blocks);
  EXPECT_FALSE(found.occupancy.map.empty());
  EXPECT_TRUE(found.problems.empty());
}

TEST_F(Overview, HasTheAttributesAndNumbersOfArrays) {
  array_store arrays(store_);
  arrays.store("small", std::vector<std::int16_t>{-3, 0, 0, 4});
  arrays.array("small").set_attribute("units", "K");
  arrays.store("large", std::vector<double>(1000, 2.5));
  arrays.store("texts", std::vector<std::string>{"a", "b"});
  const inspect::store_overview found = inspect::overview_of(store_);
  ASSERT_EQ(found.arrays.size(), 3U);
  EXPECT_EQ(found.arrays[0].info.id, "large");
  ASSERT_TRUE(found.arrays[0].summary);
  EXPECT_EQ(found.arrays[0].summary->bins, std::vector<std::uint64_t>{1000});
  for (const inspect::array_overview& one : found.arrays) {
    if (one.info.id == "texts") {
      EXPECT_FALSE(one.summary);
    }
    if (one.info.id != "small") continue;
    ASSERT_EQ(one.attributes.size(), 1U);
    EXPECT_EQ(one.attributes[0].first, "units");
    EXPECT_EQ(one.summary->bins, (std::vector<std::uint64_t>{1, 0, 0, 2, 0, 0, 0, 1}));
    EXPECT_EQ(one.summary->mean, 0.25);
  }
  EXPECT_TRUE(inspect::overview_of(store_, {.reads_arrays = false}).arrays.empty());
}

TEST_F(Overview, LeavesNumbersThatAreNotFiniteOutOfTheHistogram) {
  constexpr double large = std::numeric_limits<double>::max();
  array_store arrays(store_);
  arrays.store("x", std::vector<double>{-large, large, std::nan(""), HUGE_VAL});
  const auto found = inspect::summary_of(*arrays.untyped(), arrays.info("x"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->not_finite, 2U);
  EXPECT_EQ(found->mean, 0);
  EXPECT_EQ(found->bins.front(), 1U);
  EXPECT_EQ(found->bins.back(), 1U);
}

TEST_F(Overview, SamplesLargeArraysFromAllOverThem) {
  array_store arrays(store_);
  constexpr std::uint64_t rows = 640;
  constexpr std::uint64_t columns = 100;
  std::vector<float> numbers(rows * columns);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i / columns);
  const array_view<const float, 2> view(numbers.data(), {rows, columns});
  arrays.store("whole", view);
  array_options chunked;
  chunked.layout = array_layout::chunked;
  chunked.chunk = {64, 30};
  arrays.store("chunked", view, chunked);
  for (const char* const id : {"whole", "chunked"}) {
    const auto found = inspect::summary_of(*arrays.untyped(), arrays.info(id), {.most_elements = 6400});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->elements, numbers.size());
    EXPECT_LE(found->sampled, 6400U);
    EXPECT_GE(found->sampled, 2000U);
    EXPECT_EQ(found->smallest, 0);
    EXPECT_GE(found->largest, 576);
    EXPECT_EQ(std::accumulate(found->bins.begin(), found->bins.end(), std::uint64_t{0}), found->sampled);
    const auto all = inspect::summary_of(*arrays.untyped(), arrays.info(id));
    EXPECT_EQ(all->sampled, numbers.size());
    EXPECT_NEAR(all->mean, 319.5, 1e-9);
  }
}

}  // namespace
}  // namespace perdure
