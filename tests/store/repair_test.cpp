// Repair mends what has a second source, names what has none, and never makes things worse.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <perdure/datastore.hpp>
#include <perdure/repair.hpp>
#include <perdure/store_maintenance.hpp>
#include <random>

#include "os/crc32c.hpp"
#include "segment/segment.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/layout.hpp"
#include "store/file/super_block.hpp"
#include "store/three_files_test.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/flipped_bit.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/unsynced_files.hpp"

namespace perdure {
namespace {

namespace fs = std::filesystem;

std::string describe(const repair_report& report) {
  std::string text;
  for (const std::string& one : report.done) text += "\n  done: " + one;
  for (const verify_finding& one : report.after.findings) text += "\n  left: " + to_string(one);
  return text;
}

class repairing : public three_files_test {
 protected:
  void flip(const std::string& name, std::uint64_t offset) const { flip_bit(path() / name, offset, 2); }
  /// Repairs the store, and expects that all that it wrote is durable.
  repair_report repair(const repair_options& options = {}) const {
    const unsynced_files unsynced;
    const repair_report report = store_maintenance::repair(path(), options);
    for (const std::string& name : unsynced.names())
      ADD_FAILURE() << name << " is not durable" << describe(report);
    return report;
  }
  repair_report accept_damage() const {
    repair_options options;
    options.accept_damage = true;
    return repair(options);
  }
  /// Changes both slots, and may exchange them.
  void change_super(const std::function<void(store::layout::super_slot&)>& change,
                    bool are_exchanged = false) const {
    const os::file file = os::file::open_in(os::file::open_directory(path()), "super", O_RDWR);
    store::super_file content;
    ASSERT_EQ(file.read_at(&content, sizeof content, 0), sizeof content);
    for (store::layout::super_slot& slot : content.slots) {
      change(slot);
      store::seal_block(slot);
    }
    if (are_exchanged) std::swap(content.slots[0], content.slots[1]);
    file.write_at(&content, sizeof content, 0);
  }
  /// Changes a page of the table, and seals it again.
  void change_table_page(std::uint64_t index,
                         const std::function<void(store::layout::table_page&)>& change) const {
    const os::file file = os::file::open_in(os::file::open_directory(path()), "crc", O_RDWR);
    const std::uint64_t place = (index + 1) * store::layout::block;
    store::layout::table_page page;
    ASSERT_EQ(file.read_at(&page, sizeof page, place), sizeof page);
    change(page);
    page.crc = os::crc32c(0, &page.index, sizeof page - offsetof(store::layout::table_page, index));
    file.write_at(&page, sizeof page, place);
  }
  /// Runs `work` on the open store in a process that is killed.
  void kill_after(const std::function<void(datastore&)>& work) const {
    ASSERT_TRUE(in_another_process([&]() -> int {
      const auto store = datastore::open(path(), small_store());
      work(*store);
      ::_exit(0);
    }));
  }
  /// Puts a home file of a copy, with another page 1500, in the place of the store's own.
  void take_home_file_of_copy() const {
    store_maintenance::copy(path(), path("copy"));
    for (const fs::path& one : {path(), path("copy")}) {
      const auto store = datastore::open(one, small_store());
      put(*store, 1500, one == path() ? 1 : 2);
      store->checkpoint();
    }
    fs::copy_file(path("copy") / "heap.001", path("foreign"));
    fs::remove_all(path("copy"));
  }
  ::testing::AssertionResult content_is_right() const {
    const auto store = datastore::open(path());
    for (std::uint64_t page = 0; page < pages; ++page)
      if (auto found = has(*store, page, number_of(page)); !found) return found;
    // And it can be worked on.
    put(*store, 17, 1);
    store->checkpoint();
    store->close();
    const verify_report report = store_maintenance::verify(path());
    if (!report.whole()) return ::testing::AssertionFailure() << to_string(report.findings.front());
    return ::testing::AssertionSuccess();
  }
  std::vector<std::string> bytes_of_all_files() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(path())) {
      if (entry.path().filename() == "LOCK") continue;
      std::string& bytes = all.emplace_back(entry.file_size(), '\0');
      std::ifstream(entry.path(), std::ios::binary)
          .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      bytes += entry.path().filename().string();
    }
    std::sort(all.begin(), all.end());
    return all;
  }
};

