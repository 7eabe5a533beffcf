// A full disk, real (a small tmpfs, where the tests may mount one) or by the limit on file sizes.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>

#include "segment/segment.hpp"
#include "support/errors.hpp"
#include "support/full_disk.hpp"
#include "support/loop_mount.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_file_system.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

::testing::AssertionResult has(datastore& store, std::uint64_t first, std::uint64_t count,
                               std::uint64_t plus) {
  for (std::uint64_t page = first; page < first + count; ++page) {
    if (!holds(store.memory().base() + page * page_size, page + plus))
      return ::testing::AssertionFailure() << page;
  }
  return ::testing::AssertionSuccess();
}

class a_full_disk : public scratch_test {
 protected:
  // The snapshot shares the blocks of home, so bringing a checkpoint home takes space that there is not.
  void opens_though_a_checkpoint_cannot_be_brought_home(verify_mode verify, backing kind,
                                                        bool is_table_torn = false) {
    const loop_mount mount("xfs", path("image"), path("mount"));
    if (!mount) GTEST_SKIP() << mount.why_not();
    const std::filesystem::path where = mount.path() / "store";
    const std::filesystem::path filler = mount.path() / "filler";
    store_options options = small_store(kind);
    options.verify = verify;
    constexpr std::uint64_t pages = 8192;
    {
      const auto store = datastore::create(where, options);
      store->memory().grow(pages * page_size);
      for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, page + 1);
      store->checkpoint();
      store->snapshot(mount.path() / "snapshot");
      for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, page + 2);
      leave_free(filler, pages * page_size + 4 * mib);
      store->checkpoint();
      EXPECT_TRUE(fails_with(errc::no_space, "", [&] { store->wait_applied(); }));
    }
    if (is_table_torn) tear_pages(where / "crc");
    {
      const auto store = datastore::open(where, options);
      EXPECT_EQ(store->epoch(), 2u);
      EXPECT_TRUE(has(*store, 0, pages, 2));
      put(*store, 5, 99);
      EXPECT_TRUE(fails_with(errc::no_space, "", [&] { store->checkpoint(); }));
      EXPECT_TRUE(has(*store, 6, pages - 6, 2));
    }
    const auto store = datastore::open(where, options);
    EXPECT_TRUE(has(*store, 0, pages, 2)) << "what could not be made durable is not there";
    put(*store, 5, 99);
    std::filesystem::remove(filler);
    store->checkpoint();
    store->close();
    EXPECT_TRUE(store_maintenance::verify(where).whole());
    const auto again = datastore::open(where, options);
    EXPECT_EQ(again->epoch(), 3u);
    EXPECT_TRUE(holds(again->memory().base() + 5 * page_size, 99));
    EXPECT_TRUE(has(*again, 6, pages - 6, 2));
  }

 private:
  // As a power cut while they are written may.
  static void tear_pages(const std::filesystem::path& table) {
    std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
    const std::uintmax_t bytes = std::filesystem::file_size(table);
    for (std::uintmax_t page = page_size; page < bytes; page += page_size) {
      file.seekp(static_cast<std::streamoff>(page + page_size / 2));
      file << std::string(512, 't');
    }
  }

  static void leave_free(const std::filesystem::path& filler, std::uint64_t bytes) {
    ::sync();
    const int file = ::open(filler.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::uint64_t available = std::filesystem::space(filler.parent_path()).available;
    ASSERT_EQ(::posix_fallocate(file, 0, static_cast<off_t>(available - bytes)), 0);
    ::close(file);
  }
};

TEST_F(a_full_disk, with_a_snapshot_lets_a_store_be_opened_for_writing_on_xfs) {
  opens_though_a_checkpoint_cannot_be_brought_home(verify_mode::journal, backing::private_memory);
}

TEST_F(a_full_disk, with_a_snapshot_lets_a_paged_store_be_opened_for_writing_on_xfs) {
  opens_though_a_checkpoint_cannot_be_brought_home(verify_mode::journal, backing::paged);
}

TEST_F(a_full_disk, with_a_snapshot_lets_a_paged_store_be_checked_when_touched_on_xfs) {
  opens_though_a_checkpoint_cannot_be_brought_home(verify_mode::lazy, backing::paged);
}

TEST_F(a_full_disk, with_a_snapshot_lets_a_store_with_a_torn_table_be_opened_on_xfs) {
  opens_though_a_checkpoint_cannot_be_brought_home(verify_mode::journal, backing::private_memory, true);
}

TEST_F(a_full_disk, with_a_snapshot_lets_a_store_be_checked_when_touched_on_xfs) {
  opens_though_a_checkpoint_cannot_be_brought_home(verify_mode::lazy, backing::private_memory);
}

