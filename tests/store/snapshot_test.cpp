// Copies of stores: whole or not there, independent of the original, cheap where blocks can be shared.
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fstream>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <set>
#include <thread>

#include "os/file.hpp"
#include "segment/segment.hpp"
#include "store/file/layout.hpp"
#include "store/tested_backing.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/loop_mount.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/unsynced_files.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

namespace fs = std::filesystem;

class snapshots : public scratch_test {
 protected:
  std::unique_ptr<datastore> make_store(const fs::path& where) {
    auto store = tested::create(where, store_of_files(8 * mib));
    store->memory().grow(20 * mib);
    for (std::uint64_t page = 0; page < 5000; page += 3) put(*store, page, page + 1);
    store->checkpoint();
    return store;
  }
  static std::set<std::string> names_in(const fs::path& where) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(where)) names.insert(entry.path().filename().string());
    return names;
  }
  void takes_the_last_checkpoint(const fs::path& where) {
    const auto store = make_store(where / "store");
    put(*store, 3, 42);
    store->checkpoint();
    put(*store, 6, 43);
    store->snapshot(where / "copy");
    EXPECT_TRUE(has(*store, 6, 43));
    store->checkpoint();
    EXPECT_TRUE(store_maintenance::verify(where / "copy").whole());
    const auto copy = tested::open(where / "copy");
    EXPECT_EQ(copy->epoch(), 2u);
    EXPECT_EQ(copy->info().uuid, store->info().uuid);
    EXPECT_EQ(copy->info().copied_epoch, 2u);
    EXPECT_NE(copy->info().copied_ns, 0u);
    EXPECT_EQ(store->info().copied_ns, 0u);
    EXPECT_TRUE(has(*copy, 3, 42));
    EXPECT_TRUE(has(*copy, 6, 7));
    EXPECT_TRUE(has(*copy, 4, 0));
    // Each goes its own way.
    put(*copy, 9, 99);
    copy->checkpoint();
    EXPECT_TRUE(has(*store, 9, 10));
    copy->close();
    store->close();
    EXPECT_TRUE(store_maintenance::verify(where / "store").whole());
    EXPECT_TRUE(store_maintenance::verify(where / "copy").whole());
    EXPECT_EQ(names_in(where).count("copy"), 1u);
    for (const std::string& name : names_in(where)) EXPECT_NE(name.front(), '.') << name;
  }
};

TEST_F(snapshots, take_the_last_checkpoint) {
  takes_the_last_checkpoint(path("."));
}

