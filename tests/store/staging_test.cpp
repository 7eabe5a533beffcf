// Working on a copy in a faster place and writing back what changed.
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <perdure/datastore.hpp>
#include <perdure/progress.hpp>
#include <perdure/stage_place.hpp>
#include <perdure/store_maintenance.hpp>
#include <random>

#include "segment/segment.hpp"
#include "store/file/journal_image.hpp"
#include "store/file/layout.hpp"
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

class staging : public scratch_test {
 protected:
  void make_store() {
    const auto store = datastore::create(path(), store_of_files(8 * mib));
    store->memory().grow(10 * mib);
    for (std::uint64_t page = 0; page < 2560; page += 5) put(*store, page, page + 1);
    store->checkpoint();
  }
  ::testing::AssertionResult same_content() const {
    const auto a = datastore::open_read_only(path());
    const auto b = datastore::open_read_only(path("fast"));
    if (a->memory().size() != b->memory().size()) return ::testing::AssertionFailure() << "another size";
    if (std::memcmp(a->memory().base(), b->memory().base(), a->memory().size()) != 0)
      return ::testing::AssertionFailure() << "another content";
    return ::testing::AssertionSuccess();
  }
};

TEST_F(staging, reports_its_progress_in_bytes) {
  make_store();
  progress_record record;
  const progress_scope scope(record);
  store_maintenance::stage_in(path(), path("fast"));
  EXPECT_EQ(record.now().stage, "syncing");
  store_maintenance::verify(path("fast"));
  const progress_state verified = record.now();
  EXPECT_EQ(verified.stage, "verifying");
  EXPECT_EQ(verified.unit, "bytes");
  EXPECT_EQ(verified.total, 10 * mib);
  EXPECT_EQ(verified.done, verified.total);
  store_maintenance::stage_out(path("fast"), path());
  const progress_state compared = record.now();
  EXPECT_EQ(compared.stage, "comparing");
  EXPECT_EQ(compared.total, 10 * mib);
  EXPECT_EQ(compared.done, compared.total);
}

TEST_F(staging, writes_back_over_a_store_whose_writer_was_killed) {
  make_store();
  ASSERT_TRUE(in_another_process([&]() -> int {
    const auto store = datastore::open(path(), store_of_files(8 * mib));
    put(*store, 10, 77);
    store->checkpoint();
    store->wait_applied();
    ::_exit(0);
  }));
  store_maintenance::stage_in(path(), path("fast"));
  {
    const auto fast = datastore::open(path("fast"));
    put(*fast, 10, 11);  // what the table, which the kill left behind, still says
    fast->checkpoint();
  }
  EXPECT_EQ(store_maintenance::stage_out(path("fast"), path()).pages_written, 1u);
  EXPECT_TRUE(same_content());
}

TEST_F(staging, writes_back_what_changed_and_no_more) {
  make_store();
  store_maintenance::stage_in(path(), path("fast"));
  {
    const auto fast = datastore::open(path("fast"));
    for (std::uint64_t round = 0; round < 3; ++round) {
      for (std::uint64_t page = 0; page < 40; ++page) put(*fast, page * 7, page + round * 1000 + 500);
      fast->checkpoint();
    }
    fast->memory().grow(20 * mib);
    put(*fast, 5000, 5);
    put(*fast, 10, 0);
    fast->checkpoint();
  }
  const std::uint64_t copied = store_maintenance::inspect(path("fast")).copied_ns;
  const stage_report report = store_maintenance::stage_out(path("fast"), path());
  EXPECT_GT(store_maintenance::inspect(path("fast")).copied_ns, copied);
  EXPECT_EQ(report.pages_written, 42u);
  EXPECT_EQ(report.epoch, 2u);
  EXPECT_EQ(report.pages, 20 * mib / page_size);
  EXPECT_TRUE(same_content());
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  EXPECT_TRUE(store_maintenance::verify(path("fast")).whole());
  // Again, without and with more work.
  EXPECT_EQ(store_maintenance::stage_out(path("fast"), path()).pages_written, 0u);
  EXPECT_EQ(store_maintenance::inspect(path()).epoch, 2u);
  {
    const auto fast = datastore::open(path("fast"));
    put(*fast, 1, 2);
    fast->checkpoint();
  }
  EXPECT_EQ(store_maintenance::stage_out(path("fast"), path()).epoch, 3u);
  EXPECT_TRUE(same_content());
}

