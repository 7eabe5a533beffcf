// The files of a store, one by one: what their headers and indexes must be to count.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <optional>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <string>
#include <vector>

#include "os/crc32c.hpp"
#include "store/file/capacity.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/checkpoint_log.hpp"
#include "store/file/file_stamps.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal.hpp"
#include "store/file/journal_image.hpp"
#include "store/file/kept_name.hpp"
#include "store/file/super_block.hpp"
#include "store/file/undo_log.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"
#include "support/unsynced_files.hpp"
#include "support/watched_calls.hpp"

namespace perdure::store {
namespace {

using layout::entry_kind;
using layout::journal_entry;

// ---- super ------------------------------------------------------------------------------------------------

class super_slots : public testing::Test {
 protected:
  super_slots() {
    datastore::create(scratch_.path(), small_store())->close();
    slot_ = super_block::load(os::file::open_directory(scratch_.path()), false).now();
    slot_.capacity = 4 * gib;
  }
  std::string absurdity(const std::function<void(layout::super_slot&)>& change) const {
    layout::super_slot slot = slot_;
    change(slot);
    return message_of([&] { check_sense(slot, "x/super"); });
  }
  std::string strangeness(bool writable, const std::function<void(layout::super_slot&)>& change) const {
    layout::super_slot slot = slot_;
    change(slot);
    return message_of([&] { check_format(slot, "x/super", writable); });
  }