TEST_F(snapshots, take_the_last_checkpoint_on_xfs) {
  const loop_mount mount("xfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  takes_the_last_checkpoint(mount.path());
}

TEST_F(snapshots, take_the_last_checkpoint_on_btrfs) {
  const loop_mount mount("btrfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  takes_the_last_checkpoint(mount.path());
}

TEST_F(snapshots, share_blocks_on_xfs) {
  const loop_mount mount("xfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  const auto used = [&mount] {
    ::sync();
    struct statvfs status;
    ::statvfs(mount.path().c_str(), &status);
    return (status.f_blocks - status.f_bfree) * status.f_frsize;
  };
  const auto store = datastore::create(mount.path() / "store", store_of_files(8 * mib));
  store->memory().grow(64 * mib);
  for (std::uint64_t page = 0; page < 16384; ++page) put(*store, page, page + 1);
  store->checkpoint();
  store->wait_applied();
  const std::uint64_t before = used();
  store->snapshot(mount.path() / "copy");
  const std::uint64_t with_copy = used();
  EXPECT_LT(with_copy - before, 2 * mib);
  // A page in each 128 KiB: with XFS's own hint each would cost 32 times as much.
  for (std::uint64_t page = 0; page < 16384; page += 32) put(*store, page, page + 5);
  store->checkpoint();
  store->wait_applied();
  const std::uint64_t dirty = 512 * page_size;
  // The journal has its own copy, 2 MiB of metadata are the file system's.
  EXPECT_LT(used() - with_copy, dirty * 12 / 10 + dirty + 2 * mib);
}

TEST_F(snapshots, of_a_reader_hold_what_it_sees) {
  make_store(path())->close();
  const auto reader = datastore::open_read_only(path());
  {
    const watched_calls read_only([](const os::file_call& call, std::string_view file) {
      const bool is_to_write =
          call.operation == os::file_operation::open && (call.flags & O_ACCMODE) != O_RDONLY;
      return is_to_write && file == "store" ? EROFS : 0;
    });
    reader->snapshot(path("copy"));
  }
  reader->close();
  EXPECT_TRUE(fails_with(errc::invalid_argument, "closed", [&] { reader->info(); }));
  const auto copy = tested::open(path("copy"));
  EXPECT_TRUE(has(*copy, 3, 4));
}

TEST_F(snapshots, go_on_beside_writers) {
  const auto store = make_store(path());
  std::atomic<bool> ending{false};
  std::thread writer([&] {
    for (std::uint64_t i = 0; !ending; ++i) put(*store, i % 5000, i + 100'000);
  });
  store->snapshot(path("copy"));
  ending = true;
  writer.join();
  const auto copy = tested::open(path("copy"));
  for (std::uint64_t page = 0; page < 5000; ++page)
    ASSERT_TRUE(has(*copy, page, page % 3 == 0 ? page + 1 : 0)) << page;
}

TEST_F(snapshots, of_a_shared_store_are_clean) {
  make_store(path())->close();
  store_options options;
  options.backing = backing::shared_file;
  const auto store = tested::open(path(), options);
  put(*store, 4, 77);
  store->snapshot(path("copy"));
  const auto copy = tested::open(path("copy"));
  EXPECT_FALSE(copy->info().open_dirty);
  EXPECT_TRUE(has(*copy, 4, 77));
  EXPECT_TRUE(has(*copy, 3, 4));
}

TEST_F(snapshots, are_durable_before_they_have_their_name) {
  make_store(path())->close();
  bool has_name = false;
  const unsynced_files unsynced([&](const std::set<std::string>& names) {
    has_name = true;
    EXPECT_TRUE(names.empty()) << *names.begin();
  });
  store_maintenance::copy(path(), path("copy"));
  EXPECT_TRUE(has_name);
}

TEST_F(snapshots, taken_beside_a_writer_have_no_journal_but_the_last) {
  if (tested::in_persistent_memory()) GTEST_SKIP() << "its writer admits no readers";
  const auto store = make_store(path());
  put(*store, 3, 42);
  store->checkpoint();
  store->wait_applied();
  store_maintenance::copy(path(), path("copy"));
  EXPECT_EQ(fs::file_size(path("copy") / "jrnl.1"), store::layout::block);
  EXPECT_GT(fs::file_size(path("copy") / "jrnl.0"), store::layout::block);
  EXPECT_TRUE(has(*tested::open(path("copy")), 3, 42));
}

TEST_F(snapshots, do_not_overwrite) {
  const auto store = make_store(path());
  fs::create_directories(path("taken") / "inside");
  EXPECT_TRUE(fails_with(errc::already_exists, "taken", [&] { store->snapshot(path("taken")); }));
  EXPECT_TRUE(fails_with(errc::not_found, "", [&] { store->snapshot(path("no/where")); }));
  EXPECT_TRUE(fs::is_empty(path("taken") / "inside"));
}

TEST_F(snapshots, clear_away_what_a_crash_left) {
  const auto store = make_store(path());
  fs::create_directory(path(".copy.new-0123abcd"));
  std::ofstream(path(".copy.new-0123abcd") / "LOCK") << "process 1";
  std::ofstream(path(".copy.new-0123abcd") / "heap.000") << "half";
  fs::create_directory(path(".copy.new-hands-off"));
  // Someone is building this one.
  fs::create_directory(path(".copy.new-76543210"));
  std::ofstream(path(".copy.new-76543210") / "LOCK") << "";
  const os::file building = os::file::open_directory(path(".copy.new-76543210"));
  const os::file held = os::file::open_in(building, "LOCK", O_RDWR);
  ASSERT_TRUE(held.try_lock(os::lock_mode::exclusive));
  store->snapshot(path("copy"));
  EXPECT_FALSE(fs::exists(path(".copy.new-0123abcd")));
  EXPECT_TRUE(fs::exists(path(".copy.new-hands-off")));
  EXPECT_TRUE(fs::exists(path(".copy.new-76543210")));
}

TEST_F(snapshots, a_killed_one_leaves_none_or_a_whole_one) {
  make_store(path())->close();
  for (int i = 0; i < 20; ++i) {
    const fs::path to = path("copy" + std::to_string(i));
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        store_maintenance::copy(path(), to);
      } catch (const std::exception&) {
      }
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(i * 1500));
    ::kill(child, SIGKILL);
    result_of(child);
    if (fs::exists(to)) {
      EXPECT_TRUE(store_maintenance::verify(to).whole());
      EXPECT_EQ(datastore::open_read_only(to)->epoch(), 1u);
    } else {
      store_maintenance::copy(path(), to);
      EXPECT_TRUE(store_maintenance::verify(to).whole());
    }
  }
}

TEST_F(snapshots, copies_keep_holes_and_every_byte) {
  make_store(path())->close();
  store_maintenance::copy(path(), path("copy"));
  const auto a = datastore::open_read_only(path());
  const auto b = datastore::open_read_only(path("copy"));
  ASSERT_EQ(a->memory().size(), b->memory().size());
  EXPECT_EQ(std::memcmp(a->memory().base(), b->memory().base(), a->memory().size()), 0);
  EXPECT_LT(b->info().disk_bytes, a->info().disk_bytes + mib);
}

TEST_F(snapshots, a_copy_taken_in_the_background_reports_its_failure) {
  make_store(path())->close();
  store_maintenance::copy_async(path(), path("copy")).wait();
  EXPECT_TRUE(store_maintenance::verify(path("copy")).whole());
  auto failing = store_maintenance::copy_async(path(), path("copy"));
  EXPECT_TRUE(fails_with(errc::already_exists, "", [&] { failing.wait(); }));
}

TEST_F(snapshots, of_an_unapplied_checkpoint_recover) {
  make_store(path())->close();
  fs::copy(path(), path("before"), fs::copy_options::recursive);
  {
    // Enough for the page to stay in memory: written home early it would not be in the journal.
    store_options roomy;
    roomy.memory_budget = 64 * mib;
    const auto store = datastore::open(path(), roomy);
    put(*store, 3, 500);
    store->checkpoint();
  }
  for (const char* name : {"super", "heap.000", "crc"})
    fs::copy_file(path("before") / name, path() / name, fs::copy_options::overwrite_existing);
  store_maintenance::copy(path(), path("copy"));
  EXPECT_EQ(store_maintenance::inspect(path("copy")).copied_epoch, 2u);
  const auto copy = datastore::open(path("copy"));
  EXPECT_EQ(copy->epoch(), 2u);
  EXPECT_TRUE(has(*copy, 3, 500));
}

TEST_F(snapshots, removal_that_was_interrupted_can_be_repeated) {
  int ended = ended_at_call;
  for (int call = 0; ended == ended_at_call; ++call) {
    ASSERT_LT(call, 100);
    make_store(path())->close();
    ended = result_of_child([&]() -> int {
      const watched_calls calls(ending_at(call));
      store_maintenance::remove(path());
      return 0;
    });
    // Nothing of the store is left, or it can be removed.
    if (fs::exists(path()) && fs::is_empty(path())) fs::remove(path());
    EXPECT_NO_THROW(store_maintenance::remove(path())) << call;
    EXPECT_FALSE(fs::exists(path())) << call;
  }
  EXPECT_EQ(ended, 0);
}

TEST_F(snapshots, removal_takes_a_store_that_cannot_be_opened) {
  make_store(path())->close();
  {
    const watched_calls calls([](const os::file_call& call, std::string_view) {
      return call.operation == os::file_operation::open && std::string_view(call.name) == "super" ? EACCES
                                                                                                  : 0;
    });
    EXPECT_TRUE(fails_with(errc::permission_denied, "", [&] { store_maintenance::remove(path()); }));
  }
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
  fs::resize_file(path() / "super", 100);
  EXPECT_TRUE(store_maintenance::remove(path()));
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(snapshots, removal_leaves_nothing_but_what_is_not_ours) {
  EXPECT_FALSE(store_maintenance::remove(path()));
  make_store(path())->close();
  EXPECT_TRUE(store_maintenance::remove(path()));
  EXPECT_FALSE(fs::exists(path()));
  make_store(path())->close();
  std::ofstream(path() / "notes.txt") << "mine";
  EXPECT_TRUE(store_maintenance::remove(path()));
  EXPECT_EQ(names_in(path()), std::set<std::string>{"notes.txt"});
  EXPECT_TRUE(fails_with(errc::not_a_store, "", [&] { store_maintenance::remove(path()); }));
  const auto open = make_store(path("open"));
  EXPECT_TRUE(fails_with(errc::in_use, "", [&] { store_maintenance::remove(path("open")); }));
}

}  // namespace
}  // namespace perdure
