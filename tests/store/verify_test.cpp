// Verification finds every damaged byte that matters, says where it is, and takes what a crash leaves for
// what it is.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/verify.hpp>
#include <random>

#include "os/crc32c.hpp"
#include "segment/segment.hpp"
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
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t pages_per_file = 4 * mib / page_size;

std::string describe(const verify_report& report) {
  std::string text = std::to_string(report.damages) + " damages";
  for (const verify_finding& one : report.findings)
    text += (one.damage ? "\n  " : "\n  (note) ") + to_string(one);
  return text;
}

class verifying : public three_files_test {
 protected:
  void make_store() {
    const detail::page_run gone{1000, 20};
    three_files_test::make_store({&gone, 1});
  }
  void flip(const std::string& name, std::uint64_t offset, unsigned bit = 3) const {
    flip_bit(path() / name, offset, bit);
  }
  verify_report verify() const { return store_maintenance::verify(path()); }
  static const verify_finding* find(const verify_report& report, store_section part) {
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [&](const verify_finding& one) { return one.part == part; });
    return found == report.findings.end() ? nullptr : &*found;
  }
  static std::uint64_t home_offset(std::uint64_t page) {
    return store::layout::home_data_offset + page % pages_per_file * page_size;
  }
};

TEST_F(verifying, a_sound_store_is_whole) {
  make_store();
  const verify_report report = verify();
  EXPECT_TRUE(report.whole()) << describe(report);
  EXPECT_TRUE(report.findings.empty()) << describe(report);
  EXPECT_EQ(report.epoch, 2u);
  EXPECT_EQ(report.applied_epoch, 2u);
  EXPECT_EQ(report.pages, 2560u);
  EXPECT_GE(report.bytes_read, 500 * page_size);
}

TEST_F(verifying, an_empty_store_is_whole) {
  datastore::create(path(), store_of_files(4 * mib))->close();
  const verify_report report = verify();
  EXPECT_TRUE(report.whole()) << describe(report);
  EXPECT_EQ(report.pages, 0u);
}

// Its writer was killed before the super block was synced, the next one made a checkpoint, and the power
// went.
TEST_F(verifying, minds_no_super_block_that_is_two_checkpoints_behind) {
  make_store();
  fs::copy_file(path() / "super", path("super before"));
  {
    const auto store = datastore::open(path(), store_of_files(4 * mib));
    store->memory().grow(18 * mib);
    put(*store, 4095, 1);
    store->checkpoint();
    put(*store, 5, 2);
    store->checkpoint();
  }
  fs::copy_file(path("super before"), path() / "super", fs::copy_options::overwrite_existing);
  const verify_report report = verify();
  EXPECT_TRUE(report.whole()) << describe(report);
  EXPECT_EQ(report.epoch, 4u);
  flip("heap.003", home_offset(4095) + 5);
  EXPECT_EQ(verify().damages, 1u) << describe(verify());
}

TEST_F(verifying, knows_fresh_pages_for_which_the_table_is_too_short) {
  make_store();
  for (const char* const name : {"super", "crc"}) fs::copy_file(path() / name, path(name));
  {
    const auto store = datastore::open(path(), small_store());
    store->memory().grow(18 * mib);
    put(*store, 4095, 1);
    store->checkpoint();
  }
  for (const char* const name : {"super", "crc"})
    fs::copy_file(path(name), path() / name, fs::copy_options::overwrite_existing);
  EXPECT_TRUE(verify().whole()) << describe(verify());
  flip("heap.003", home_offset(4095) + 5);
  const verify_report report = verify();
  ASSERT_EQ(report.damages, 1u) << describe(report);
  EXPECT_EQ(report.findings.front().page, 4095u);
}

TEST_F(verifying, sees_a_table_page_that_describes_nothing_of_the_segment) {
  make_store();
  const os::file file = os::file::open_in(os::file::open_directory(path()), "crc", O_RDWR);
  store::layout::table_page page;
  ASSERT_EQ(file.read_at(&page, sizeof page, store::layout::block), sizeof page);
  page.index = 3;
  page.crc = os::crc32c(0, &page.index, sizeof page - offsetof(store::layout::table_page, index));
  file.write_at(&page, sizeof page, 4 * store::layout::block);
  const verify_report report = verify();
  ASSERT_EQ(report.damages, 1u) << describe(report);
  EXPECT_EQ(report.findings.front().part, store_section::checksum_page);
  EXPECT_EQ(report.findings.front().offset, 4 * store::layout::block);
}