TEST_F(a_full_disk, fails_the_checkpoint_that_does_not_fit_and_no_other) {
  {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 500; ++page) put(*store, page, page + 1);
    store->checkpoint();
    store->wait_applied();
    {
      const file_size_limit limit(8 * mib);
      store->memory().grow(32 * mib);
      for (std::uint64_t page = 0; page < 8000; ++page) put(*store, page, page + 2);
      EXPECT_TRUE(fails_with(errc::no_space, "store", [&] { store->checkpoint(); }));
      EXPECT_TRUE(fails_with(errc::no_space, "store", [&] { store->checkpoint(); })) << "still no space";
      EXPECT_EQ(store->epoch(), 1u);
      // The memory is all there.
      EXPECT_TRUE(has(*store, 0, 8000, 2));
      put(*store, 3, 5);
    }
    store->checkpoint();
    EXPECT_EQ(store->epoch(), 2u);
  }
  const auto store = datastore::open(path());
  EXPECT_TRUE(has(*store, 0, 3, 2));
  EXPECT_TRUE(has(*store, 3, 1, 2));
  EXPECT_TRUE(has(*store, 4, 7996, 2));
}

TEST_F(a_full_disk, leaves_the_last_checkpoint_when_the_program_gives_up) {
  {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 1);
    store->checkpoint();
    store->wait_applied();
    // Overwrites only: it is the journal that grows too long.
    const file_size_limit limit(3 * mib);
    for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 2);
    EXPECT_TRUE(fails_with(errc::no_space, "jrnl", [&] { store->checkpoint(); }));
  }
  const auto store = datastore::open(path());
  EXPECT_EQ(store->epoch(), 1u);
  EXPECT_TRUE(has(*store, 0, 1000, 1));
}

TEST_F(a_full_disk, lets_no_zero_page_inherit_what_a_failed_checkpoint_wrote) {
  {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(2 * mib);
    put(*store, 0, 1);
    store->checkpoint();
    store->wait_applied();
    store->memory().grow(16 * mib);
    for (std::uint64_t page = 600; page < 2000; ++page) put(*store, page, page);
    for (std::uint64_t page = 0; page < 400; ++page) put(*store, page, page + 1);
    {
      // The fresh pages fit, the file does; the journal of what was in place does not.
      const file_size_limit limit(18 * mib);
      std::ofstream(path("filler"));
      store->memory().grow(32 * mib);
      EXPECT_TRUE(fails_with(errc::no_space, "", [&] { store->checkpoint(); }));
    }
    for (std::uint64_t page = 600; page < 2000; ++page) put(*store, page, 0);
    store->checkpoint();
  }
  const auto store = datastore::open(path());
  EXPECT_TRUE(has(*store, 0, 400, 1));
  for (std::uint64_t page = 600; page < 2000; ++page)
    ASSERT_TRUE(holds(store->memory().base() + page * page_size, 0));
}

TEST_F(a_full_disk, has_the_space_again_that_a_failed_checkpoint_took) {
  const auto space_at_home = [&] {
    struct stat file {};
    EXPECT_EQ(::stat((path() / "heap.000").c_str(), &file), 0);
    return static_cast<std::uint64_t>(file.st_blocks) * 512;
  };
  const auto store = datastore::create(path(), small_store());
  store->memory().grow(16 * mib);
  put(*store, 0, 1);
  store->checkpoint();
  store->wait_applied();
  store->memory().grow(32 * mib);
  const std::uint64_t before = space_at_home();
  for (std::uint64_t page = 5000; page < 7000; ++page) put(*store, page, page);
  {
    const watched_calls broken(failing(os::file_operation::write, "jrnl.0", ENOSPC, 1));
    EXPECT_TRUE(fails_with(errc::no_space, "", [&] { store->checkpoint(); }));
  }
  EXPECT_LE(space_at_home(), before + mib);
  store->checkpoint();
  EXPECT_TRUE(has(*store, 5000, 2000, 0));
  EXPECT_GE(space_at_home(), before + 2000 * page_size);
}

