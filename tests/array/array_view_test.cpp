// Views of memory in several dimensions.
#include "perdure/array/array_view.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <perdure/array/array_pieces.hpp>
#include <perdure/array/chunk_grid.hpp>
#include <vector>

namespace perdure {
namespace {

TEST(ArrayView, IsRowMajor) {
  std::vector<int> numbers(24);
  std::iota(numbers.begin(), numbers.end(), 0);
  const array_view<int, 3> view(numbers.data(), {2, 3, 4});
  EXPECT_EQ(view(1, 2, 3), 23);
  EXPECT_EQ(view(0, 1, 0), 4);
  EXPECT_EQ(view.size(), 24U);
  EXPECT_TRUE(view.is_contiguous());
  EXPECT_EQ(view.span().size(), 24U);
  const array_view<const int> any = view;
  EXPECT_EQ(any.rank(), 3U);
  EXPECT_EQ(any(1, 2, 3), 23);
  EXPECT_EQ(any.dims(), (extents{2, 3, 4}));
}

TEST(ArrayView, HasStridesOfAnyKind) {
  std::vector<int> numbers(24);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::ptrdiff_t transposed[] = {1, 6};
  const array_view<int, 2> view(numbers.data(), {6, 4}, transposed);
  EXPECT_EQ(view(5, 3), 23);
  EXPECT_FALSE(view.is_contiguous());
  EXPECT_THROW(view.span(), error);
  const std::ptrdiff_t backwards[] = {-1};
  const array_view<int, 1> reversed(numbers.data() + 23, {24}, backwards);
  EXPECT_EQ(reversed(0), 23);
  EXPECT_EQ(reversed(23), 0);
}

TEST(ArrayPieces, AreBesideEachOther) {
  for (const extents& dims : {extents{}, extents{0}, extents{1}, extents{7}, extents{3, 4}, extents{2, 0, 3},
                              extents{5, 1, 3}, extents{2, 3, 4, 5}}) {
    for (const std::uint64_t most : {1, 2, 3, 5, 12, 1000}) {
      std::uint64_t place = 0;  // of the first element of the next part
      array_pieces pieces(dims, most);
      while (pieces.next_elements() != 0) {
        const std::uint64_t elements = pieces.next_elements();
        const slab part = pieces.next();
        ASSERT_EQ(part.count.elements(), elements);
        ASSERT_LE(elements, most);
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        for (std::size_t i = 0; i < dims.rank(); ++i) {
          first = first * dims[i] + part.offset[i];
          last = last * dims[i] + part.offset[i] + part.count[i] - 1;
        }
        ASSERT_EQ(first, place) << dims.text() << ' ' << most;
        ASSERT_EQ(last, place + elements - 1) << dims.text() << ' ' << most;
        place += elements;
      }
      EXPECT_EQ(place, dims.elements());
    }
  }
  array_pieces grained({10, 3}, 15, 4);
  EXPECT_EQ(grained.next().count, (extents{4, 3}));
  EXPECT_EQ(grained.next().count, (extents{4, 3}));
  EXPECT_EQ(grained.next().count, (extents{2, 3}));
}

TEST(ChunkGrid, VisitsTheChunksOfAPartInRowMajorOrder) {
  const chunk_grid grid({10, 7}, {4, 3});
  std::vector<std::uint64_t> numbers;
  std::uint64_t elements = 0;
  grid.for_each_in({0, 0}, {10, 7}, [&](const extents& place) {
    numbers.push_back(grid.number_of(place));
    const slab part = grid.part_at(place);
    EXPECT_EQ(grid.place_of(part.offset), place);
    elements += part.count.elements();
  });
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(elements, 70U) << "the chunks at the edges are cut";
  EXPECT_EQ(grid.count_in({0, 0}, {10, 7}), 9U);

  numbers.clear();
  grid.for_each_in({3, 5}, {2, 2}, [&](const extents& place) { numbers.push_back(grid.number_of(place)); });
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2, 4, 5}));
  EXPECT_EQ(grid.count_in({3, 5}, {2, 2}), 4U);
}

TEST(ChunkGrid, HasNoChunksForAPartWithoutElements) {
  const chunk_grid grid({10, 7}, {4, 3});
  grid.for_each_in({2, 2}, {3, 0}, [](const extents&) { FAIL(); });
  EXPECT_EQ(grid.count_in({2, 2}, {3, 0}), 0U);
  const extents most = extents::all(2, ~std::uint64_t{0});
  EXPECT_EQ(chunk_grid(most, {1, 1}).count_in({0, 0}, most), ~std::uint64_t{0}) << "more than can be counted";
}

TEST(ArrayView, KnowsItsRank) {
  int one = 5;
  const array_view<int, 0> single(&one, {});
  EXPECT_EQ(single(), 5);
  EXPECT_EQ(single.size(), 1U);
  EXPECT_THROW((array_view<int, 2>(&one, {1, 1, 1})), error);
  EXPECT_THROW(extents::all(33, 1), error);
  EXPECT_THROW((extents{1ULL << 40, 1ULL << 40}.elements()), error);
  EXPECT_EQ((extents{3, 4}.text()), "[3, 4]");
}

}  // namespace
}  // namespace perdure
