// Which journal counts after a crash, and what is done with it.
#include "store/commit/redo.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "page_sets.hpp"
#include "store/commit/carried_entries.hpp"
#include "store/commit/slot_writer.hpp"
#include "store/file/checked_block.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/watched_calls.hpp"

namespace perdure::store {
namespace {

using layout::entry_kind;
using layout::journal_entry;

/// Identities of the checkpoints of one history, by epoch.
constexpr std::uint64_t identity(std::uint64_t epoch) {
  return 0x1000 + epoch;
}

constexpr std::uint64_t length_at(std::uint64_t epoch) {
  return epoch * layout::chunk_size;
}

class journals_of_a_store : public testing::Test {
 protected:
  static constexpr std::uint64_t applied = 5;

  journals_of_a_store() {
    super_.capacity = std::uint64_t{1} << 30;
    super_.home_file_bytes = std::uint64_t{1} << 30;
    super_.applied_epoch = super_.epoch = super_.table_epoch = applied;
    super_.segment_bytes = length_at(applied);
    super_.checkpoint = identity(applied);
    super_.incompat = layout::incompat_identities;
    for (const unsigned parity : {0U, 1U}) journal::create(directory_, parity, super_.uuid);
    journals_.emplace(
        std::array{journal(directory_, 0, super_.uuid, true), journal(directory_, 1, super_.uuid, true)});
  }

  /// Writes page 3 to slot 0, and says that pages 7 and 8 are empty.
  layout::journal_header write(std::uint64_t epoch, std::uint64_t parent,
                               journal::decision made = journal::decision::made,
                               std::optional<std::uint64_t> bytes = {}) {
    journal& file = (*journals_)[epoch & 1];
    slot_writer slots(file, nullptr);
    const std::vector<std::byte> page(page_size, std::byte{static_cast<unsigned char>(epoch)});
    const slot_writer::place added = slots.add(3, page.data());
    slots.flush();
    const std::vector<journal_entry> index{{3, added.checksum, entry_kind::overwrite, 0, {}, added.slot},
                                           {7, 2, entry_kind::zero}};
    return file.commit({epoch, bytes.value_or(length_at(epoch)), identity(epoch)}, parent, index, 1, "",
                       nullptr, made);
  }
  layout::journal_header write(std::uint64_t epoch) { return write(epoch, identity(epoch - 1)); }
  /// Damages the page, as a power cut may.
  void tear(std::uint64_t epoch) {
    const char torn = 0x55;
    (*journals_)[epoch & 1].opened().write_at(&torn, 1, journal_image::slot_offset(0) + 100);
  }
  std::uint64_t found(epoch_ceiling ceiling = {}) {
    const auto last = find_committed(*journals_, super_, ceiling);
    return last ? last->header.epoch : 0;
  }
  testing::AssertionResult is_refused(const char* why, epoch_ceiling ceiling = {}) {
    return fails_with(errc::damaged, why, [&] { static_cast<void>(found(ceiling)); });
  }