TEST_F(a_small_file_system, can_fill_up_and_be_emptied) {
  if (!mounted_) GTEST_SKIP() << "needs the right to mount";
  {
    const auto store = datastore::create(this->store(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 1);
    store->checkpoint();
    store->wait_applied();
    std::uint64_t epoch = 1;
    // Fresh pages that do not fit; overwrites that do not fit; then something that does.
    store->memory().grow(64 * mib);
    for (std::uint64_t page = 1024; page < 9000; ++page) put(*store, page, page);
    EXPECT_TRUE(fails_with(errc::no_space, "space", [&] { store->checkpoint(); }));
    EXPECT_EQ(store->epoch(), epoch);
    for (std::uint64_t page = 1024; page < 9000; ++page) put(*store, page, 0);
    std::ofstream(path("disk") / "filler") << std::string(15 * mib, 'f');
    for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 2);
    try {
      for (int round = 0; round < 3; ++round) {
        for (std::uint64_t page = 0; page < 1000; ++page) put(*store, page, page + 2);
        store->checkpoint();
        ++epoch;
      }
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), errc::no_space) << failure.what();
    }
    EXPECT_EQ(store->epoch(), epoch);
    std::filesystem::remove(path("disk") / "filler");
    put(*store, 5, 7);
    store->checkpoint();
    store->wait_applied();
  }
  const auto store = datastore::open(this->store());
  EXPECT_TRUE(has(*store, 0, 1000, 2));
}

// Pages that were written home for a checkpoint to come have taken the last free block.
TEST_F(a_small_file_system, has_room_again_for_what_is_released_before_any_checkpoint_has_it) {
  if (!mounted_) GTEST_SKIP() << "needs the right to mount";
  for (const backing how : {backing::private_memory, backing::paged}) {
    const std::filesystem::path where = store().string() + std::to_string(static_cast<int>(how));
    {
      const auto store = datastore::create(where, small_store(how));
      // It takes large writes into memory, and nothing of them goes home before the checkpoint.
      if (store->tracker() == "pagemap") continue;
      store->memory().grow(4 * mib);
      for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, page + 1);
      store->checkpoint();
      store->wait_applied();
      store->memory().grow(64 * mib);
      constexpr std::uint64_t at_once = datastore::least_past_memory / page_size;
      const std::vector<std::byte> bytes(at_once * page_size, std::byte{7});
      std::uint64_t page = 1024;
      EXPECT_TRUE(fails_with(errc::no_space, "", [&] {
        for (; page < 15000; page += at_once)
          store->copy_in(store->memory().base() + page * page_size, bytes);
      }));
      put(*store, 15500, 2);
      EXPECT_TRUE(fails_with(errc::no_space, "", [&] { store->checkpoint(); }));
      const detail::page_run written[]{{1024, page + at_once - 1024}};
      EXPECT_NO_THROW(store->checkpoint(written));
    }
    ASSERT_TRUE(store_maintenance::verify(where).whole());
    {
      const auto store = datastore::open(where);
      EXPECT_TRUE(has(*store, 0, 100, 1));
      EXPECT_TRUE(holds(store->memory().base() + 15500 * page_size, 2));
    }
    EXPECT_TRUE(store_maintenance::remove(where));
  }
}

// What a checkpoint needs after its commit it has taken before.
TEST_F(a_small_file_system, has_room_for_bringing_home_what_was_committed) {
  if (!mounted_) GTEST_SKIP() << "needs the right to mount";
  const auto store = datastore::create(this->store(), small_store());
  store->memory().grow(4 * mib);
  put(*store, 0, 1);
  store->checkpoint();
  store->wait_applied();
  // The other pages are holes. Their journal finds room, they themselves would not.
  std::ofstream(path("disk") / "filler") << std::string(21 * mib, 'f');
  for (std::uint64_t page = 1; page < 500; ++page) put(*store, page, page);
  bool committed = false;
  try {
    store->checkpoint();
    committed = true;
  } catch (const error& failure) {
    EXPECT_EQ(failure.code(), errc::no_space) << failure.what();
  }
  EXPECT_NO_THROW(store->wait_applied()) << "it was committed: " << committed;
  EXPECT_EQ(store->epoch(), committed ? 2u : 1u);
  std::filesystem::remove(path("disk") / "filler");
  store->checkpoint();
  EXPECT_NO_THROW(store->wait_applied());
}

TEST_F(a_small_file_system, refuses_growth_of_a_shared_store_with_bad_alloc) {
  if (!mounted_) GTEST_SKIP() << "needs the right to mount";
  const auto store = datastore::create(this->store(), small_store(backing::shared_file));
  EXPECT_THROW(store->memory().grow(80 * mib), std::bad_alloc);
  EXPECT_EQ(store->memory().size(), 0u);
}

TEST_F(a_small_file_system, too_small_for_a_store_is_left_clean) {
  if (!mounted_) GTEST_SKIP() << "needs the right to mount";
  std::ofstream filler(path("disk") / "filler");
  filler << std::string(30 * mib, 'f');
  filler.close();
  EXPECT_TRUE(fails_with(errc::no_space, "", [&] { datastore::create(store(), small_store()); }));
  std::filesystem::remove(path("disk") / "filler");
  EXPECT_TRUE(std::filesystem::is_empty(path("disk")));
}

}  // namespace
}  // namespace perdure
