// The description of a store, which programs get.
#include <gtest/gtest.h>

#include <string>

#include "store/commit/store_parts.hpp"
#include "support/scratch_directory.hpp"

namespace perdure::store {
namespace {

TEST(description_of_a_store, is_what_its_super_block_says) {
  const scratch_directory scratch(fast_directory());
  layout::super_slot super{};
  super.format = 2;
  super.compat = 3;
  super.read_only_compat = 4;
  super.incompat = 5;
  super.epoch = 7;
  super.applied_epoch = 6;
  super.capacity = 8 * layout::chunk_size;
  super.segment_bytes = 3 * layout::chunk_size;
  super.home_file_bytes = 4 * layout::chunk_size;
  super.address = 9;
  super.copied_epoch = 10;
  super.copied_ns = 11;
  super.flags = layout::flag_pinned;
  const store_info info = describe(os::file::open_directory(scratch.directory()), super, "an ABI");
  EXPECT_EQ(info.format_version, 2u);
  EXPECT_EQ(info.compat_features, 3u);
  EXPECT_EQ(info.read_only_compat_features, 4u);
  EXPECT_EQ(info.incompat_features, 5u);
  EXPECT_EQ(info.epoch, 7u);
  EXPECT_EQ(info.applied_epoch, 6u);
  EXPECT_EQ(info.address_space, 8 * layout::chunk_size);
  EXPECT_EQ(info.size, 3 * layout::chunk_size);
  EXPECT_EQ(info.home_file_size, 4 * layout::chunk_size);
  EXPECT_EQ(info.address, 9u);
  EXPECT_EQ(info.copied_epoch, 10u);
  EXPECT_EQ(info.copied_ns, 11u);
  EXPECT_TRUE(info.pinned);
  EXPECT_FALSE(info.open_dirty);
  EXPECT_EQ(info.abi, "an ABI");
  EXPECT_EQ(info.home_files, 0u);
}

}  // namespace
}  // namespace perdure::store
