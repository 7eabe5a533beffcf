#include <gtest/gtest.h>

#include "heap/slab_geometry.hpp"

namespace perdure::detail {
namespace {

TEST(SizeClasses, EverySizeGoesToTheSmallestClassThatHoldsIt) {
  for (std::size_t bytes = 1; bytes <= max_small_size; ++bytes) {
    const unsigned c = class_of(bytes);
    ASSERT_GE(class_size(c), bytes);
    if (c > 0) {
      ASSERT_LT(class_size(c - 1), bytes);
    }
  }
  EXPECT_EQ(class_of(0), class_of(1));
}

TEST(SizeClasses, RoundingUpWastesAtMostAQuarterAboveLinearClasses) {
  for (std::size_t bytes = 65; bytes <= max_small_size; ++bytes)
    ASSERT_LE(class_size(class_of(bytes)), bytes + bytes / 4 + 1) << bytes;
}

TEST(SizeClasses, BlocksOfSixteenBytesAndMoreAreAlignedToSixteen) {
  for (unsigned c = 1; c < class_count; ++c) EXPECT_EQ(class_size(c) % 16, 0U);
}

TEST(SlabGeometry, SlabsWasteLittleAndHoldSeveralBlocks) {
  for (const slab_geometry& g : slab_geometries) {
    const std::size_t bytes = g.units * unit_size;
    EXPECT_GE(g.blocks, 4U);
    EXPECT_LE(bytes - std::size_t{g.blocks} * g.block_size, bytes / 32) << g.block_size;
  }
}

TEST(SlabGeometry, ReciprocalGivesTheIndexOfEveryBlock) {
  for (const slab_geometry& g : slab_geometries)
    for (std::uint64_t i = 0; i < g.blocks; ++i)
      ASSERT_EQ((i * g.block_size * g.reciprocal) >> 32, i) << g.block_size;
}

}  // namespace
}  // namespace perdure::detail