  scratch_directory scratch_{fast_directory()};
  layout::super_slot slot_{};
};

TEST_F(super_slots, make_sense) {
  using slot = layout::super_slot;
  const auto is = [this](const char* words, const std::function<void(slot&)>& change) {
    const std::string said = absurdity(change);
    EXPECT_NE(said.find(words), std::string::npos) << "\"" << said << "\" for \"" << words << '"';
  };
  const auto is_sound = [this](const std::function<void(slot&)>& change) {
    EXPECT_EQ(absurdity(change), "");
  };
  is_sound([](slot&) {});
  is("absurd capacity", [](slot& s) { s.capacity = 0; });
  is("absurd capacity", [](slot& s) { s.capacity += layout::chunk_size; });
  is("absurd capacity", [](slot& s) { s.capacity = 2 * layout::most_capacity; });
  is_sound([](slot& s) { s.home_file_bytes = s.capacity = layout::most_capacity; });
  const auto limited = [](std::uint64_t limit) {
    return [limit](slot& s) {
      s.compat |= layout::compat_limited;
      s.limit = limit;
    };
  };
  is("limit contradicts", limited(0));
  is("limit contradicts", limited(4 * gib + 1));
  is_sound(limited(4 * gib));
  is("length contradicts", [](slot& s) { s.segment_bytes = s.capacity + layout::chunk_size; });
  is("length contradicts", [](slot& s) { s.segment_bytes = layout::chunk_size + page_size; });
  is_sound([](slot& s) { s.segment_bytes = s.capacity; });
  is("size of home files", [](slot& s) { s.home_file_bytes = 0; });
  is("size of home files", [](slot& s) { s.home_file_bytes += page_size; });
  is("size of home files", [](slot& s) { s.home_file_bytes = std::uint64_t{1} << 57; });
  is("number of home files", [](slot& s) {
    s.home_file_bytes = layout::chunk_size;
    s.capacity = layout::most_home_files * layout::chunk_size + gib;
  });
  is_sound([](slot& s) {
    s.home_file_bytes = layout::chunk_size;
    s.capacity = layout::most_home_files * layout::chunk_size;
  });
  const auto epochs = [](std::uint64_t table, std::uint64_t applied, std::uint64_t last) {
    return [=](slot& s) {
      s.table_epoch = table;
      s.applied_epoch = applied;
      s.epoch = last;
    };
  };
  is("out of order", epochs(4, 3, 4));
  is("out of order", epochs(3, 4, 3));
  is("out of order", epochs(3, 3, 6));
  is_sound(epochs(3, 3, 5));
  is_sound(epochs(1, 3, 3));
  const auto pinned = [](std::uint64_t flag, std::uint64_t address) {
    return [=](slot& s) {
      s.flags = flag;
      s.address = address;
    };
  };
  is("base address", pinned(layout::flag_pinned, 0));
  is("base address", pinned(0, gib));
  is("base address", pinned(layout::flag_pinned, gib + layout::chunk_size));
  is("base address", pinned(layout::flag_pinned, std::uint64_t{1} << 57));
  is_sound(pinned(layout::flag_pinned, 64 * gib));
}

TEST_F(super_slots, have_a_format_that_is_known) {
  using slot = layout::super_slot;
  for (const bool writable : {false, true}) {
    const auto is = [&](const char* words, const std::function<void(slot&)>& change) {
      const std::string said = strangeness(writable, change);
      EXPECT_NE(said.find(words), std::string::npos) << "\"" << said << "\" for \"" << words << '"';
    };
    EXPECT_EQ(strangeness(writable, [](slot&) {}), "");
    is("has format 3, this library reads up to 2", [](slot& s) { s.format = 3; });
    is("has format 1, this library reads from 2", [](slot& s) { s.format = 1; });
    is("does not know", [](slot& s) { s.incompat |= 1U << 20; });
    is("another byte order", [](slot& s) { s.byte_order = 0x04030201; });
    is("another byte order", [](slot& s) { s.pointer_bytes = 4; });
    is("another byte order", [](slot& s) { s.page_bytes = 16384; });
    is("another byte order", [](slot& s) { s.chunk_bytes *= 2; });
    const auto unknown = [](slot& s) { s.read_only_compat |= 1U << 20; };
    EXPECT_EQ(strangeness(writable, unknown).find("can read but not write") != std::string::npos, writable);
    EXPECT_EQ(strangeness(writable, [](slot& s) { s.read_only_compat = layout::read_only_compat_joint; }),
              "");
  }
}

TEST(identifiers, are_random_and_written_as_the_standard_says) {
  layout::uuid_bytes uuid;
  std::iota(uuid.begin(), uuid.end(), std::uint8_t{0xf0});
  EXPECT_EQ(to_text(uuid), "f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
  for (int i = 0; i < 20; ++i) {
    const layout::uuid_bytes one = random_uuid();
    EXPECT_EQ(one[6] >> 4, 4);
    EXPECT_EQ(one[8] >> 6, 2);
    EXPECT_NE(one, random_uuid());
  }
}

TEST(checksums_of_pages, are_those_of_their_numbers_and_bytes) {
  std::vector<std::byte> bytes(page_size);
  std::vector<std::byte> copy(page_size);
  for (std::uint64_t page = 0; page < 100; ++page) {
    bytes[page * 7] = static_cast<std::byte>(page);
    const std::uint32_t expected = os::crc32c(os::crc32c(0, &page, sizeof page), bytes.data(), page_size);
    EXPECT_EQ(page_checksum(page, bytes.data()), expected);
    EXPECT_EQ(copy_page(page, copy.data(), bytes.data()), expected);
    EXPECT_EQ(copy, bytes);
    std::uint32_t of_bytes = 0;
    EXPECT_EQ(copy_page(page, copy.data(), bytes.data(), of_bytes), expected);
    EXPECT_EQ(of_bytes, os::crc32c(0, bytes.data(), page_size));
  }
}

// ---- capacity and names -----------------------------------------------------------------------------------

TEST(capacities, are_rounded_up_to_what_a_store_can_have) {
  const auto of = [](std::size_t wanted) { return sound_capacity(wanted, gib); };
  EXPECT_EQ(of(1).limit, 65536u);
  EXPECT_EQ(of(1).reserved, gib);
  EXPECT_EQ(of(100'000).limit, 100'000u);
  EXPECT_EQ(of(gib / 2 + 1).reserved, 2 * gib);
  EXPECT_EQ(of(4 * gib).reserved, 4 * gib);
  EXPECT_EQ(code_of([&] { of(0); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { of(layout::most_capacity + 1); }), errc::invalid_argument);
  constexpr std::uint64_t most = layout::most_home_files * layout::chunk_size;
  EXPECT_EQ(sound_capacity(most, layout::chunk_size).reserved, most);
  EXPECT_TRUE(fails_with(errc::invalid_argument, "larger home file size",
                         [&] { sound_capacity(most + gib, layout::chunk_size); }));
  layout::super_slot slot{};
  of(100'000).record_in(slot);
  EXPECT_EQ(limit_in(slot), 100'000u);
  EXPECT_EQ(slot.compat, layout::compat_limited);
  of(4 * gib).record_in(slot);
  EXPECT_EQ(slot.compat, 0u);
  EXPECT_EQ(slot.limit, 0u);
  EXPECT_EQ(limit_in(slot), 4 * gib);
}

TEST(kept_names, have_epochs_that_are_whole_numbers) {
  EXPECT_EQ(epoch_in("12"), 12u);
  for (const char* const other : {"", "12x", "x12", "-1", " 1", "99999999999999999999"})
    EXPECT_FALSE(epoch_in(other)) << other;
}

// ---- stamps -----------------------------------------------------------------------------------------------

class stamps_in_a_file : public testing::Test {
 protected:
  static layout::stamp_sector sector(std::uint64_t epoch, std::uint64_t identity, bool is_whole = true) {
    layout::stamp_sector one{};
    one.epoch = epoch;
    one.checkpoint = identity;
    one.crc = checksum_of(one) ^ (is_whole ? 0 : 1);
    return one;
  }
  static file_stamps of(const layout::stamp_sector& a, const layout::stamp_sector& b = {}) {
    return file_stamps(std::array{a, b});
  }

  scratch_directory scratch_{fast_directory()};
  os::file file_ =
      os::file::open_in(os::file::open_directory(scratch_.directory()), "file", O_RDWR | O_CREAT);
};

TEST_F(stamps_in_a_file, count_for_nothing_where_they_are_torn) {
  const file_stamps torn = of(sector(5, 50, false), sector(3, 30));
  EXPECT_TRUE(torn.has_unsound());
  EXPECT_EQ(torn.at(9), 30u);
  EXPECT_TRUE(torn.has_later_than(2));
  EXPECT_FALSE(torn.has_later_than(3));
  EXPECT_TRUE(torn.are_known_after(3, {}));
  EXPECT_FALSE(of(sector(5, 50), sector(3, 30)).has_unsound());
  EXPECT_FALSE(file_stamps().has_unsound()) << "no stamp is none that is torn";
  EXPECT_TRUE(of(sector(5, 0)).has_unsound()) << "no checkpoint has that identity";
}

TEST_F(stamps_in_a_file, are_of_the_last_checkpoint_up_to_an_epoch) {
  const file_stamps stamps = of(sector(5, 50), sector(7, 70));
  EXPECT_EQ(stamps.at(7), 70u);
  EXPECT_EQ(stamps.at(6), 50u);
  EXPECT_FALSE(stamps.at(4));
  EXPECT_EQ(of(sector(5, 50)).at(4), 0u);
  const auto known = [&](std::uint64_t epoch, std::uint64_t identity) {
    const known_checkpoint one{epoch, 0, identity};
    return stamps.are_known_after(5, std::span(&one, 1));
  };
  EXPECT_TRUE(known(7, 70));
  EXPECT_FALSE(known(7, 71));
  EXPECT_FALSE(known(6, 70));
  EXPECT_TRUE(stamps.are_known_after(7, {}));
  EXPECT_EQ(sum_of_stamps(std::array{stamps, of(sector(2, 20)), file_stamps()}, 7), 70 + 3 * 20);
  EXPECT_FALSE(sum_of_stamps(std::array{stamps, of(sector(2, 20))}, 4));
}

TEST_F(stamps_in_a_file, are_written_in_turn) {
  const auto read = [this] {
    std::array<layout::stamp_sector, 2> sectors{};
    file_.read_at(&sectors, sizeof sectors, layout::stamps_offset);
    return file_stamps(sectors);
  };
  file_stamps stamps;
  stamps.write(file_, {5, 0, 0});
  EXPECT_EQ(file_.size(), 0u) << "a checkpoint without an identity";
  for (const std::uint64_t epoch : {5, 6, 7, 7}) {
    stamps.write(file_, {epoch, 0, 10 * epoch});
    EXPECT_EQ(read().at(epoch), 10 * epoch);
    EXPECT_EQ(stamps.at(epoch), 10 * epoch);
  }
  EXPECT_EQ(read().at(6), 60u) << "the one before stays";
  stamps.write_anew(file_, {8, 0, 80});
  EXPECT_EQ(read().at(8), 80u);
  EXPECT_EQ(read().at(7), 0u);
}

// ---- journals ---------------------------------------------------------------------------------------------

class an_index_of_a_journal : public testing::Test {
 protected:
  static constexpr std::uint64_t capacity = gib;
  static constexpr std::uint64_t segment_bytes = 2 * layout::chunk_size;
  static constexpr std::uint64_t pages = segment_bytes / page_size;
  static constexpr layout::uuid_bytes uuid{1, 2, 3};

  /// Whether such an index counts, with so many pages of payload.
  bool counts(const std::vector<journal_entry>& index, std::uint64_t payload = 2,
              const std::function<void(layout::journal_header&)>& change = {}) const {
    layout::journal_header header = make_header(layout::journal_magic, uuid, index, payload);
    header.segment_bytes = segment_bytes;
    file_.resize(0);
    file_.resize(header.index_offset);
    file_.write_at(index.data(), index.size() * sizeof(journal_entry), header.index_offset);
    if (change) change(header);
    return journal_image(file_, 0).index(header, capacity).has_value();
  }

  scratch_directory scratch_{fast_directory()};
  os::file file_ =
      os::file::open_in(os::file::open_directory(scratch_.directory()), "jrnl.0", O_RDWR | O_CREAT);
};

TEST_F(an_index_of_a_journal, has_sound_entries_in_order) {
  const journal_entry written{3, 9, entry_kind::overwrite, 0, {}, 1};
  const journal_entry fresh{4, 9, entry_kind::fresh, 1, {}};
  const journal_entry zeros{5, 2, entry_kind::zero, 1, {}};
  const journal_entry released{7, pages - 7, entry_kind::released, 0, {}};
  EXPECT_TRUE(counts({}));
  EXPECT_TRUE(counts({written, fresh, zeros, released}));
  const auto with = [this](journal_entry entry, const std::function<void(journal_entry&)>& change) {
    change(entry);
    return counts({entry});
  };
  EXPECT_FALSE(with(fresh, [](journal_entry& e) { e.kind = static_cast<entry_kind>(0); }));
  EXPECT_FALSE(with(fresh, [](journal_entry& e) { e.kind = static_cast<entry_kind>(5); }));
  EXPECT_FALSE(with(fresh, [](journal_entry& e) { e.value = 1; })) << "no checksum";
  EXPECT_FALSE(with(written, [](journal_entry& e) { e.value = 1; })) << "no checksum";
  EXPECT_TRUE(with(zeros, [](journal_entry& e) { e.value = 1; }));
  EXPECT_TRUE(with(fresh, [](journal_entry& e) { e.value = 2; }));
  EXPECT_FALSE(with(fresh, [](journal_entry& e) { e.carried = 2; }));
  EXPECT_FALSE(with(written, [](journal_entry& e) { e.carried = 1; }));
  EXPECT_FALSE(with(zeros, [](journal_entry& e) { e.value = 0; }));
  EXPECT_FALSE(with(fresh, [](journal_entry& e) { e.page = pages; }));
  EXPECT_TRUE(with(fresh, [](journal_entry& e) { e.page = pages - 1; }));
  EXPECT_FALSE(with(released, [](journal_entry& e) { ++e.value; }));
  EXPECT_FALSE(with(written, [](journal_entry& e) { e.slot = 2; }));
  EXPECT_FALSE(counts({fresh, written}));
  EXPECT_FALSE(counts({zeros, {6, 9, entry_kind::fresh, 0, {}}})) << "a page of a run before it";
  EXPECT_FALSE(counts({written, {8, 9, entry_kind::overwrite, 0, {}, 1}})) << "a slot that is taken";
  EXPECT_TRUE(counts({written, {8, 9, entry_kind::overwrite, 0, {}, 0}}));
}

TEST_F(an_index_of_a_journal, is_where_its_header_says) {
  const std::vector<journal_entry> index{{3, 9, entry_kind::fresh, 0, {}}};
  using header = layout::journal_header;
  EXPECT_FALSE(counts(index, 2, [](header& h) { h.segment_bytes = capacity + layout::chunk_size; }));
  EXPECT_FALSE(counts(index, 2, [](header& h) { h.segment_bytes += page_size; }));
  EXPECT_FALSE(counts(index, 2, [](header& h) { h.entries = 2; }));
  EXPECT_FALSE(counts(index, 2, [](header& h) { h.entries = ~std::uint64_t{0}; }));
  EXPECT_FALSE(counts(index, 2, [](header& h) { h.payload_pages = ~std::uint64_t{0}; }));
  EXPECT_FALSE(counts(index, 2, [](header& h) { h.payload_pages = 1; }));
  EXPECT_FALSE(counts(index, 2, [](header& h) { ++h.index_offset; }));
  EXPECT_FALSE(counts(index, 2, [](header& h) { ++h.index_crc; }));
  const auto found = [this](const std::function<void(header&)>& change) {
    header one = make_header(layout::journal_magic, uuid, {}, 0);
    change(one);
    seal_block(one);
    file_.write_at(&one, sizeof one, 0);
    return journal_image(file_, 0).header(layout::journal_magic, uuid).has_value();
  };
  EXPECT_TRUE(found([](header&) {}));
  EXPECT_FALSE(found([](header& h) { h.magic = layout::undo_magic; }));
  EXPECT_FALSE(found([](header& h) { ++h.uuid[15]; }));
  EXPECT_FALSE(found([](header& h) { ++h.format; }));
  EXPECT_TRUE(found([](header&) {}));
  file_.write_at("?", 1, 2000);
  EXPECT_FALSE(journal_image(file_, 0).header(layout::journal_magic, uuid));
}

TEST(a_journal, that_cannot_be_replaced_leaves_no_other_file) {
  const scratch_directory scratch{fast_directory()};
  const os::file directory = os::file::open_directory(scratch.directory());
  journal::create(directory, 0, {7});
  journal file(directory, 0, {7}, true);
  const std::vector<std::byte> bytes(page_size, std::byte{5});
  file.write_payload(0, 1, bytes.data());
  const journal::kept_page lost{3, 0, page_checksum(4, bytes.data())};
  EXPECT_TRUE(fails_with(errc::io, "was lost by the device", [&] { file.replace({&lost, 1}); }));
  EXPECT_FALSE(os::exists_in(directory, "jrnl.0.new"));
  const journal::kept_page kept{3, 0, page_checksum(3, bytes.data())};
  const unsynced_files unsynced;
  file.replace({&kept, 1});
  EXPECT_EQ(unsynced.names().count(scratch.directory().filename()), 0u) << "its name is not durable";
  std::vector<std::byte> read(page_size);
  journal(directory, 0, {7}, false).image().read_payload(0, 1, read.data());
  EXPECT_EQ(read, bytes);
}

TEST(an_undo_log, has_the_batches_of_one_checkpoint) {
  const scratch_directory scratch{fast_directory()};
  const os::file directory = os::file::open_directory(scratch.directory());
  layout::super_slot super{};
  super.capacity = super.home_file_bytes = gib;
  home_files::create(directory, super);
  home_files home(directory, super, true);
  home.extend(layout::chunk_size);
  const std::vector<std::byte> bytes(10 * page_size, std::byte{5});
  home.write(0, 10, bytes.data());
  undo_log undo(directory, super.uuid, true);
  const known_checkpoint five{5, layout::chunk_size, 55};
  const known_checkpoint six{6, layout::chunk_size, 66};
  const auto save = [&](const known_checkpoint& of, const std::vector<detail::page_run>& pages,
                        const std::vector<detail::page_run>& empty) {
    undo.save(of, pages, empty, home, [] {});
  };
  save(five, {{2, 3}}, {{100, 7}});
  save(five, {{7, 1}}, {});
  save(five, {}, {});
  const std::vector<undo_log::batch> saved = undo.find(five);
  ASSERT_EQ(saved.size(), 2u) << "none without pages";
  ASSERT_EQ(saved[0].index.size(), 4u);
  EXPECT_EQ(saved[0].index[2].page, 4u);
  EXPECT_EQ(saved[0].index[2].value, page_checksum(4, bytes.data()));
  EXPECT_EQ(saved[0].index[3].page, 100u);
  EXPECT_EQ(saved[0].index[3].value, 7u);
  save(six, {{2, 3}}, {});
  EXPECT_EQ(undo.find(six).size(), 1u);
  EXPECT_TRUE(undo.find(five).empty());
  EXPECT_TRUE(fails_with(errc::damaged, "another checkpoint 6", [&] {
    undo.find({6, layout::chunk_size, 67});
  }));
  os::file::open_in(directory, "undo", O_RDWR).write_at("?", 1, layout::block + 10);
  EXPECT_TRUE(undo.find(six).empty()) << "it was not durable when the process ended";
  save(six, {{7, 1}}, {});
  EXPECT_TRUE(fails_with(errc::damaged, "is torn", [&] { undo.find(six); }))
      << "it was durable before the second";
}

// ---- log --------------------------------------------------------------------------------------------------

TEST(the_log_of_a_store, has_records_in_their_places) {
  const scratch_directory scratch{fast_directory()};
  const os::file directory = os::file::open_directory(scratch.directory());
  const layout::uuid_bytes uuid{5};
  checkpoint_log log(directory, uuid, true);
  layout::journal_header header{};
  const std::vector<journal_entry> index{
      {1, 9, entry_kind::fresh, 0, {}},        {2, 9, entry_kind::fresh, 1, {}},
      {3, 9, entry_kind::overwrite, 0, {}, 0}, {4, 9, entry_kind::overwrite, 0, {}, 1},
      {5, 20, entry_kind::zero, 0, {}},        {30, 40, entry_kind::released, 0, {}},
      {90, 50, entry_kind::zero, 1, {}}};
  for (const std::uint64_t epoch : {std::uint64_t{7}, std::uint64_t{layout::log_records}}) {
    header.epoch = epoch;
    header.segment_bytes = epoch * layout::chunk_size;
    header.committed_ns = epoch + 100;
    log.append(header, index);
  }
  std::vector<checkpoint_record> found = checkpoint_log::read(directory, uuid);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].epoch, 7u);
  EXPECT_EQ(found[1].epoch, layout::log_records);
  EXPECT_EQ(found[0].time_ns, 107u);
  EXPECT_EQ(found[0].fresh_pages, 1u);
  EXPECT_EQ(found[0].overwritten_pages, 2u);
  EXPECT_EQ(found[0].cleared_pages, 60u);
  EXPECT_EQ(found[0].segment_bytes, 7 * layout::chunk_size);
  // A record in the place of another, and one that is torn.
  const os::file file = os::file::open_in(directory, "log", O_RDWR);
  layout::log_record record;
  const auto place = [](std::uint64_t epoch) { return layout::block + epoch * sizeof(layout::log_record); };
  ASSERT_EQ(file.read_at(&record, sizeof record, place(7)), sizeof record);
  file.write_at(&record, sizeof record, place(9));
  EXPECT_EQ(checkpoint_log::read(directory, uuid).size(), 2u);
  ++record.fresh_pages;
  file.write_at(&record, sizeof record, place(7));
  EXPECT_EQ(checkpoint_log::read(directory, uuid).size(), 1u);
  EXPECT_TRUE(checkpoint_log::read(directory, {6}).empty()) << "another store's";
}

// ---- home files -------------------------------------------------------------------------------------------

TEST(files_of_home, are_cut_and_extended_together) {
  const scratch_directory scratch{fast_directory()};
  const os::file directory = os::file::open_directory(scratch.directory());
  layout::super_slot super{};
  super.capacity = 64 * page_size;
  super.home_file_bytes = 8 * page_size;
  home_files::create(directory, super);
  home_files home(directory, super, true);
  std::optional<unsynced_files> unsynced(std::in_place);
  home.extend(20 * page_size);
  EXPECT_EQ(home.bytes(), 20 * page_size);
  EXPECT_EQ(home.count(), 3u);
  std::vector<std::byte> bytes(20 * page_size);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i / page_size + 1);
  home.write(0, 20, bytes.data());
  EXPECT_EQ(unsynced->names().size(), 4u) << "three files and their directory";
  home.sync();
  EXPECT_TRUE(unsynced->names().empty());
  unsynced.reset();
  std::vector<std::byte> read(20 * page_size);
  home.read(0, 20, read.data());
  EXPECT_EQ(read, bytes);
  home.truncate(5 * page_size);
  EXPECT_EQ(home.bytes(), 5 * page_size);
  const auto is_refused = [&](std::uint64_t needed, const std::string& words) {
    return fails_with(errc::damaged, words, [&] { home.require(needed * page_size); });
  };
  home.require(5 * page_size);
  EXPECT_TRUE(is_refused(6, "heap.000 is damaged: it is cut short"));
  home.extend(16 * page_size);
  home.read(5, 11, read.data());
  EXPECT_TRUE(std::all_of(read.begin(), read.begin() + 11 * page_size,
                          [](std::byte one) { return one == std::byte{0}; }));
  EXPECT_TRUE(is_refused(17, "heap.002 is damaged: it is cut short"));
  EXPECT_TRUE(is_refused(25, "heap.002 is damaged: it is cut short"));
  home.extend(24 * page_size);
  EXPECT_TRUE(is_refused(25, "heap.003 is damaged: it is missing"));
  // Opened again, with what is not the store's.
  super.segment_bytes = 24 * page_size;
  EXPECT_EQ(home_files(directory, super, false).bytes(), 24 * page_size);
  const auto is_another = [&](const std::function<void(layout::home_header&)>& change) {
    const os::file file = os::file::open_in(directory, "heap.001", O_RDWR);
    layout::home_header own{};
    file.read_at(&own, sizeof own, 0);
    layout::home_header header = own;
    change(header);
    seal_block(header);
    file.write_at(&header, sizeof header, 0);
    const auto refused = fails_with(errc::damaged, "belongs to another store or to another place",
                                    [&] { home_files(directory, super, false); });
    file.write_at(&own, sizeof own, 0);
    return refused;
  };
  EXPECT_TRUE(is_another([](layout::home_header& header) { ++header.uuid[7]; }));
  EXPECT_TRUE(is_another([](layout::home_header& header) { header.index = 2; }));
  EXPECT_TRUE(is_another([](layout::home_header& header) { header.home_file_bytes *= 2; }));
  // A crash may have left a file without a header on disk that nothing needed: it is written again.
  for (const bool is_needed : {false, true}) {
    super.segment_bytes = (is_needed ? 24 : 16) * page_size;
    home_files again(directory, super, true);
    int headers = 0;
    const watched_calls calls([&headers](const os::file_call& call, std::string_view file) {
      if (file == "heap.002" && call.operation == os::file_operation::write && call.offset == 0) ++headers;
      return 0;
    });
    again.write(17, 1, bytes.data());
    again.sync();
    again.write(17, 1, bytes.data());
    again.sync();
    EXPECT_EQ(headers, is_needed ? 0 : 1);
  }
  os::remove_in(directory, "heap.003");
  os::file::open_in(directory, "heap.003", O_RDWR | O_CREAT).resize(layout::home_data_offset);
  EXPECT_EQ(home_files(directory, super, false).count(), 3u) << "an unfinished file, which nothing needs";
  super.segment_bytes = 25 * page_size;
  EXPECT_TRUE(fails_with(errc::damaged, "heap.003 is damaged: its header",
                         [&] { home_files(directory, super, false); }));
}

}  // namespace
}  // namespace perdure::store
