// Findings of verification in single files: super block, home files, checksum table, and their stamps.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <functional>
#include <perdure/datastore.hpp>
#include <string>
#include <utility>
#include <vector>

#include "os/crc32c.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/checksum_table.hpp"
#include "store/file/home_files.hpp"
#include "store/file/super_block.hpp"
#include "store/offline/verify/checksum_table_check.hpp"
#include "store/offline/verify/history_check.hpp"
#include "store/offline/verify/home_file_check.hpp"
#include "store/offline/verify/super_block_check.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure::store {
namespace {

using layout::entries_per_table_page;

constexpr std::uint64_t file_pages = 8;      // of the segment in a home file
constexpr std::uint64_t segment_pages = 20;  // of the segment: in three home files

class verified_files : public testing::Test {
 protected:
  verified_files() {
    super_.uuid = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    super_.capacity = 8 * file_pages * page_size;
    super_.home_file_bytes = file_pages * page_size;
  }
  os::file open(const std::string& name) const {
    return os::file::open_in(directory_, name, O_RDWR | O_CREAT);
  }

  /// Returns the findings since the last call: parts and files, "!" before damage.
  std::string taken() {
    report_ = std::exchange(found_, std::make_unique<findings>(100))->take_report();
    std::string text;
    for (const verify_finding& one : report_.findings)
      text += (one.damage ? " !" : " ") + std::string(to_string(one.part)) + " " + one.file;
    return text;
  }
  std::uint64_t offset() const { return report_.findings.at(0).offset; }

  scratch_directory scratch_{fast_directory()};
  os::file directory_ = os::file::open_directory(scratch_.directory());
  layout::super_slot super_{};
  std::unique_ptr<findings> found_ = std::make_unique<findings>(100);
  verify_report report_;
};

class verified_home_files : public verified_files {
 protected:
  verified_home_files() {
    home_files::create(directory_, super_);
    home_files(directory_, super_, true).extend(segment_pages * page_size);
    super_.segment_bytes = segment_pages * page_size;
  }
  /// The pages in each home file, as far as they can be used.
  std::vector<std::uint64_t> pages_found() {
    std::vector<std::uint64_t> found;
    for (const checked_home_file& one : check_home_files(directory_, super_, *found_))
      found.push_back(one.bytes / page_size);
    return found;
  }
  template <class Change>
  void change_header(const std::string& name, Change&& change) const {
    const os::file file = open(name);
    layout::home_header header{};
    ASSERT_EQ(file.read_at(&header, sizeof header, 0), sizeof header);
    change(header);
    file.write_at(&header, sizeof header, 0);
  }