TEST_F(verifying, names_the_damaged_page) {
  make_store();
  const std::uint64_t page = 2000;  // in the second file
  flip("heap.001", home_offset(page) + 123);
  const verify_report report = verify();
  ASSERT_EQ(report.damages, 1u) << describe(report);
  const verify_finding& found = report.findings.front();
  EXPECT_EQ(found.part, store_section::home_page);
  EXPECT_EQ(found.file, "heap.001");
  EXPECT_EQ(found.offset, home_offset(page));
  EXPECT_EQ(found.page, page);
  EXPECT_EQ(found.epoch, 2u);
}

TEST_F(verifying, sees_bytes_where_nothing_was_ever_written) {
  make_store();
  flip("heap.000", home_offset(3) + 5);
  const verify_report report = verify();
  ASSERT_EQ(report.damages, 1u) << describe(report);
  EXPECT_EQ(report.findings.front().page, 3u);
}

TEST_F(verifying, does_not_mind_what_released_pages_hold) {
  make_store();
  flip("heap.000", home_offset(1005) + 5);
  EXPECT_TRUE(verify().whole());
}

TEST_F(verifying, sees_a_page_become_zeros_or_a_hole) {
  make_store();
  const os::file file = os::file::open_in(os::file::open_directory(path()), "heap.000", O_RDWR);
  const std::vector<char> zeros(page_size);
  file.write_at(zeros.data(), zeros.size(), home_offset(10));
  verify_report report = verify();
  ASSERT_EQ(report.damages, 1u) << describe(report);
  EXPECT_EQ(report.findings.front().page, 10u);
  file.punch(home_offset(10), page_size);
  report = verify();
  ASSERT_EQ(report.damages, 1u) << describe(report);
  EXPECT_EQ(report.findings.front().page, 10u);
}

TEST_F(verifying, sees_a_page_in_anothers_place) {
  make_store();
  const int file = ::open((path() / "heap.000").c_str(), O_RDWR);
  std::vector<char> bytes(page_size);
  ASSERT_GT(::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(home_offset(15))), 0);
  ASSERT_GT(::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(home_offset(20))), 0);
  ::close(file);
  const verify_report report = verify();
  ASSERT_EQ(report.damages, 1u) << describe(report);
  EXPECT_EQ(report.findings.front().page, 20u);
}

TEST_F(verifying, names_each_part_that_is_damaged) {
  const struct {
    const char* file;
    std::uint64_t offset;
    store_section part;
  } places[] = {
      {"super", 3000, store_section::super_slot},
      {"super", 2 * store::layout::block + 30, store_section::abi_stamp},
      {"heap.000", 2000, store_section::home_header},
      {"heap.002", 20, store_section::home_header},
      {"heap.001", 100'000, store_section::home_padding},
      {"crc", 40, store_section::checksum_header},
      {"crc", store::layout::block + 500, store_section::checksum_page},
      {"crc", 3 * store::layout::block + 4, store_section::checksum_page},
  };
  for (const auto& place : places) {
    make_store();
    flip(place.file, place.offset);
    const verify_report report = verify();
    EXPECT_EQ(report.damages, 1u) << place.file << ' ' << place.offset << ": " << describe(report);
    const verify_finding* found = find(report, place.part);
    ASSERT_NE(found, nullptr) << describe(report);
    EXPECT_EQ(found->file, place.file);
    EXPECT_LE(found->offset, place.offset);
    EXPECT_LT(place.offset - found->offset, 65536u);
  }
}

TEST_F(verifying, notices_any_single_bit_in_super_and_table) {
  make_store();
  std::mt19937_64 random(7);
  for (const char* name : {"super", "crc"}) {
    const std::uint64_t size = fs::file_size(path() / name);
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t offset = random() % size;
      const unsigned bit = random() % 8;
      flip(name, offset, bit);
      // A super slot may have been torn by a crash, if a journal holds what it said; that is only noted.
      EXPECT_FALSE(verify().findings.empty()) << name << " byte " << offset << " bit " << bit;
      flip(name, offset, bit);
    }
  }
  EXPECT_TRUE(verify().whole());
}

