// Pages of home that the last checkpoint does not have, compared with a model.
#include "store/commit/early_home.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <utility>

#include "page_sets.hpp"
#include "store/file/checked_block.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/watched_calls.hpp"

namespace perdure::store {
namespace {

/// A page has this number in each of its bytes.
using content = std::uint8_t;

class early_pages_at_home : public testing::Test {
 protected:
  early_pages_at_home() {
    super_.capacity = std::uint64_t{1} << 30;
    super_.home_file_bytes = std::uint64_t{1} << 30;
    home_files::create(directory_, super_);
    checksum_table::create(directory_, super_);
    home_.emplace(directory_, super_, true);
    table_.emplace(directory_, super_, true);
    early_.emplace(*home_, name_);
    early_->attach(evicted_);
    early_->extend(layout::chunk_size);
  }

  void write(std::uint64_t page, content what) {
    const std::vector<std::byte> bytes(page_size, std::byte{what});
    home_->write(page, 1, bytes.data());
  }
  content read(std::uint64_t page) const {
    std::vector<std::byte> bytes(page_size);
    home_->read(page, bytes.data());
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), bytes[0]), static_cast<std::ptrdiff_t>(page_size));
    return static_cast<content>(bytes[0]);
  }
  /// Writes a page home as those do that are evicted.
  void settle(std::uint64_t page, content what) {
    write(page, what);
    alignas(64) std::array<std::byte, page_size> bytes;
    home_->read(page, bytes.data());
    early_->pages().settle(page, page_checksum(page, bytes.data()));
  }

  scratch_directory scratch_{fast_directory()};
  std::filesystem::path name_ = "the store";
  os::file directory_ = os::file::open_directory(scratch_.directory());
  layout::super_slot super_{};
  std::optional<home_files> home_;
  std::optional<checksum_table> table_;
  no_evicted_pages evicted_;
  std::optional<early_home> early_;
  random_stream random_{23};
};

/// The model's knowledge of a page.
struct page_state {
  content at_home = 0;
  bool is_touched = false;
  bool is_settled = false;
  bool is_spent = false;  // written by the checkpoint under way beyond the committed length, and not before
};

TEST_F(early_pages_at_home, are_given_back_and_cleared_away_where_no_checkpoint_has_them) {
  std::map<std::uint64_t, page_state> model;
  std::uint64_t committed = 0;
  content next = 1;
  for (int step = 0; step < 6000; ++step) {
    const std::uint64_t page = random_.below(page_count);
    page_state& state = model[page];
    switch (random_.below(7)) {
      case 0:
      case 1:
        next = static_cast<content>(next % 200 + 1);
        settle(page, next);
        state = {next, true, true, state.is_spent};
        break;
      case 2:
        early_->pages().unsettle({page, 1});
        state.is_settled = false;
        break;
      case 3: {
        const std::uint64_t count = random_.below(page_count - page) + 1;
        early_->begin_fresh({page, count}, committed);
        for (std::uint64_t one = page; one < page + count; ++one) {
          write(one, 201);
          early_->pages().unsettle({one, 1});
          const bool is_new = one >= committed && !model[one].is_touched;
          model[one] = {201, true, false, is_new || model[one].is_spent};
        }
        break;
      }
      case 4: {
        const page_set released = some_pages(random_, 0, page_count, 2);
        page_set expected;
        for (std::uint64_t one = 0; one < page_count; ++one) {
          constexpr std::uint32_t kinds[] = {layout::no_checksum, layout::any_content,
                                             layout::first_checksum};
          const std::uint32_t kind = kinds[random_.below(3)];
          table_->set(one, kind);
          if (!released.contains(one) || !model[one].is_touched) continue;
          if (one < committed && kind == layout::first_checksum) continue;
          expected.insert(one);
          model[one].at_home = 0;
          model[one].is_settled = false;
        }
        const std::vector<detail::page_run> punched =
            early_->give_back(runs_of(released), {committed, *table_, false});
        ASSERT_EQ(pages_in(punched), expected);
        ASSERT_TRUE(detail::is_normalized(punched));
        break;
      }
      case 5:
        early_->clear_away();
        for (auto& [one, what] : model) {
          if (what.is_spent && !what.is_settled) what = {};
          what.is_spent = false;
        }
        break;
      default:
        if (!random_.one_in(4)) break;
        early_->committed();
        for (auto& [one, what] : model) what.is_touched = what.is_settled = what.is_spent = false;
        committed = random_.below(page_count);
        EXPECT_TRUE(early_->pages().empty());
    }
    for (const auto& [one, what] : model) {
      ASSERT_EQ(read(one), what.at_home) << "page " << one << ", step " << step;
      ASSERT_EQ(early_->pages().is_touched(one), what.is_touched) << "page " << one << ", step " << step;
      ASSERT_EQ(early_->pages().is_settled(one), what.is_settled) << "page " << one << ", step " << step;
    }
  }
}

