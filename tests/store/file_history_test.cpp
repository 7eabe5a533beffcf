// Which files of a store are of another time, by their stamps.
#include "store/commit/file_history.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <string>

#include "store/file/file_stamps.hpp"
#include "support/scratch_directory.hpp"

namespace perdure::store {
namespace {

/// A store at checkpoint 5, whose home files were changed last by 5, 3 and none, and `crc` by 4.
class stamps_of_a_store : public testing::Test {
 protected:
  stamps_of_a_store() {
    home_.resize(3);
    stamp(home_[0], 4);
    stamp(home_[0], 5);
    stamp(home_[1], 3);
    stamp(table_, 4);
    super_.applied_epoch = super_.epoch = 5;
    super_.table_epoch = 4;
    super_.checkpoint = identity(5);
    super_.table_stamp = identity(4);
    super_.segment_bytes = 3 * layout::chunk_size;
    super_.home_stamps = sum_of_stamps(home_, 5).value();
  }

  static std::uint64_t identity(std::uint64_t epoch) { return 0x77000 + epoch; }
  static known_checkpoint of_this_history(std::uint64_t epoch) { return {epoch, 0, identity(epoch)}; }
  void stamp(file_stamps& stamps, std::uint64_t epoch) { stamps.write(file_, of_this_history(epoch)); }
  void stamp_foreign(file_stamps& stamps, std::uint64_t epoch) { stamps.write(file_, {epoch, 0, 0x99}); }

  /// The names of the files, each with a space before it.
  std::string found(std::initializer_list<std::uint64_t> later = {}) const {
    std::vector<known_checkpoint> checkpoints;
    for (const std::uint64_t epoch : later) checkpoints.push_back(of_this_history(epoch));
    std::string names;
    for (const foreign_file& one : find_foreign(home_, table_, super_, checkpoints)) names += " " + one.name;
    return names;
  }

  scratch_directory scratch_{fast_directory()};
  os::file file_ =
      os::file::open_in(os::file::open_directory(scratch_.directory()), "file", O_RDWR | O_CREAT);
  std::vector<file_stamps> home_;
  file_stamps table_;
  layout::super_slot super_{};
};

TEST_F(stamps_of_a_store, agree_with_its_super_block) {
  EXPECT_EQ(found(), "");
}

TEST_F(stamps_of_a_store, may_be_of_a_checkpoint_that_is_on_its_way_home) {
  stamp(home_[1], 6);
  EXPECT_EQ(found(), " heap.001");
  EXPECT_EQ(found({7}), " heap.001");
  EXPECT_EQ(found({6}), "");
  stamp(home_[2], 6);
  EXPECT_EQ(found(), " heap.001 heap.002");
  stamp_foreign(home_[0], 6);
  EXPECT_EQ(found({6}), " heap.000");
}

TEST_F(stamps_of_a_store, may_have_forgotten_the_checkpoint_at_home) {
  stamp(home_[0], 6);
  stamp(home_[0], 7);
  EXPECT_EQ(found({6, 7}), "");
}

TEST_F(stamps_of_a_store, tell_of_a_file_that_is_older) {
  home_[0] = {};
  stamp(home_[0], 4);
  EXPECT_EQ(found(), " heap.000");
  EXPECT_NE(find_foreign(home_, table_, super_, {})[0].what.find("another home file"), std::string::npos);
  home_.resize(1);
  EXPECT_EQ(found(), " heap.000");
  EXPECT_EQ(find_foreign(home_, table_, super_, {})[0].what.find("another home file"), std::string::npos);
}

TEST_F(stamps_of_a_store, name_a_file_once) {
  home_[0] = {};
  stamp_foreign(home_[1], 6);
  EXPECT_EQ(found(), " heap.001") << "it may be what the sum lacks too";
}

TEST_F(stamps_of_a_store, are_of_the_table_too) {
  table_ = {};
  stamp(table_, 3);
  EXPECT_EQ(found(), " crc") << "older";
  table_ = {};
  stamp_foreign(table_, 4);
  EXPECT_EQ(found(), " crc");
  table_ = {};
  stamp(table_, 4);
  stamp_foreign(table_, 5);
  EXPECT_EQ(found(), " crc");
  table_ = {};
  stamp(table_, 4);
  stamp(table_, 5);
  EXPECT_EQ(found(), "") << "brought up to date without a checkpoint";
  stamp(table_, 6);
  EXPECT_EQ(found(), " crc");
  EXPECT_EQ(found({6}), "");
}

TEST_F(stamps_of_a_store, count_for_nothing_where_a_shared_mapping_was_written_through) {
  super_.flags = layout::flag_open_dirty;
  stamp_foreign(home_[0], 9);
  stamp_foreign(table_, 9);
  EXPECT_EQ(found(), "");
  super_.flags = layout::flag_checksums_stale;
  EXPECT_EQ(found(), " heap.000 crc");
}

TEST(later_checkpoints, are_the_last_and_the_one_before_it) {
  layout::super_slot super{};
  super.applied_epoch = 5;
  layout::journal_header last{};
  last.segment_bytes = 300;
  last.checkpoint = 70;
  last.parent = 60;
  last.epoch = 5;
  EXPECT_TRUE(later_checkpoints(last, super).empty());
  last.epoch = 6;
  EXPECT_EQ(later_checkpoints(last, super), (std::vector<known_checkpoint>{{6, 300, 70}}));
  last.epoch = 7;
  EXPECT_EQ(later_checkpoints(last, super), (std::vector<known_checkpoint>{{7, 300, 70}, {6, 0, 60}}));
}

}  // namespace
}  // namespace perdure::store