  using numbers = std::vector<std::uint64_t>;
};

TEST_F(verified_home_files, are_as_long_as_the_segment) {
  EXPECT_EQ(pages_found(), (numbers{8, 8, 4}));
  EXPECT_EQ(taken(), "");
  for (const checked_home_file& one : check_home_files(directory_, super_, *found_))
    EXPECT_TRUE(one.stamps.has_value());
  open("heap.001").resize(layout::home_data_offset + 3 * page_size + 100);
  EXPECT_EQ(pages_found(), (numbers{8, 3, 4}));
  EXPECT_EQ(taken(), " !home_length heap.001");
  EXPECT_EQ(offset(), layout::home_data_offset + 3 * page_size + 100);
  open("heap.001").resize(layout::block);
  EXPECT_EQ(pages_found(), (numbers{8, 0, 4}));
  EXPECT_EQ(taken(), " !home_length heap.001");
  os::remove_in(directory_, "heap.001");
  EXPECT_EQ(pages_found(), (numbers{8, 0, 4}));
  EXPECT_EQ(taken(), " !home_length heap.001");
  // Longer than it may be: what is behind the end of its part is nothing of the store's.
  open("heap.002").resize(layout::home_data_offset + 20 * page_size);
  EXPECT_EQ(pages_found(), (numbers{8, 0, 8}));
}

TEST_F(verified_home_files, may_be_more_than_the_segment_needs) {
  home_files(directory_, super_, true).extend(4 * file_pages * page_size);
  EXPECT_EQ(pages_found(), (numbers{8, 8, 8, 8}));
  EXPECT_EQ(taken(), "");
  os::remove_in(directory_, "heap.003");
  open("heap.003").resize(page_size);
  EXPECT_EQ(pages_found(), (numbers{8, 8, 8}));
  EXPECT_EQ(taken(), " home_header heap.003") << "a crash leaves such a file";
  open("heap.003").resize(layout::home_data_offset);
  EXPECT_EQ(pages_found(), (numbers{8, 8, 8}));
  EXPECT_EQ(taken(), " home_header heap.003") << "it has no header";
  super_.segment_bytes = 2 * file_pages * page_size;
  os::remove_in(directory_, "heap.002");
  EXPECT_EQ(pages_found(), (numbers{8, 8}));
  EXPECT_EQ(taken(), "");
  super_.segment_bytes = 0;
  os::remove_in(directory_, "heap.000");
  EXPECT_EQ(pages_found(), (numbers{0, 8}));
  EXPECT_EQ(taken(), "") << "nothing is missing of an empty segment";
}

TEST_F(verified_home_files, have_sound_headers_of_their_own) {
  change_header("heap.001", [](layout::home_header& header) { header.reserved[5] = 1; });
  EXPECT_EQ(pages_found(), (numbers{8, 8, 4}));
  EXPECT_EQ(taken(), " !home_header heap.001");
  EXPECT_FALSE(check_home_files(directory_, super_, *found_).at(1).stamps.has_value());
  taken();
  const std::function<void(layout::home_header&)> of_others[] = {
      [](layout::home_header& header) { header.uuid[15] = 1; },
      [](layout::home_header& header) { header.index = 2; },
      [](layout::home_header& header) { header.home_file_bytes *= 2; },
  };
  for (const auto& change : of_others) {
    os::remove_in(directory_, "heap.001");
    layout::super_slot empty = super_;
    empty.segment_bytes = 0;
    home_files(directory_, empty, true).extend(2 * file_pages * page_size);
    EXPECT_EQ(pages_found(), (numbers{8, 8, 4}));
    EXPECT_EQ(taken(), "");
    change_header("heap.001", [&](layout::home_header& header) {
      change(header);
      seal_block(header);
    });
    EXPECT_EQ(pages_found(), (numbers{8, 0, 4}));
    EXPECT_EQ(taken(), " !home_length heap.001");
  }
}

TEST_F(verified_home_files, have_nothing_between_header_and_pages) {
  const char byte = 1;
  const os::file file = open("heap.001");
  for (const std::uint64_t place :
       {layout::block, std::uint64_t{65536}, std::uint64_t{300'000}, layout::home_data_offset - 1}) {
    const char zero = 0;
    file.write_at(&zero, 1, place);
    pages_found();
    EXPECT_EQ(taken(), "") << place;
    file.write_at(&byte, 1, place);
    pages_found();
    EXPECT_EQ(taken(), " !home_padding heap.001") << place;
    file.write_at(&zero, 1, place);
  }
  file.write_at(&byte, 1, layout::home_data_offset);
  pages_found();
  EXPECT_EQ(taken(), "");
}

class verified_table : public verified_files {
 protected:
  verified_table() {
    super_.segment_bytes = 2 * entries_per_table_page * page_size;
    checksum_table::create(directory_, super_);
    open("crc").resize(3 * layout::block);
    last_.applied_pages = 2 * entries_per_table_page;
    last_.committed_bytes = super_.segment_bytes;
  }
  checked_table checked() {
    return check_checksum_header(directory_, super_, 2 * entries_per_table_page, *found_);
  }
  /// Writes a page of the table, sound but for what `spoil` does to it.
  void write_page(std::uint64_t index, const std::function<void(layout::table_page&)>& change = {},
                  const std::function<void(layout::table_page&)>& spoil = {}) const {
    layout::table_page page{};
    page.index = static_cast<std::uint32_t>(index);
    std::copy_n(super_.uuid.begin(), page.store.size(), page.store.begin());
    page.entries[3] = 77;
    if (change) change(page);
    page.crc = os::crc32c(0, &page.index, sizeof page - offsetof(layout::table_page, index));
    if (spoil) spoil(page);
    open("crc").write_at(&page, sizeof page, (index + 1) * layout::block);
  }
  bool can_be_relied_on(std::uint64_t index) {
    const expectations expected(last_, {}, *found_);
    return check_table_page(open("crc"), super_, expected, index, page_, bytes_read_, *found_);
  }

  last_checkpoint last_;
  layout::table_page page_{};
  std::uint64_t bytes_read_ = 0;
};

TEST_F(verified_table, is_there_and_long_enough) {
  EXPECT_TRUE(checked().stamps.has_value());
  EXPECT_EQ(taken(), "");
  open("crc").resize(3 * layout::block - 1);
  EXPECT_TRUE(checked().file);
  EXPECT_EQ(taken(), " !checksum_page crc");
  EXPECT_EQ(offset(), 3 * layout::block - 1);
  os::remove_in(directory_, "crc");
  EXPECT_FALSE(checked().file);
  EXPECT_EQ(taken(), " !checksum_header crc");
}

TEST_F(verified_table, has_a_sound_header_of_its_own) {
  ++super_.uuid[0];
  EXPECT_FALSE(checked().file);
  EXPECT_EQ(taken(), " !checksum_header crc");
  --super_.uuid[0];
  open("crc").write_at("?", 1, 100);
  const checked_table table = checked();
  EXPECT_TRUE(table.file);
  EXPECT_FALSE(table.stamps);
  EXPECT_EQ(taken(), " !checksum_header crc");
}

TEST_F(verified_table, has_sound_pages_or_none) {
  page_.entries[0] = 5;
  EXPECT_TRUE(can_be_relied_on(0));
  EXPECT_EQ(page_.entries[0], 0u) << "a hole";
  EXPECT_EQ(bytes_read_, 0u);
  write_page(1);
  EXPECT_TRUE(can_be_relied_on(1));
  EXPECT_EQ(page_.entries[3], 77u);
  EXPECT_EQ(bytes_read_, layout::block);
  write_page(1, {}, [](layout::table_page& page) { page = {}; });
  EXPECT_TRUE(can_be_relied_on(1)) << "zeros";
  EXPECT_EQ(taken(), "");
  // Behind the end of the file.
  EXPECT_TRUE(can_be_relied_on(2)) << "it would describe nothing";
  last_.applied_pages = 2 * entries_per_table_page + 1;
  EXPECT_FALSE(can_be_relied_on(2));
  EXPECT_EQ(taken(), "") << "that the file is short has been said";
}

TEST_F(verified_table, may_have_torn_pages_where_recovery_writes_them_again) {
  const std::function<void(layout::table_page&)> torn = [](layout::table_page& page) { page.entries[9] = 6; };
  const std::function<void(layout::table_page&)> of_another_store = [](layout::table_page& page) {
    ++page.store[7];
  };
  const std::function<void(layout::table_page&)> of_another_place = [](layout::table_page& page) {
    page.index = 0;
  };
  for (const bool is_rewritten : {false, true}) {
    if (is_rewritten) last_.overlay.push_back({entries_per_table_page, 1, {}});
    const std::string wanted = is_rewritten ? " checksum_page crc" : " !checksum_page crc";
    write_page(1, {}, torn);
    EXPECT_FALSE(can_be_relied_on(1));
    EXPECT_EQ(taken(), wanted);
    EXPECT_EQ(offset(), 2 * layout::block);
    for (const auto& change : {of_another_store, of_another_place}) {
      write_page(1, change);
      EXPECT_FALSE(can_be_relied_on(1));
      EXPECT_EQ(taken(), wanted);
    }
  }
}

TEST_F(verified_table, describes_no_page_behind_the_segment) {
  last_.applied_pages = entries_per_table_page + 4;
  write_page(1);
  EXPECT_TRUE(can_be_relied_on(1)) << "the last page of the segment";
  EXPECT_EQ(taken(), "");
  last_.applied_pages = entries_per_table_page + 3;
  write_page(1, [](layout::table_page& page) { page.entries[8] = 78; });
  EXPECT_TRUE(can_be_relied_on(1));
  EXPECT_EQ(taken(), " !checksum_page crc");
  last_.overlay.push_back({entries_per_table_page + 3, 6, {}});
  EXPECT_TRUE(can_be_relied_on(1));
  EXPECT_EQ(taken(), "") << "a checkpoint writes them";
}

/// A store at checkpoint 5.
class verified_stamps : public verified_files {
 protected:
  verified_stamps() {
    super_.segment_bytes = segment_pages * page_size;
    super_.applied_epoch = super_.table_epoch = last_.epoch = 5;
    for (std::uint64_t i = 0; i < 4; ++i) home_.emplace_back().stamps.emplace();
    table_.stamps.emplace();
  }
  std::string found() {
    check_history(super_, last_, home_, table_, *found_);
    return taken();
  }
  static void spoil(std::optional<file_stamps>& stamps) {
    std::array<layout::stamp_sector, 2> sectors{};
    sectors[1].epoch = 4;
    stamps.emplace(sectors);
  }
  void stamp_foreign(std::optional<file_stamps>& stamps) const { stamps->write(open("any"), {9, 0, 99}); }

  last_checkpoint last_;
  std::vector<checked_home_file> home_;
  checked_table table_;
};

TEST_F(verified_stamps, are_of_this_history) {
  EXPECT_EQ(found(), "");
  stamp_foreign(home_[3].stamps);
  EXPECT_EQ(found(), "") << "the file is not of the segment";
  stamp_foreign(home_[2].stamps);
  EXPECT_EQ(found(), " !history heap.002");
  stamp_foreign(table_.stamps);
  EXPECT_EQ(found(), " !history crc !history heap.002");
  home_[0].stamps.reset();
  EXPECT_EQ(found(), "") << "that its header is damaged has been said";
  home_[0].stamps.emplace();
  table_.stamps.reset();
  EXPECT_EQ(found(), "") << "that its header is damaged has been said";
}

TEST_F(verified_stamps, may_be_torn_while_something_is_brought_home) {
  spoil(home_[1].stamps);
  spoil(home_[3].stamps);
  EXPECT_EQ(found(), " !history heap.001");
  EXPECT_EQ(offset(), layout::stamps_offset);
  spoil(table_.stamps);
  EXPECT_EQ(found(), " !history crc !history heap.001");
  last_.epoch = 6;
  EXPECT_EQ(found(), " history crc history heap.001");
  last_.epoch = 5;
  super_.table_epoch = 4;
  EXPECT_EQ(found(), " history crc history heap.001");
}

class verified_super : public verified_files {
 protected:
  verified_super() {
    datastore::create(scratch_.path(), small_store())->close();
    store_ = os::file::open_directory(scratch_.path());
    file_ = os::file::open_in(store_, "super", O_RDWR);
    file_.read_at(&sound_, sizeof sound_, 0);
    if (sound_.slots[0].sequence > sound_.slots[1].sequence) std::swap(sound_.slots[0], sound_.slots[1]);
    sound_.slots[0].sequence = 10;
    sound_.slots[1].sequence = 11;
  }
  /// Writes the two slots, changed, in this order or the other.
  std::optional<checked_super> checked(bool is_swapped, const std::function<void(super_file&)>& change) {
    super_file content = sound_;
    change(content);
    for (layout::super_slot& slot : content.slots) seal_block(slot);
    if (is_swapped) std::swap(content.slots[0], content.slots[1]);
    file_.write_at(&content, sizeof content, 0);
    return check_super_block(store_, *found_);
  }

  os::file store_;
  os::file file_;
  super_file sound_{};
};

TEST_F(verified_super, has_two_slots_of_one_store) {
  const std::function<void(layout::super_slot&)> of_others[] = {
      [](layout::super_slot& slot) { ++slot.uuid[3]; },
      [](layout::super_slot& slot) { slot.capacity *= 2; },
      [](layout::super_slot& slot) { slot.home_file_bytes *= 2; },
      [](layout::super_slot& slot) { slot.address = gib; },
  };
  for (const bool is_swapped : {false, true}) {
    const auto unchanged = checked(is_swapped, [](super_file&) {});
    ASSERT_TRUE(unchanged);
    EXPECT_EQ(unchanged->slot.sequence, 11u);
    EXPECT_FALSE(unchanged->torn_slot);
    EXPECT_EQ(taken(), "");
    for (const auto& change : of_others) {
      EXPECT_TRUE(checked(is_swapped, [&](super_file& content) { change(content.slots[0]); }));
      EXPECT_EQ(taken(), " !super_slot super");
      EXPECT_EQ(offset(), is_swapped ? layout::block : 0);
    }
    EXPECT_TRUE(checked(is_swapped, [](super_file& content) { content.slots[1].capacity *= 2; }));
    EXPECT_EQ(taken(), "") << "the capacity was raised";
  }
}

TEST_F(verified_super, has_one_slot_that_makes_sense) {
  for (const bool is_swapped : {false, true}) {
    EXPECT_FALSE(checked(is_swapped, [](super_file& content) {
      content.slots[1].capacity = 5;
      content.slots[1].epoch = content.slots[1].applied_epoch = 3;
    }));
    EXPECT_EQ(taken(), " !super_slot super");
    EXPECT_EQ(offset(), is_swapped ? 0 : layout::block);
    EXPECT_EQ(report_.findings.at(0).epoch, 3u);
    EXPECT_TRUE(
        checked(is_swapped, [](super_file& content) { content.slots[1].flags |= layout::flag_open_dirty; }));
    EXPECT_EQ(taken(), " !super_slot super");
    EXPECT_EQ(offset(), is_swapped ? 0 : layout::block);
    checked(is_swapped, [](super_file&) {});
    file_.write_at("?", 1, is_swapped ? layout::block : 0);
    const auto torn = check_super_block(store_, *found_);
    ASSERT_TRUE(torn);
    EXPECT_EQ(torn->torn_slot, is_swapped ? 1 : 0);
    EXPECT_EQ(taken(), "") << "whether it may be torn is seen by the journals";
  }
}

TEST_F(verified_super, is_damaged_where_one_slot_still_has_its_magic) {
  for (const std::uint64_t spoilt : {std::uint64_t{0}, std::uint64_t{layout::block}}) {
    checked(false, [](super_file&) {});
    file_.write_at("?", 1, spoilt);
    file_.write_at("?", 1, layout::block - spoilt + 100);
    EXPECT_FALSE(check_super_block(store_, *found_));
    EXPECT_EQ(taken(), " !super_slot super");
  }
  file_.write_at("??", 1, layout::block);
  file_.write_at("??", 1, 0);
  EXPECT_TRUE(fails_with(errc::not_a_store, "some other file", [&] { check_super_block(store_, *found_); }));
}

TEST_F(verified_super, is_of_a_format_that_is_known) {
  EXPECT_TRUE(fails_with(errc::too_new, "has format 9",
                         [&] { checked(false, [](super_file& content) { content.slots[1].format = 9; }); }));
}

TEST_F(verified_super, is_of_its_length_and_has_a_stamp) {
  checked(false, [](super_file&) {});
  file_.resize(layout::super_file_bytes + 1);
  EXPECT_TRUE(check_super_block(store_, *found_));
  EXPECT_EQ(taken(), " !super_slot super");
  EXPECT_EQ(offset(), layout::super_file_bytes);
  file_.resize(layout::super_file_bytes);
  file_.write_at("?", 1, 2 * layout::block);
  EXPECT_TRUE(check_super_block(store_, *found_));
  EXPECT_EQ(taken(), " !abi_stamp super");
  os::remove_in(store_, "super");
  EXPECT_FALSE(check_super_block(store_, *found_));
  EXPECT_EQ(taken(), " !super_slot super");
}

TEST(sections, have_names_of_their_own) {
  const std::pair<store_section, const char*> names[] = {
      {store_section::super_slot, "super_slot"},
      {store_section::abi_stamp, "abi_stamp"},
      {store_section::home_header, "home_header"},
      {store_section::home_padding, "home_padding"},
      {store_section::home_length, "home_length"},
      {store_section::home_page, "home_page"},
      {store_section::checksum_header, "checksum_header"},
      {store_section::checksum_page, "checksum_page"},
      {store_section::journal, "journal"},
      {store_section::undo_log, "undo_log"},
      {store_section::heap, "heap"},
      {store_section::objects, "objects"},
      {store_section::history, "history"},
  };
  for (const auto& [part, name] : names) EXPECT_EQ(to_string(part), name);
}

}  // namespace
}  // namespace perdure::store