// A crash might bring old bytes back after a checkpoint that takes those places to be zero.
TEST_F(early_pages_at_home, are_durably_gone_once_they_are_cleared_away) {
  early_->begin_fresh({3, 2}, 0);
  write(3, 7);
  write(4, 8);
  home_->sync();
  int punched = 0;
  int synced = 0;
  {
    const watched_calls calls([&](const os::file_call& call, std::string_view file) {
      if (file != "heap.000") return 0;
      if (call.operation == os::file_operation::punch) ++punched;
      if (call.operation == os::file_operation::sync_data && punched != 0) ++synced;
      return 0;
    });
    early_->clear_away();
    EXPECT_EQ(punched, 1);
    EXPECT_EQ(synced, 1);
    early_->clear_away();
  }
  EXPECT_EQ(punched, 1);
  EXPECT_EQ(synced, 1);
}

TEST_F(early_pages_at_home, are_written_again_after_a_sync_that_failed) {
  settle(5, 50);
  int written = 0;
  const auto count_writes = [&](const os::file_call& call, std::string_view file) {
    if (file == "heap.000" && call.operation == os::file_operation::write &&
        call.offset >= layout::home_data_offset)
      ++written;
    return 0;
  };
  {
    const watched_calls calls(count_writes);
    early_->sync();
    early_->clear_away();
    EXPECT_EQ(written, 0);
  }
  settle(9, 90);
  {
    const watched_calls broken(failing(os::file_operation::sync_data, "heap.000", EIO));
    EXPECT_THROW(early_->sync(), std::system_error);
  }
  {
    const watched_calls calls(count_writes);
    early_->clear_away();
    EXPECT_EQ(written, 2);
    early_->clear_away();
    EXPECT_EQ(written, 2) << "what is known to be there is not written again";
  }
  EXPECT_EQ(read(5), 50);
  EXPECT_EQ(read(9), 90);
}

TEST_F(early_pages_at_home, are_missed_where_the_device_has_lost_them) {
  settle(5, 50);
  {
    const watched_calls broken(failing(os::file_operation::sync_data, "heap.000", EIO));
    EXPECT_THROW(early_->sync(), std::system_error);
  }
  write(5, 49);
  for (int round = 0; round < 2; ++round)
    EXPECT_TRUE(fails_with(errc::io, "page 5 of the store", [&] { early_->clear_away(); }));
}

TEST_F(early_pages_at_home, are_in_doubt_where_settling_fails) {
  settle(5, 50);
  EXPECT_THROW(early_->while_synced([] { throw std::bad_alloc(); }), std::bad_alloc);
  // One that succeeds tells nothing of what was written before.
  early_->while_synced([] {});
  write(5, 49);
  EXPECT_TRUE(fails_with(errc::io, "page 5", [&] { early_->clear_away(); }));
  settle(5, 51);
  early_->clear_away();
  early_->while_synced([] {});
  write(5, 49);
  EXPECT_NO_THROW(early_->clear_away());
}

}  // namespace
}  // namespace perdure::store