TEST_F(verifying, notices_files_that_are_short_missing_or_foreign) {
  const struct {
    const char* what;
    std::function<void(const fs::path&)> harm;
    store_section part;
  } harms[] = {
      {"home cut", [](const fs::path& p) { fs::resize_file(p / "heap.001", 3 * mib); },
       store_section::home_length},
      {"home missing", [](const fs::path& p) { fs::remove(p / "heap.001"); }, store_section::home_length},
      {"home exchanged",
       [](const fs::path& p) {
         fs::copy_file(p / "heap.000", p / "heap.001", fs::copy_options::overwrite_existing);
       },
       store_section::home_length},
      {"table cut", [](const fs::path& p) { fs::resize_file(p / "crc", 8192); },
       store_section::checksum_page},
      {"table missing", [](const fs::path& p) { fs::remove(p / "crc"); }, store_section::checksum_header},
      {"journal missing", [](const fs::path& p) { fs::remove(p / "jrnl.1"); }, store_section::journal},
      {"journal cut", [](const fs::path& p) { fs::resize_file(p / "jrnl.0", 100); }, store_section::journal},
      {"super cut", [](const fs::path& p) { fs::resize_file(p / "super", 5000); }, store_section::super_slot},
      {"super missing", [](const fs::path& p) { fs::remove(p / "super"); }, store_section::super_slot},
  };
  for (const auto& harm : harms) {
    make_store();
    harm.harm(path());
    const verify_report report = verify();
    EXPECT_GE(report.damages, 1u) << harm.what;
    EXPECT_LE(report.damages, 3u) << harm.what << ": " << describe(report);
    EXPECT_NE(find(report, harm.part), nullptr) << harm.what << ": " << describe(report);
  }
}

TEST_F(verifying, judges_by_the_journal_what_is_not_yet_home) {
  {
    const auto store = datastore::create(path(), store_of_files(4 * mib));
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 900; ++page) put(*store, page, page + 1);
    store->checkpoint();
  }
  fs::copy(path(), path("before"), fs::copy_options::recursive);
  {
    const auto store = datastore::open(path());
    for (std::uint64_t page = 100; page < 200; ++page) put(*store, page, page + 5000);
    store->checkpoint();
  }
  // Committed, nothing of it home: as after a crash.
  for (const char* name : {"super", "heap.000", "crc"})
    fs::copy_file(path("before") / name, path() / name, fs::copy_options::overwrite_existing);
  verify_report report = verify();
  EXPECT_TRUE(report.whole()) << describe(report);
  EXPECT_EQ(report.epoch, 2u);
  EXPECT_EQ(report.applied_epoch, 1u);

  // A page half written home is the journal's matter, and so is the table page being written.
  flip("heap.000", home_offset(150) + 99);
  flip("crc", store::layout::block + 700);
  report = verify();
  EXPECT_TRUE(report.whole()) << describe(report);
  flip("crc", store::layout::block + 700);
  // The pages it does not speak of are not.
  flip("heap.000", home_offset(250) + 99);
  report = verify();
  EXPECT_EQ(report.damages, 1u) << describe(report);
  flip("heap.000", home_offset(250) + 99);

  // A torn journal is a checkpoint that was never acknowledged; then its pages must be the old ones again.
  flip("jrnl.0", 2 * store::layout::block + 4000);
  report = verify();
  EXPECT_EQ(report.epoch, 1u);
  ASSERT_EQ(report.damages, 1u) << describe(report);
  EXPECT_EQ(find(report, store_section::home_page)->page, 150u);
  EXPECT_NE(find(report, store_section::journal), nullptr);
  flip("jrnl.0", 2 * store::layout::block + 4000);

  // And opening brings all of it home.
  datastore::open(path())->close();
  report = verify();
  EXPECT_TRUE(report.whole()) << describe(report);
  EXPECT_EQ(report.applied_epoch, 2u);
}

TEST_F(verifying, is_the_same_on_any_number_of_threads) {
  {
    store_options options = store_of_files(4 * mib);
    options.home_file_size = 64 * mib;
    const auto store = datastore::create(path(), options);
    store->memory().grow(40 * mib);
    for (std::uint64_t page = 0; page < 10000; ++page) put(*store, page, page + 1);
    store->checkpoint();
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 50; ++i) flip("heap.000", home_offset(random() % 1000) + 77);
  verify_options one;
  one.threads = 1;
  verify_options many;
  many.threads = 4;
  verify_progress progress;
  many.progress = &progress;
  const verify_report a = store_maintenance::verify(path(), one);
  const verify_report b = store_maintenance::verify(path(), many);
  EXPECT_EQ(describe(a), describe(b));
  EXPECT_EQ(a.bytes_read, b.bytes_read);
  EXPECT_FALSE(a.whole());
  EXPECT_EQ(progress.done, progress.total);
  EXPECT_EQ(progress.total, 40 * mib);
}

TEST_F(verifying, counts_more_than_it_lists) {
  make_store();
  for (std::uint64_t page = 0; page < 100; page += 5) flip("heap.000", home_offset(page));
  verify_options options;
  options.most_findings = 7;
  const verify_report report = store_maintenance::verify(path(), options);
  EXPECT_EQ(report.damages, 20u);
  EXPECT_EQ(report.findings.size(), 7u);
}