  scratch_directory scratch_{fast_directory()};
  os::file directory_ = os::file::open_directory(scratch_.directory());
  layout::super_slot super_{};
  std::optional<std::array<journal, 2>> journals_;
};

TEST_F(journals_of_a_store, count_if_they_are_of_a_later_checkpoint) {
  EXPECT_EQ(found(), 0u);
  write(applied - 1);
  write(applied);
  EXPECT_EQ(found(), 0u);
  write(applied + 1);
  EXPECT_EQ(found(), applied + 1);
  EXPECT_EQ(found({applied + 1, false}), applied + 1);
  EXPECT_EQ(found({applied, false}), 0u);
  write(applied + 2);
  EXPECT_EQ(found(), applied + 2) << "the newer slot of the super block may be damaged";
  EXPECT_EQ(found({applied + 1, false}), applied + 1);
  write(applied + 3);
  EXPECT_TRUE(is_refused("does not follow")) << "nothing leads from the checkpoint at home to that one";
}

TEST_F(journals_of_a_store, do_not_count_where_they_are_torn) {
  write(applied + 1);
  tear(applied + 1);
  EXPECT_EQ(found(), 0u);
  write(applied + 1);
  write(applied + 2);
  tear(applied + 2);
  EXPECT_EQ(found(), applied + 1);
}

TEST_F(journals_of_a_store, are_of_its_history) {
  write(applied + 1, identity(77));
  EXPECT_TRUE(is_refused("does not follow"));
  super_.incompat = 0;
  EXPECT_EQ(found(), applied + 1) << "that store knows no identities";
}

TEST_F(journals_of_a_store, do_not_make_the_segment_shorter) {
  write(applied + 1, identity(applied), journal::decision::made, length_at(applied) - layout::chunk_size);
  EXPECT_TRUE(is_refused("shorter"));
  write(applied + 1, identity(applied), journal::decision::made, length_at(applied));
  EXPECT_EQ(found(), applied + 1);
}

TEST_F(journals_of_a_store, count_by_a_verdict_where_they_are_only_prepared) {
  const layout::journal_header prepared = write(applied + 1, identity(applied), journal::decision::pending);
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(found({applied + 1, false}), 0u);
  EXPECT_EQ(found({applied + 1, true}), applied + 1);
  EXPECT_EQ(found({applied, true}), 0u);
  (*journals_)[(applied + 1) & 1].decide(prepared);
  EXPECT_EQ(found(), applied + 1);
  EXPECT_EQ(found({applied + 1, true}), applied + 1);
  write(applied + 1, identity(applied), journal::decision::pending);
  tear(applied + 1);
  EXPECT_EQ(found(), 0u);
  EXPECT_TRUE(is_refused("has lost prepared checkpoint 6", {applied + 1, true}));
}

TEST_F(journals_of_a_store, have_what_the_table_lacks) {
  super_.table_epoch = applied - 1;
  EXPECT_TRUE(is_refused("has lost the page checksums of checkpoint 5"));
  write(applied);
  tear(applied);  // its pages are home
  const auto last = find_committed(*journals_, super_);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->header.epoch, applied);
  ASSERT_EQ(last->index.size(), 2u);
  for (const journal_entry& entry : last->index) EXPECT_EQ(entry.carried, 1);
  EXPECT_EQ(last->index[0].kind, entry_kind::fresh);
  super_.checkpoint = identity(88);
  EXPECT_TRUE(is_refused("has lost the page checksums of checkpoint 5"));
  super_.checkpoint = identity(applied);
  write(applied + 2, identity(99), journal::decision::pending);
  EXPECT_TRUE(is_refused("has lost the page checksums of checkpoint 5"));
  write(applied - 2);
  EXPECT_TRUE(is_refused("has lost the page checksums of checkpoint 5"));
  super_.incompat = 0;
  EXPECT_TRUE(is_refused("has lost the page checksums of checkpoint 5")) << "that store knows no identities";
}

TEST_F(journals_of_a_store, may_hold_a_checkpoint_that_nobody_decided_on) {
  const known_checkpoint last{applied, length_at(applied), identity(applied)};
  const auto undecided = [&] { return find_undecided(*journals_, super_, last); };
  EXPECT_EQ(undecided(), 0u);
  const layout::journal_header prepared = write(applied + 1, identity(applied), journal::decision::pending);
  EXPECT_EQ(undecided(), applied + 1);
  EXPECT_EQ(find_undecided(*journals_, super_, {applied + 2, 0, identity(applied)}), 0u);
  EXPECT_TRUE(fails_with(errc::damaged, "its prepared checkpoint 6 does not follow", [&] {
    static_cast<void>(find_undecided(*journals_, super_, {applied, 0, identity(66)}));
  }));
  EXPECT_EQ(find_undecided(*journals_, super_, {applied, 0, 0}), applied + 1)
      << "that store knows no identities";
  (*journals_)[(applied + 1) & 1].decide(prepared);
  EXPECT_EQ(undecided(), 0u);
  write(applied + 1, identity(applied), journal::decision::pending);
  tear(applied + 1);
  EXPECT_EQ(undecided(), 0u);
  write(applied + 3, identity(applied), journal::decision::pending);
  EXPECT_EQ(undecided(), 0u);
}

TEST_F(journals_of_a_store, are_redone_but_for_what_was_carried) {
  home_files::create(directory_, super_);
  checksum_table::create(directory_, super_);
  layout::super_slot empty = super_;
  empty.segment_bytes = 0;
  home_files home(directory_, empty, true);
  home.extend(length_at(1));
  checksum_table table(directory_, empty, true);
  const std::vector<std::byte> old(10 * page_size, std::byte{77});
  home.write(0, 10, old.data());
  write(applied + 1);
  const auto last = find_committed(*journals_, super_);
  ASSERT_TRUE(last.has_value());
  committed_journal carrying = *last;
  carrying.index.push_back({9, 1, entry_kind::zero, 1, {}, 0});
  carrying.index.push_back({12, 3, entry_kind::released, 1, {}, 0});

  std::vector<std::byte> memory(old);
  redo_in_memory(carrying, memory.data());
  std::vector<std::byte> expected(old);
  std::memset(expected.data() + 3 * page_size, applied + 1, page_size);
  std::memset(expected.data() + 7 * page_size, 0, 2 * page_size);
  EXPECT_EQ(memory, expected);

  redo_at_home(carrying, home, table);
  std::vector<std::byte> at_home(10 * page_size);
  home.read(0, 10, at_home.data());
  EXPECT_EQ(at_home, expected);
  EXPECT_EQ(table.get(3), carrying.index[0].value);
  for (const std::uint64_t page : {7, 8, 9}) EXPECT_EQ(table.get(page), layout::no_checksum);
  for (const std::uint64_t page : {12, 13, 14}) EXPECT_EQ(table.get(page), layout::any_content);
  EXPECT_EQ(pages_in(pages_of(carrying)), (page_set{3, 7, 8, 9, 12, 13, 14}));
  EXPECT_TRUE(detail::is_normalized(pages_of(carrying)));
}

TEST(length_at_home, is_that_of_the_checkpoint_between_where_its_super_block_was_lost) {
  layout::super_slot super{};
  super.applied_epoch = 5;
  super.segment_bytes = 100;
  layout::journal_header between{};
  between.epoch = 6;
  between.segment_bytes = 200;
  EXPECT_EQ(bytes_at_home(super, 7, between), 200u);
  EXPECT_EQ(bytes_at_home(super, 7, std::nullopt), 100u);
  EXPECT_EQ(bytes_at_home(super, 6, between), 100u);
  EXPECT_EQ(bytes_at_home(super, 5, between), 100u);
  layout::journal_header other = between;
  other.epoch = 4;
  EXPECT_EQ(bytes_at_home(super, 7, other), 100u);
  between.segment_bytes = 50;
  EXPECT_EQ(bytes_at_home(super, 7, between), 100u);
}

TEST(history, leads_from_home_to_a_journal) {
  layout::super_slot super{};
  super.applied_epoch = 5;
  super.checkpoint = identity(5);
  super.incompat = layout::incompat_identities;
  const auto header = [](std::uint64_t epoch, std::uint64_t own, std::uint64_t parent) {
    layout::journal_header made{};
    made.epoch = epoch;
    made.checkpoint = own;
    made.parent = parent;
    return made;
  };
  EXPECT_TRUE(is_of_this_history(header(5, identity(5), 1), super, {}));
  EXPECT_FALSE(is_of_this_history(header(5, identity(9), 1), super, {}));
  EXPECT_TRUE(is_of_this_history(header(6, 1, identity(5)), super, {}));
  EXPECT_FALSE(is_of_this_history(header(6, 1, identity(9)), super, {}));
  const layout::journal_header seven = header(7, 1, identity(6));
  EXPECT_FALSE(is_of_this_history(seven, super, {}));
  EXPECT_TRUE(is_of_this_history(seven, super, header(6, identity(6), identity(5))));
  EXPECT_FALSE(is_of_this_history(seven, super, header(6, identity(9), identity(5))));
  EXPECT_FALSE(is_of_this_history(seven, super, header(6, identity(6), identity(9))));
  EXPECT_FALSE(is_of_this_history(seven, super, header(4, identity(6), identity(5))));
  super.incompat = 0;
  EXPECT_TRUE(is_of_this_history(seven, super, {}));
}

// A page is in the journal only once it was written there, and neighbouring slots are written at once.
TEST_F(journals_of_a_store, take_pages_into_slots) {
  journal& file = (*journals_)[0];
  journaled_pages table(page_count, 0);
  std::vector<std::byte> bytes(page_size);
  int writes = 0;
  bool is_full = false;
  const watched_calls calls([&](const os::file_call& call, std::string_view) {
    if (call.operation != os::file_operation::write) return 0;
    ++writes;
    return is_full ? ENOSPC : 0;
  });
  std::vector<std::pair<std::uint64_t, slot_writer::place>> added;
  slot_writer slots(file, &table);
  slots.flush();
  EXPECT_EQ(writes, 0);
  const auto add = [&](std::uint64_t page, int what) {
    std::memset(bytes.data(), what, page_size);
    added.emplace_back(page, slots.add(page, bytes.data()));
  };
  for (std::uint64_t page = 0; page < 4; ++page) add(page, 1);
  EXPECT_TRUE(table.is_home(0));
  slots.flush();
  EXPECT_EQ(writes, 1);
  add(1, 2);
  add(3, 2);
  slots.flush();
  EXPECT_EQ(writes, 3) << "slots 1 and 3 are no neighbours";
  for (const std::uint64_t page : {0, 1, 2, 3}) {
    ASSERT_EQ(table.find(page).in, journaled_pages::place::where::journal);
    file.image().read_payload(table.find(page).slot, 1, bytes.data());
    EXPECT_EQ(bytes[17], page % 2 == 0 ? std::byte{1} : std::byte{2});
    EXPECT_EQ(page_checksum(page, bytes.data()), table.checksum_of(page));
  }
  // What the slot holds after a write that fails is not known.
  is_full = true;
  add(2, 3);
  EXPECT_THROW(slots.flush(), std::system_error);
  EXPECT_TRUE(table.is_home(2));
  EXPECT_FALSE(table.is_home(1));
}

TEST_F(journals_of_a_store, take_any_number_of_pages_in_batches) {
  journal& file = (*journals_)[0];
  std::vector<std::size_t> batches;
  {
    const watched_calls calls([&](const os::file_call& call, std::string_view) {
      if (call.operation == os::file_operation::write) batches.push_back(call.bytes / page_size);
      return 0;
    });
    slot_writer slots(file, nullptr);
    std::vector<std::byte> bytes(page_size);
    for (std::uint64_t page = 0; page < 2 * batch_pages + 1; ++page) {
      std::memset(bytes.data(), static_cast<int>(page % 100), page_size);
      EXPECT_EQ(slots.add(1000 + page, bytes.data()).slot, page);
    }
    slots.flush();
    slots.flush();
  }
  EXPECT_EQ(batches, (std::vector<std::size_t>{batch_pages, batch_pages, 1}));
  std::vector<std::byte> all((2 * batch_pages + 1) * page_size);
  file.image().read_payload(0, 2 * batch_pages + 1, all.data());
  for (std::size_t page = 0; page < 2 * batch_pages + 1; ++page)
    EXPECT_EQ(all[page * page_size + 9], std::byte{static_cast<unsigned char>(page % 100)});
}

}  // namespace
}  // namespace perdure::store