// Pages are compared in batches: one that changed and one that did not are the first behind a batch.
TEST_F(staging, writes_back_what_changed_and_has_the_checksum_that_it_had) {
  constexpr std::uint64_t changed = store::batch_pages;
  {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 4 * store::batch_pages; ++page) put(*store, page, page + 1);
    store->checkpoint();
  }
  store_maintenance::stage_in(path(), path("fast"));
  {
    const auto fast = datastore::open(path("fast"));
    // The polynomial of CRC-32C, in the order in which it is worked off: added to a page, it changes nothing.
    constexpr std::uint64_t polynomial = std::uint64_t{0x82f63b78} << 1 | 1;
    std::uint64_t word;
    std::byte* const at = fast->memory().base() + changed * page_size + 64;
    std::memcpy(&word, at, sizeof word);
    word ^= polynomial;
    std::memcpy(at, &word, sizeof word);
    fast->checkpoint();
  }
  EXPECT_EQ(store_maintenance::stage_out(path("fast"), path()).pages_written, 1u);
  EXPECT_TRUE(same_content());
}

TEST_F(staging, gives_up_what_was_released) {
  make_store();
  store_maintenance::stage_in(path(), path("fast"));
  {
    const auto fast = datastore::open(path("fast"));
    const detail::page_run gone{100, 50};
    fast->checkpoint({&gone, 1});
  }
  const stage_report report = store_maintenance::stage_out(path("fast"), path());
  EXPECT_EQ(report.pages_released, 10u);
  EXPECT_EQ(report.pages_written, 0u);
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
}

TEST_F(staging, does_not_undo_what_was_done_to_the_store_meanwhile) {
  make_store();
  store_maintenance::stage_in(path(), path("fast"));
  {
    const auto store = datastore::open(path());
    put(*store, 3, 33);
    store->checkpoint();
  }
  {
    const auto fast = datastore::open(path("fast"));
    put(*fast, 4, 44);
    fast->checkpoint();
  }
  EXPECT_TRUE(
      fails_with(errc::conflict, "epoch 2", [&] { store_maintenance::stage_out(path("fast"), path()); }));
  const auto store = datastore::open_read_only(path());
  EXPECT_TRUE(holds(store->memory().base() + 3 * page_size, 33));
  EXPECT_TRUE(holds(store->memory().base() + 4 * page_size, 0));
}

TEST_F(staging, takes_no_copy_of_another_store) {
  make_store();
  fs::rename(path(), path("another"));
  store_maintenance::stage_in(path("another"), path("fast"));
  make_store();
  EXPECT_TRUE(
      fails_with(errc::incompatible, "no copy", [&] { store_maintenance::stage_out(path("fast"), path()); }));
}

TEST_F(staging, takes_copies_of_the_same_store_only) {
  make_store();
  datastore::create(path("fast"), store_of_files(8 * mib))->close();
  EXPECT_TRUE(
      fails_with(errc::incompatible, "no copy", [&] { store_maintenance::stage_out(path("fast"), path()); }));
  EXPECT_TRUE(fails_with(errc::in_use, "", [&] {
    store_maintenance::remove(path("fast"));
    store_maintenance::stage_in(path(), path("fast"));
    const auto user = datastore::open(path("fast"));
    store_maintenance::stage_out(path("fast"), path());
  }));
}