// Its writer was killed: the table lacks what the last journal carries.
TEST_F(verifying, judges_a_table_that_is_behind_by_the_last_journal) {
  make_store();
  ASSERT_TRUE(in_another_process([&]() -> int {
    const auto store = datastore::open(path(), small_store());
    put(*store, 5, 1);
    store->checkpoint();
    store->wait_applied();
    ::_exit(0);
  }));
  EXPECT_TRUE(verify().whole());
  const os::file directory = os::file::open_directory(path());
  store::super_file super;
  os::file::open_in(directory, "super", O_RDONLY).read_at(&super, sizeof super, 0);
  const bool is_first_older = super.slots[0].sequence < super.slots[1].sequence;
  flip("super", (is_first_older ? 0 : store::layout::block) + 100);
  verify_report report = verify();
  EXPECT_TRUE(report.whole()) << "a crash may leave a torn slot" << describe(report);
  EXPECT_NE(find(report, store_section::super_slot), nullptr);
  os::remove_in(directory, "jrnl.1");
  report = verify();
  EXPECT_NE(find(report, store_section::journal), nullptr) << describe(report);
  EXPECT_EQ(find(report, store_section::home_page), nullptr) << describe(report);
}

TEST_F(verifying, names_what_cannot_be_read) {
  make_store();
  const auto not_readable = [](const char* name, std::uint64_t place) {
    return watched_calls([name, place](const os::file_call& call, std::string_view file) {
      const bool is_it = call.operation == os::file_operation::read && file == name && call.offset <= place &&
                         place < call.offset + call.bytes;
      return is_it ? EIO : 0;
    });
  };
  {
    const watched_calls broken = not_readable("heap.001", home_offset(2000));
    const verify_report report = verify();
    ASSERT_EQ(report.damages, 1u) << describe(report);
    EXPECT_EQ(report.findings.front().page, 2000u);
    EXPECT_NE(report.findings.front().what.find("cannot be read"), std::string::npos);
  }
  {
    const watched_calls broken = not_readable("heap.000", home_offset(1005));
    EXPECT_TRUE(verify().whole()) << "a page that was released";
  }
  const watched_calls broken = not_readable("crc", 2 * store::layout::block);
  const verify_report report = verify();
  ASSERT_EQ(report.damages, 1u) << describe(report);
  EXPECT_EQ(report.findings.front().part, store_section::checksum_page);
}

TEST_F(verifying, goes_on_beside_readers) {
  make_store();
  const auto reader = datastore::open_read_only(path());
  EXPECT_TRUE(verify().whole());
}

TEST_F(verifying, tells_what_is_no_store) {
  EXPECT_TRUE(fails_with(errc::not_found, "", [&] { store_maintenance::verify(path("nothing")); }));
  fs::create_directory(path("empty"));
  EXPECT_TRUE(fails_with(errc::not_a_store, "", [&] { store_maintenance::verify(path("empty")); }));
  EXPECT_TRUE(fs::is_empty(path("empty")));
}

TEST_F(verifying, an_eager_open_refuses_what_a_quick_one_takes) {
  make_store();
  store_options eager;
  eager.verify = verify_mode::open;
  datastore::open(path(), eager)->close();
  flip("heap.001", home_offset(2000));
  EXPECT_TRUE(fails_with(errc::damaged, "page 2000", [&] { datastore::open(path(), eager); }));
  EXPECT_TRUE(fails_with(errc::damaged, "page 2000", [&] { datastore::open_read_only(path(), eager); }));
  EXPECT_EQ(message_of([&] { datastore::open(path(), eager); }).find("more"), std::string::npos);
  flip("heap.001", home_offset(2010));
  flip("heap.001", home_offset(2020));
  EXPECT_TRUE(fails_with(errc::damaged, ", and 2 more;", [&] { datastore::open(path(), eager); }));
  datastore::open(path())->close();
}

// The table lacks what the last journal carries on from the one before: a run of zeros with pages in it that
// the last checkpoint wrote.
TEST_F(verifying, knows_a_carried_run_around_pages_that_were_written_since) {
  {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, page + 1);
    store->checkpoint();
  }
  ASSERT_TRUE(in_another_process([&]() -> int {
    const auto store = datastore::open(path());
    std::memset(store->memory().base() + 10 * page_size, 0, 10 * page_size);
    store->checkpoint();
    for (const std::uint64_t page : {12U, 15U, 19U}) put(*store, page, 7);
    store->checkpoint();
    store->wait_applied();
    ::_exit(0);
  }));
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  {
    const auto store = datastore::open(path());
    for (std::uint64_t page = 10; page < 20; ++page)
      EXPECT_TRUE(
          holds(store->memory().base() + page * page_size, page == 12 || page == 15 || page == 19 ? 7 : 0))
          << page;
    put(*store, 16, 8);
    store->checkpoint();
  }
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
}

}  // namespace
}  // namespace perdure