TEST_F(repairing, leaves_a_sound_store_alone) {
  make_store();
  const auto before = bytes_of_all_files();
  const repair_report report = store_maintenance::repair(path());
  EXPECT_TRUE(report.whole());
  EXPECT_TRUE(report.done.empty()) << describe(report);
  EXPECT_EQ(bytes_of_all_files(), before);
}

TEST_F(repairing, does_not_take_pages_of_two_checkpoints_for_one) {
  make_store();
  // A checkpoint that made the segment longer was brought home, all but the super block; its journal is gone.
  change_table_page(2, [](store::layout::table_page& table) {
    table.entries[2560 - 2 * store::layout::entries_per_table_page + 7] = 4711;
  });
  repair_report report = store_maintenance::repair(path());
  EXPECT_FALSE(report.whole()) << describe(report);
  EXPECT_TRUE(report.done.empty()) << describe(report);
  report = accept_damage();
  EXPECT_TRUE(report.whole()) << describe(report);
}

TEST_F(repairing, makes_table_pages_of_other_stores_and_places_anew) {
  const std::function<void(store::layout::table_page&)> changes[] = {
      [](store::layout::table_page& table) { ++table.store[0]; },
      [](store::layout::table_page& table) { table.index = 0; },
  };
  for (const auto& change : changes) {
    make_store();
    change_table_page(1, change);
    const repair_report report = repair();
    EXPECT_TRUE(report.whole()) << describe(report);
    EXPECT_TRUE(content_is_right());
  }
}

TEST_F(repairing, does_not_take_the_table_of_another_store) {
  make_store();
  fs::rename(path(), path("another"));
  fs::rename(path("master"), path("another master"));
  make_store();
  fs::copy_file(path("another") / "crc", path() / "crc", fs::copy_options::overwrite_existing);
  const auto before = bytes_of_all_files();
  const repair_report report = repair();
  EXPECT_FALSE(report.whole());
  EXPECT_TRUE(report.done.empty()) << describe(report);
  EXPECT_EQ(bytes_of_all_files(), before);
}