TEST_F(staging, survives_being_killed_at_any_time) {
  make_store();
  store_maintenance::stage_in(path(), path("fast"));
  std::mt19937_64 random(5);
  for (int round = 0; round < 15; ++round) {
    {
      const auto fast = datastore::open(path("fast"));
      for (int i = 0; i < 200; ++i) put(*fast, random() % 2560, random() % 100'000 + 1);
      fast->checkpoint();
    }
    const std::uint64_t before = store_maintenance::inspect(path()).epoch;
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        store_maintenance::stage_out(path("fast"), path());
      } catch (const std::exception&) {
      }
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(random() % 12'000));
    ::kill(child, SIGKILL);
    result_of(child);
    EXPECT_TRUE(store_maintenance::verify(path()).whole());
    EXPECT_TRUE(store_maintenance::verify(path("fast")).whole());
    if (round % 3 != 0) {
      // More work before anyone notices.
      const auto fast = datastore::open(path("fast"));
      put(*fast, 9, round + 1);
      fast->checkpoint();
    }
    store_maintenance::stage_out(path("fast"), path());
    EXPECT_TRUE(same_content());
    EXPECT_LE(store_maintenance::inspect(path()).epoch, before + 2);
  }
}

TEST_F(staging, survives_being_killed_at_each_call) {
  make_store();
  store_maintenance::stage_in(path(), path("fast"));
  int ended = ended_at_call;
  for (int call = 0; ended == ended_at_call; ++call) {
    ASSERT_LT(call, 1000);
    {
      const auto fast = datastore::open(path("fast"));
      put(*fast, 7, static_cast<std::uint64_t>(call) + 1000);
      fast->checkpoint();
    }
    ended = result_of_child([&]() -> int {
      const watched_calls calls(ending_at(call));
      store_maintenance::stage_out(path("fast"), path());
      return 0;
    });
    ASSERT_TRUE(store_maintenance::verify(path()).whole()) << call;
    ASSERT_TRUE(store_maintenance::verify(path("fast")).whole()) << call;
    ASSERT_NO_THROW(store_maintenance::stage_out(path("fast"), path())) << call;
    ASSERT_TRUE(same_content()) << call;
  }
  EXPECT_EQ(ended, 0);
}

TEST_F(staging, writes_no_damaged_page_back) {
  make_store();
  store_maintenance::stage_in(path(), path("fast"));
  {
    const auto fast = datastore::open(path("fast"));
    put(*fast, 10, 77);
    fast->checkpoint();
  }
  // One that changed, and one that did not.
  for (const std::uint64_t page : {10U, 20U}) {
    const auto flip = [&] {
      flip_bit(path("fast") / "heap.000", store::layout::home_data_offset + page * page_size + 100);
    };
    flip();
    EXPECT_TRUE(fails_with(errc::damaged, "contradicts its checksum; nothing was written back", [&] {
      store_maintenance::stage_out(path("fast"), path());
    })) << page;
    EXPECT_TRUE(store_maintenance::verify(path()).whole());
    EXPECT_TRUE(holds(datastore::open_read_only(path())->memory().base() + 10 * page_size, 11));
    flip();
  }
  EXPECT_EQ(store_maintenance::stage_out(path("fast"), path()).pages_written, 1u);
}

// ---- places for copies -----------------------------------------------------------------------------------

class a_stage_place : public scratch_test {
 protected:
  a_stage_place() { fs::create_directory(path("fast")); }
  fs::path fast() const { return path("fast"); }
  static void put_files_in(const stage_place& place) {
    fs::create_directories(place.path() / "a" / "b");
    std::ofstream(place.path() / "a" / "b" / "file") << "text";
    fs::create_symlink("/", place.path() / "a" / "link");
  }
};

TEST_F(a_stage_place, is_removed_with_all_that_is_in_it) {
  {
    stage_place one(fast());
    const stage_place other(fast());
    EXPECT_NE(one.path(), other.path());
    put_files_in(one);
    const stage_place moved = std::move(one);
    EXPECT_TRUE(fs::exists(moved.path() / "a" / "b" / "file"));
    EXPECT_TRUE(remove_abandoned_stages(fast()).empty());
  }
  EXPECT_TRUE(fs::is_empty(fast()));
}

TEST_F(a_stage_place, is_removed_by_others_where_its_process_was_killed) {
  ASSERT_TRUE(in_another_process([&]() -> int {
    const stage_place place(fast());
    put_files_in(place);
    ::_exit(0);
  }));
  // One whose process was killed before it had its lock, and what is none.
  fs::create_directory(fast() / "perdure-stage.host.1.0");
  fs::create_directory(fast() / "perdure");
  std::ofstream(fast() / "perdure-stage.file") << "text";
  const stage_place at_work(fast());
  EXPECT_EQ(remove_abandoned_stages(fast()).size(), 2u);
  EXPECT_TRUE(fs::exists(at_work.path()));
  EXPECT_TRUE(fs::exists(fast() / "perdure"));
  EXPECT_TRUE(fs::exists(fast() / "perdure-stage.file"));
  EXPECT_EQ(std::distance(fs::directory_iterator(fast()), fs::directory_iterator()), 3);
}

// Its directory is there before its lock.
TEST_F(a_stage_place, that_is_being_made_is_not_taken_for_an_abandoned_one) {
  const std::string own = stage_place(fast()).path().filename();
  fs::create_directory(fast() / own);
  EXPECT_TRUE(remove_abandoned_stages(fast()).empty());
  EXPECT_TRUE(fs::exists(fast() / own));
}

TEST_F(a_stage_place, is_made_in_a_directory_that_is_there) {
  std::ofstream(path("file")) << "text";
  for (const fs::path& in : {path("nothing"), path("file")}) {
    EXPECT_TRUE(
        fails_with(errc::not_found, "there is no such directory", [&] { const stage_place one(in); }));
    EXPECT_TRUE(
        fails_with(errc::not_found, "there is no such directory", [&] { remove_abandoned_stages(in); }));
  }
  const watched_calls watch([](const os::file_call& call, std::string_view) {
    const bool makes_lock = call.operation == os::file_operation::open && (call.flags & O_CREAT) != 0;
    return makes_lock ? ENOSPC : 0;
  });
  EXPECT_TRUE(fails_with(errc::no_space, "cannot stage in ", [&] { const stage_place one(fast()); }));
  EXPECT_TRUE(fs::is_empty(fast()));
}

}  // namespace
}  // namespace perdure
