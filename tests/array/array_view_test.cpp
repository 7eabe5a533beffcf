// Views of memory in several dimensions.
#include "perdure/array/array_view.hpp"

#include <gtest/gtest.h>

#include <numeric>
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