TEST_F(repairing, mends_what_has_a_second_source) {
  const struct {
    const char* what;
    std::function<void()> harm;
  } harms[] = {
      {"super slot", [&] { flip("super", store::layout::block + 100); }},
      {"first super slot", [&] { flip("super", 100); }},
      {"super too long", [&] { fs::resize_file(path() / "super", 20'000); }},
      {"home header", [&] { flip("heap.001", 30); }},
      {"home padding", [&] { flip("heap.000", 70'000); }},
      {"table header", [&] { flip("crc", 300); }},
      {"table page", [&] { flip("crc", 2 * store::layout::block + 300); }},
      {"table cut", [&] { fs::resize_file(path() / "crc", 2 * store::layout::block + 300); }},
      {"table header and cut",
       [&] {
         flip("crc", 300);
         fs::resize_file(path() / "crc", 2 * store::layout::block + 300);
       }},
      {"table missing", [&] { fs::remove(path() / "crc"); }},
      {"journal missing", [&] { fs::remove(path() / "jrnl.0"); }},
      {"journal cut", [&] { fs::resize_file(path() / "jrnl.1", 70); }},
      {"lock missing", [&] { fs::remove(path() / "LOCK"); }},
      {"several",
       [&] {
         flip("super", store::layout::block + 8);
         flip("heap.002", 60);
         flip("crc", 20);
         flip("crc", store::layout::block + 20);
         fs::remove(path() / "jrnl.1");
       }},
  };
  for (const auto& harm : harms) {
    make_store();
    harm.harm();
    const repair_report report = repair();
    EXPECT_TRUE(report.whole()) << harm.what << describe(report);
    EXPECT_FALSE(report.done.empty()) << harm.what;
    EXPECT_TRUE(content_is_right()) << harm.what << describe(report);
  }
}

TEST_F(repairing, puts_another_stores_journal_aside) {
  make_store();
  store_options options;
  options.capacity = std::size_t{1} << 30;
  datastore::create(path("other"), options)->close();
  fs::copy_file(path("other") / "jrnl.0", path() / "jrnl.0", fs::copy_options::overwrite_existing);
  const repair_report report = store_maintenance::repair(path());
  EXPECT_TRUE(report.whole()) << describe(report);
  EXPECT_TRUE(fs::exists(path() / "jrnl.0.foreign"));
  EXPECT_TRUE(content_is_right());
}

TEST_F(repairing, puts_another_stores_prepared_journal_aside) {
  make_store();
  store_options options;
  options.capacity = std::size_t{1} << 30;
  const auto other = datastore::create(path("other"), options);
  const auto prepared = other->prepare();
  fs::copy_file(path("other") / "jrnl.1", path() / "jrnl.1", fs::copy_options::overwrite_existing);
  const repair_report report = store_maintenance::repair(path());
  EXPECT_TRUE(report.whole()) << describe(report);
  EXPECT_TRUE(fs::exists(path() / "jrnl.1.foreign"));
  EXPECT_TRUE(content_is_right());
}

TEST_F(repairing, names_a_damaged_page_and_does_not_touch_it) {
  make_store();
  const std::uint64_t offset = store::layout::home_data_offset + 20 * page_size + 5;
  flip("heap.000", offset);
  const auto before = bytes_of_all_files();
  repair_report report = store_maintenance::repair(path());
  EXPECT_FALSE(report.whole());
  ASSERT_EQ(report.after.damages, 1u) << describe(report);
  EXPECT_EQ(report.after.findings.front().page, 20u);
  EXPECT_EQ(bytes_of_all_files(), before);

  report = accept_damage();
  EXPECT_TRUE(report.whole()) << describe(report);
  ASSERT_EQ(report.done.size(), 1u) << describe(report);
  EXPECT_NE(report.done[0].find("took page 20 as it is"), std::string::npos);
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  flip("heap.000", offset);
  EXPECT_FALSE(store_maintenance::verify(path()).whole());
}

TEST_F(repairing, a_file_cut_short_is_made_long_again_only_when_told_to) {
  make_store();
  fs::resize_file(path() / "heap.001", store::layout::home_data_offset + 4096 * 100);
  EXPECT_FALSE(store_maintenance::repair(path()).whole());
  EXPECT_EQ(fs::file_size(path() / "heap.001"), store::layout::home_data_offset + 4096 * 100);
  EXPECT_TRUE(fails_with(errc::damaged, "cut short", [&] { datastore::open(path()); }));
  const repair_report report = accept_damage();
  EXPECT_TRUE(report.whole()) << describe(report);
  const auto store = datastore::open(path());
  EXPECT_TRUE(holds(store->memory().base() + 1105 * page_size, 1106));
  EXPECT_TRUE(holds(store->memory().base() + 1205 * page_size, 0));
}

TEST_F(repairing, says_what_cannot_be_mended) {
  make_store();
  flip("super", 100);
  flip("super", store::layout::block + 100);
  repair_report report = store_maintenance::repair(path());
  EXPECT_FALSE(report.whole());
  EXPECT_TRUE(report.done.empty());
  make_store();
  flip("super", 2 * store::layout::block + 100);
  report = store_maintenance::repair(path());
  EXPECT_FALSE(report.whole());
  make_store();
  fs::remove(path() / "heap.001");
  report = store_maintenance::repair(path());
  EXPECT_FALSE(report.whole());
}

TEST_F(repairing, does_nothing_where_no_slot_of_the_super_block_is_sound) {
  make_store();
  flip("super", 3000);
  flip("super", store::layout::block + 3000);
  const auto before = bytes_of_all_files();
  const repair_report report = accept_damage();
  EXPECT_FALSE(report.whole());
  EXPECT_TRUE(report.done.empty()) << describe(report);
  EXPECT_EQ(bytes_of_all_files(), before);
}

TEST_F(repairing, says_which_stamp_it_makes_up_when_told_to) {
  make_store();
  flip("super", 2 * store::layout::block + 100);
  const repair_report report = accept_damage();
  EXPECT_TRUE(report.whole()) << describe(report);
  ASSERT_EQ(report.done.size(), 1u) << describe(report);
  EXPECT_NE(report.done[0].find("ABI stamp"), std::string::npos);
  EXPECT_TRUE(content_is_right());
}

TEST_F(repairing, leaves_what_the_next_opening_clears_away) {
  make_store();
  flip("jrnl.1", 70);
  const auto before = bytes_of_all_files();
  const repair_report report = store_maintenance::repair(path());
  EXPECT_EQ(report.before.findings.size(), 1u);
  EXPECT_TRUE(report.whole());
  EXPECT_TRUE(report.done.empty()) << describe(report);
  EXPECT_EQ(bytes_of_all_files(), before);
}

TEST_F(repairing, does_nothing_where_the_super_block_is_absurd) {
  make_store();
  change_super([](store::layout::super_slot& slot) {
    slot.home_file_bytes += 1;
    slot.flags |= store::layout::flag_checksums_stale | store::layout::flag_open_dirty;
  });
  const auto before = bytes_of_all_files();
  const repair_report report = accept_damage();
  EXPECT_FALSE(report.whole());
  EXPECT_TRUE(report.done.empty()) << describe(report);
  EXPECT_EQ(bytes_of_all_files(), before);
}

TEST_F(repairing, closes_a_shared_mapping_that_was_not_closed_only_when_told_to) {
  for (const bool are_exchanged : {false, true}) {
    make_store();
    change_super(
        [](store::layout::super_slot& slot) {
          slot.flags |= store::layout::flag_checksums_stale | store::layout::flag_open_dirty;
        },
        are_exchanged);
    const auto before = bytes_of_all_files();
    repair_report report = store_maintenance::repair(path());
    EXPECT_FALSE(report.whole());
    EXPECT_TRUE(report.done.empty()) << describe(report);
    EXPECT_EQ(bytes_of_all_files(), before);
    report = accept_damage();
    EXPECT_TRUE(report.whole()) << describe(report);
    EXPECT_FALSE(report.done.empty());
    EXPECT_FALSE(store_maintenance::inspect(path()).open_dirty);
    EXPECT_TRUE(content_is_right());
  }
}

TEST_F(repairing, does_not_lengthen_a_file_that_nothing_needs) {
  make_store();
  // Of another place, and behind the end of the segment.
  fs::copy_file(path() / "heap.002", path() / "heap.003");
  const std::uint64_t size = fs::file_size(path() / "heap.003");
  const repair_report report = accept_damage();
  EXPECT_FALSE(report.whole());
  EXPECT_TRUE(report.done.empty()) << describe(report);
  EXPECT_EQ(fs::file_size(path() / "heap.003"), size);
  make_store();
  fs::copy_file(path() / "heap.000", path() / "heap.001", fs::copy_options::overwrite_existing);
  EXPECT_TRUE(accept_damage().done.empty()) << "it is long enough";
}

TEST_F(repairing, leaves_the_table_where_the_pages_are_not_all_there) {
  make_store();
  fs::remove(path() / "heap.001");
  flip("crc", store::layout::block + 300);
  const auto before = bytes_of_all_files();
  const repair_report report = repair();
  EXPECT_FALSE(report.whole());
  EXPECT_TRUE(report.done.empty()) << describe(report);
  EXPECT_EQ(bytes_of_all_files(), before);
}

// A home file of another history keeps the store from being opened, and so its last checkpoint, or what it
// had before pages were written early, from being brought home.
TEST_F(repairing, leaves_the_table_where_the_pages_are_of_two_checkpoints) {
  for (const bool is_early : {false, true}) {
    make_store();
    fs::remove(path("foreign"));
    take_home_file_of_copy();
    kill_after([is_early](datastore& store) {
      for (std::uint64_t page = 0; page < 1000; page += 5) put(store, page, page + 9);
      if (is_early) return store.trim();
      const watched_calls never(failing({os::file_operation::write}, "heap.", EIO));
      store.checkpoint();
      ::_exit(0);
    });
    fs::copy_file(path("foreign"), path() / "heap.001", fs::copy_options::overwrite_existing);
    flip("crc", 3 * store::layout::block + 300);
    const repair_report report = repair();
    EXPECT_FALSE(report.whole());
    EXPECT_TRUE(report.done.empty()) << describe(report);
  }
}

// The journal before the last one is of no use when the last one, which is not home yet, has what it carried.
TEST_F(repairing, makes_no_checksums_anew_that_the_last_journal_has) {
  make_store();
  kill_after([](datastore& store) {
    put(store, 5, 3);
    store.checkpoint();
    store.wait_applied();
    put(store, 10, 4);
    const watched_calls never(failing({os::file_operation::write}, "heap.", EIO));
    store.checkpoint();
    ::_exit(0);
  });
  fs::remove(path() / "jrnl.1");
  const repair_report report = repair();
  EXPECT_TRUE(report.whole()) << describe(report);
  for (const std::string& one : report.done)
    EXPECT_EQ(one.find("made all checksums anew"), std::string::npos) << describe(report);
  const auto store = datastore::open(path());
  EXPECT_TRUE(has(*store, 5, 3));
  EXPECT_TRUE(has(*store, 10, 4));
}

// A journal of two checkpoints earlier was put back, and with the last one its checksums are lost.
TEST_F(repairing, makes_checksums_anew_that_only_a_lost_journal_had) {
  for (const bool is_there : {false, true}) {
    make_store();
    fs::remove(path("older"));
    kill_after([this](datastore& store) {
      for (std::uint64_t epoch = 3; epoch <= 5; ++epoch) {
        put(store, 5, epoch);
        put(store, 10, 11);
        store.checkpoint();
        store.wait_applied();
        if (epoch == 3) fs::copy_file(path() / "jrnl.1", path("older"));
      }
    });
    fs::remove(path() / "jrnl.1");
    if (is_there) fs::copy_file(path("older"), path() / "jrnl.1");
    const repair_report report = store_maintenance::repair(path());
    EXPECT_TRUE(report.whole()) << describe(report);
    EXPECT_FALSE(fs::exists(path() / "jrnl.1.foreign"));
    EXPECT_TRUE(report.after.findings.empty()) << describe(report);
    const auto store = datastore::open(path());
    EXPECT_EQ(store->epoch(), 5u);
    EXPECT_TRUE(has(*store, 5, 5));
    store->checkpoint({}, "next");
    store->close();
    EXPECT_TRUE(store_maintenance::verify(path()).whole());
  }
}

TEST_F(repairing, brings_a_committed_checkpoint_home_first) {
  make_store();
  {
    const auto store = datastore::open(path());
    put(*store, 5, 12345);
    store->checkpoint();
  }
  for (const char* name : {"super", "heap.000", "heap.001", "heap.002", "crc"})
    fs::copy_file(path("master") / name, path() / name, fs::copy_options::overwrite_existing);
  flip("heap.000", 30);
  const repair_report report = store_maintenance::repair(path());
  EXPECT_TRUE(report.whole()) << describe(report);
  EXPECT_EQ(report.after.applied_epoch, 3u);
  const auto store = datastore::open(path());
  EXPECT_TRUE(holds(store->memory().base() + 5 * page_size, 12345));
}

TEST_F(repairing, gives_checksums_to_a_store_written_through_a_shared_mapping) {
  make_store();
  store_options options;
  options.backing = backing::shared_file;
  {
    const auto store = datastore::open(path(), options);
    put(*store, 7, 99);
  }
  const std::uint64_t size = fs::file_size(path() / "crc");
  const repair_report report = store_maintenance::repair(path());
  EXPECT_TRUE(report.whole()) << describe(report);
  EXPECT_EQ(fs::file_size(path() / "crc"), size);
  EXPECT_TRUE(report.after.findings.empty()) << describe(report);
  flip("heap.000", store::layout::home_data_offset + 7 * page_size + 9);
  EXPECT_EQ(store_maintenance::verify(path()).damages, 1u);
}

TEST_F(repairing, random_damage_is_never_made_worse) {
  std::mt19937_64 random(11);
  const char* names[] = {"super", "crc", "jrnl.0", "jrnl.1", "heap.000", "heap.001", "heap.002"};
  for (int round = 0; round < 40; ++round) {
    make_store();
    for (int i = 0; i < 3; ++i) {
      const char* name = names[random() % std::size(names)];
      flip(name, random() % fs::file_size(path() / name));
    }
    const repair_report report = store_maintenance::repair(path());
    EXPECT_LE(report.after.damages, report.before.damages) << describe(report);
    const repair_report again = store_maintenance::repair(path());
    EXPECT_EQ(again.after.damages, report.after.damages) << describe(again);
    EXPECT_TRUE(again.done.empty()) << describe(again);
  }
}

TEST_F(repairing, needs_the_store_for_itself) {
  make_store();
  const auto reader = datastore::open_read_only(path());
  EXPECT_TRUE(fails_with(errc::in_use, "", [&] { store_maintenance::repair(path()); }));
  EXPECT_TRUE(fails_with(errc::not_found, "", [&] { store_maintenance::repair(path("nothing")); }));
  fs::create_directory(path("empty"));
  EXPECT_TRUE(fails_with(errc::not_a_store, "", [&] { store_maintenance::repair(path("empty")); }));
  EXPECT_TRUE(fs::is_empty(path("empty")));
}

}  // namespace
}  // namespace perdure
