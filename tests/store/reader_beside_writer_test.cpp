// Readers, copies and verification of a store that is being written.
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <future>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <thread>
#include <vector>

#include "os/file_observer.hpp"
#include "segment/segment.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/loop_mount.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

constexpr std::uint64_t pages = 768;

store_options holding_the_writer() {
  store_options options = small_store();
  options.beside_writer = reader_beside_writer::hold_writer;
  return options;
}

// What a page holds after an epoch: the number of the last epoch that changed it, and which page it is.
std::uint64_t number_after(std::uint64_t epoch, std::uint64_t page) {
  while (epoch > 1 && page != 0 && mix(epoch * pages + page) % 4 != 0) --epoch;
  return epoch == 0 ? 0 : epoch * pages + page + 1;
}

void change(datastore& store, std::uint64_t epoch) {
  for (std::uint64_t page = 0; page < pages; ++page) {
    const std::uint64_t now = number_after(epoch, page);
    if (now != number_after(epoch - 1, page)) fill_page(store.memory().base() + page * page_size, now);
  }
}

bool is_as_of(datastore& store, std::uint64_t epoch) {
  for (std::uint64_t page = 0; page < pages; ++page)
    if (!holds(store.memory().base() + page * page_size, number_after(epoch, page))) return false;
  return true;
}

class beside_a_writer : public scratch_test {
 protected:
  beside_a_writer() : scratch_test(fast_directory()) {}

  static std::unique_ptr<datastore> make_store(const std::filesystem::path& where) {
    auto store = datastore::create(where, small_store());
    store->memory().grow(pages * page_size);
    write_epoch(*store, 1);
    return store;
  }

  static void write_epoch(datastore& store, std::uint64_t epoch) {
    change(store, epoch);
    store.checkpoint();
  }

  // A thread makes checkpoints and gives up memory in between while `look` runs, with what was last
  // acknowledged before.
  template <class Look>
  void while_written(Look&& look, int times) {
    const auto store = make_store(path());
    std::atomic<std::uint64_t> acknowledged{1};
    std::atomic<bool> is_over{false};
    std::jthread writer([&] {
      for (std::uint64_t epoch = 2; !is_over; ++epoch) {
        store->memory().grow(pages * page_size + std::min<std::uint64_t>(epoch, 200) * 2 * mib);
        change(*store, epoch);
        if (epoch % 3 == 0) store->trim();
        store->checkpoint();
        acknowledged = epoch;
      }
    });
    for (int i = 0; i < times && !HasFailure(); ++i) look(acknowledged.load());
    is_over = true;
  }
};

TEST_F(beside_a_writer, readers_see_the_last_checkpoint) {
  std::uint64_t last = 0;
  while_written(
      [&](std::uint64_t acknowledged) {
        const auto reader = datastore::open_read_only(path(), holding_the_writer());
        ASSERT_GE(reader->epoch(), acknowledged);
        ASSERT_GE(reader->epoch(), last);
        last = reader->epoch();
        ASSERT_TRUE(is_as_of(*reader, last)) << "epoch " << last;
      },
      60);
}

TEST_F(beside_a_writer, copies_are_of_one_checkpoint) {
  while_written(
      [&](std::uint64_t acknowledged) {
        store_maintenance::copy(path(), path("copy"));
        ASSERT_TRUE(store_maintenance::verify(path("copy")).whole());
        {
          const auto copy = datastore::open(path("copy"), small_store());
          ASSERT_GE(copy->epoch(), acknowledged);
          ASSERT_TRUE(is_as_of(*copy, copy->epoch())) << "epoch " << copy->epoch();
        }
        store_maintenance::remove(path("copy"));
      },
      20);
}

TEST_F(beside_a_writer, copies_take_nothing_of_a_checkpoint_that_is_committed_meanwhile) {
  constexpr std::uint64_t old_pages = 8192;
  constexpr std::uint64_t new_pages = 512;
  const auto store = datastore::create(path(), small_store());
  const auto end_after = [](std::uint64_t epoch) { return old_pages + epoch * new_pages; };
  const auto extend = [&](std::uint64_t epoch) {
    store->memory().grow(end_after(epoch) * page_size);
    for (std::uint64_t page = epoch == 1 ? 0 : end_after(epoch - 1); page < end_after(epoch); ++page)
      fill_page(store->memory().base() + page * page_size, page + 1);
    store->checkpoint();
  };
  extend(1);
  for (std::uint64_t epoch = 2; epoch < 8 && !HasFailure(); ++epoch) {
    const pending_copy copying = store_maintenance::copy_async(path(), path("copy"));
    extend(epoch);
    copying.wait();
    {
      const auto copy = datastore::open(path("copy"), small_store());
      const std::uint64_t pages_then = end_after(copy->epoch());
      ASSERT_EQ(copy->memory().size(), pages_then * page_size);
      for (std::uint64_t page = 0; page < pages_then; ++page)
        ASSERT_TRUE(holds(copy->memory().base() + page * page_size, page + 1)) << page;
    }
    store_maintenance::remove(path("copy"));
  }
}

TEST_F(beside_a_writer, verification_finds_what_is_whole) {
  while_written(
      [&](std::uint64_t acknowledged) {
        const verify_report report = store_maintenance::verify(path());
        ASSERT_TRUE(report.whole()) << to_string(report.findings.front());
        ASSERT_GE(report.epoch, acknowledged);
      },
      40);
}

TEST_F(beside_a_writer, a_reader_keeps_its_checkpoint_while_later_ones_are_acknowledged) {
  const auto store = make_store(path());
  store->wait_applied();
  const auto reader = datastore::open_read_only(path(), holding_the_writer());
  write_epoch(*store, 2);
  EXPECT_EQ(store->epoch(), 2u);
  EXPECT_EQ(reader->epoch(), 1u);
  EXPECT_TRUE(is_as_of(*reader, 1));
  const auto another = datastore::open_read_only(path(), holding_the_writer());
  EXPECT_EQ(another->epoch(), 2u);
  EXPECT_TRUE(is_as_of(*another, 2));
  std::future<void> third = std::async(std::launch::async, [&] { write_epoch(*store, 3); });
  EXPECT_TRUE(is_as_of(*reader, 1));
  EXPECT_TRUE(is_as_of(*another, 2));
  reader->close();
  another->close();
  third.get();
  EXPECT_TRUE(is_as_of(*datastore::open_read_only(path(), holding_the_writer()), 3));
}

TEST_F(beside_a_writer, a_reader_that_would_hold_it_up_is_refused) {
  const auto store = make_store(path());
  const std::string holder = "this process has it open";
  EXPECT_TRUE(fails_with(errc::in_use, holder, [&] { datastore::open_read_only(path(), small_store()); }));
  EXPECT_TRUE(fails_with(errc::in_use, "cannot share blocks",
                         [&] { datastore::open_read_only(path(), small_store()); }));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path().parent_path()), {}), 1);
}

TEST_F(beside_a_writer, that_writes_in_place_there_are_no_readers) {
  make_store(path())->close();
  store_options options = small_store();
  options.backing = backing::shared_file;
  const auto store = datastore::open(path(), options);
  EXPECT_TRUE(
      fails_with(errc::in_use, "process", [&] { datastore::open_read_only(path(), holding_the_writer()); }));
  EXPECT_TRUE(fails_with(errc::in_use, "process", [&] { store_maintenance::copy(path(), path("copy")); }));
  EXPECT_TRUE(fails_with(errc::in_use, "process", [&] { store_maintenance::verify(path()); }));
}

TEST_F(beside_a_writer, that_has_died_a_reader_keeps_the_next_one_away) {
  make_store(path())->close();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    const auto store = datastore::open(path(), small_store());
    write_epoch(*store, 2);
    if (::write(ready[1], "r", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto reader = datastore::open_read_only(path(), holding_the_writer());
  ::kill(writer, SIGKILL);
  result_of(writer);
  EXPECT_TRUE(fails_with(errc::in_use, "reading", [&] { datastore::open(path(), small_store()); }));
  EXPECT_TRUE(is_as_of(*reader, 2));
  reader->close();
  const auto next = datastore::open(path(), small_store());
  EXPECT_TRUE(is_as_of(*next, 2));
  write_epoch(*next, 3);
}

TEST_F(beside_a_writer, no_reader_sees_a_checkpoint_that_is_never_committed) {
  const auto store = make_store(path());
  store->wait_applied();
  change(*store, 2);
  // The sync that commits the checkpoint takes its time, and fails.
  std::atomic<bool> is_under_way{false};
  const watched_calls calls([&](const os::file_call& call, std::string_view file) {
    if (call.operation != os::file_operation::sync_data || !file.starts_with("jrnl.")) return 0;
    if (is_under_way.exchange(true)) return 0;
    is_under_way.notify_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return EIO;
  });
  std::future<std::uint64_t> reader = std::async(std::launch::async, [&] {
    is_under_way.wait(false);
    const auto beside = datastore::open_read_only(path(), holding_the_writer());
    return is_as_of(*beside, beside->epoch()) ? beside->epoch() : 0;
  });
  EXPECT_TRUE(fails_with(errc::io, "", [&] { store->checkpoint(); }));
  EXPECT_EQ(reader.get(), 1u);
  store->checkpoint();
  EXPECT_TRUE(is_as_of(*datastore::open_read_only(path(), holding_the_writer()), 2));
  store->close();
}

class beside_a_writer_where_blocks_are_shared : public beside_a_writer {
 protected:
  void goes_on_reading(const std::string& kind) {
    const loop_mount mount(kind, path("image"), path("mount"));
    if (!mount) GTEST_SKIP() << mount.why_not();
    const std::filesystem::path where = mount.path() / "store";
    const auto store = make_store(where);
    change(*store, 2);
    store->trim();
    store->checkpoint();
    change(*store, 3);
    store->trim();
    const auto reader = datastore::open_read_only(where, small_store());
    const auto scratch = datastore::open_copy_on_write(where, small_store());
    fill_page(scratch->memory().base(), 77);
    // The writer decides.
    store_options told = small_store();
    told.last_decided = 1;
    EXPECT_EQ(datastore::open_read_only(where, told)->epoch(), 2u);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(mount.path()), {}), 1);
    for (std::uint64_t epoch = 3; epoch < 8; ++epoch) write_epoch(*store, epoch);
    store->wait_applied();
    EXPECT_EQ(reader->epoch(), 2u);
    EXPECT_EQ(reader->info().epoch, 2u);
    EXPECT_TRUE(is_as_of(*reader, 2));
    EXPECT_TRUE(holds(scratch->memory().base(), 77));
    EXPECT_TRUE(fails_with(errc::unsupported, "copy", [&] { reader->snapshot(mount.path() / "no"); }));
    EXPECT_TRUE(is_as_of(*datastore::open_read_only(where, small_store()), 7));
    store->close();
    EXPECT_NO_THROW(datastore::open(where, small_store()));
    EXPECT_TRUE(is_as_of(*reader, 2));
  }
};

TEST_F(beside_a_writer_where_blocks_are_shared, a_reader_holds_nobody_up_on_xfs) {
  goes_on_reading("xfs");
}

TEST_F(beside_a_writer_where_blocks_are_shared, a_reader_holds_nobody_up_on_btrfs) {
  goes_on_reading("btrfs");
}

// Readers, and a writer that opens the store after them.
class readers_that_came_first : public beside_a_writer {
 protected:
  // A store whose second checkpoint is committed and not home.
  static void make_unfinished_store(const std::filesystem::path& where) {
    make_store(where)->close();
    ASSERT_EQ(result_of_child([&] {
                const auto store = datastore::open(where, small_store());
                store->wait_applied();
                change(*store, 2);
                const watched_calls calls([](const os::file_call& call, std::string_view file) {
                  if (call.operation == os::file_operation::write && file == "heap.000")
                    ::_exit(ended_at_call);
                  return 0;
                });
                store->checkpoint();
                store->wait_applied();
                return 0;
              }),
              ended_at_call);
  }

  static std::vector<std::string> names_in(const std::filesystem::path& where) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(where))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  void keep_their_files(const std::string& kind) {
    const loop_mount mount(kind, path("image"), path("mount"));
    if (!mount) GTEST_SKIP() << mount.why_not();
    const std::filesystem::path where = mount.path() / "store";
    make_unfinished_store(where);
    std::filesystem::permissions(where / "heap.000", std::filesystem::perms{0640});
    const auto names = names_in(where);
    const auto reader = datastore::open_read_only(where, small_store());
    const auto held = datastore::open_read_only(where, holding_the_writer());
    store_options checking = small_store();
    checking.verify = verify_mode::lazy;
    const auto lazy = datastore::open_read_only(where, checking);
    store_options paging = small_store(backing::paged);
    paging.memory_budget = 4 * mib;
    const auto paged = datastore::open_read_only(where, paging);
    const auto scratch = datastore::open_copy_on_write(where, small_store());
    fill_page(scratch->memory().base(), 77);
    std::vector<std::unique_ptr<datastore>> later;
    for (const backing kind_of : {backing::private_memory, backing::paged, backing::shared_file}) {
      SCOPED_TRACE(static_cast<int>(kind_of));
      later.push_back(datastore::open_read_only(where, small_store()));
      const auto store = datastore::open(where, small_store(kind_of));
      EXPECT_TRUE(fails_with(errc::in_use, "this process has it open for writing already",
                             [&] { datastore::open(where, small_store()); }));
      const std::uint64_t last = store->epoch();
      ASSERT_TRUE(is_as_of(*store, last));
      for (std::uint64_t epoch = last + 1; epoch < last + 5; ++epoch) write_epoch(*store, epoch);
      store->close();
    }
    for (datastore* const one : {reader.get(), held.get(), lazy.get(), paged.get()}) {
      EXPECT_EQ(one->epoch(), 2u);
      EXPECT_TRUE(is_as_of(*one, 2));
      EXPECT_TRUE(fails_with(errc::unsupported, "has been opened for writing since this reader opened it",
                             [&] { one->snapshot(mount.path() / "no"); }));
    }
    for (const auto& one : later) EXPECT_TRUE(is_as_of(*one, one->epoch()));
    EXPECT_TRUE(holds(scratch->memory().base(), 77));
    EXPECT_EQ(names_in(where), names);
    EXPECT_EQ(std::filesystem::status(where / "heap.000").permissions(), std::filesystem::perms{0640});
    EXPECT_TRUE(store_maintenance::verify(where).whole());
    const auto next = datastore::open_read_only(where, small_store());
    // Closing it makes a checkpoint of a store with a shared mapping, too.
    EXPECT_EQ(next->epoch(), 15u);
    EXPECT_TRUE(is_as_of(*next, 14));
    next->snapshot(mount.path() / "yes");
  }
};

TEST_F(readers_that_came_first, keep_their_files_on_xfs) {
  keep_their_files("xfs");
}

TEST_F(readers_that_came_first, keep_their_files_on_btrfs) {
  keep_their_files("btrfs");
}

TEST_F(readers_that_came_first, and_come_again_and_again_keep_no_writer_out) {
  const loop_mount mount("xfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  const std::filesystem::path where = mount.path() / "store";
  make_store(where)->close();
  // Opening files takes readers a moment, which may be long on a busy machine.
  store_options patient = small_store();
  patient.wait = std::chrono::minutes(10);
  std::atomic<bool> is_over{false};
  std::vector<std::future<void>> readers;
  for (int i = 0; i < 3; ++i) {
    readers.push_back(std::async(std::launch::async, [&] {
      while (!is_over) {
        const auto reader = datastore::open_read_only(where, patient);
        EXPECT_TRUE(is_as_of(*reader, reader->epoch()));
      }
    }));
  }
  for (std::uint64_t epoch = 2; epoch < 12; ++epoch)
    EXPECT_NO_THROW(write_epoch(*datastore::open(where, patient), epoch));
  is_over = true;
  for (std::future<void>& one : readers) EXPECT_NO_THROW(one.get());
}

TEST_F(readers_that_came_first, see_their_checkpoint_though_the_writer_is_killed_while_it_opens) {
  const loop_mount mount("xfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  const std::filesystem::path where = mount.path() / "store";
  make_unfinished_store(where);
  const auto names = names_in(where);
  const auto reader = datastore::open_read_only(where, small_store());
  int at = 0;
  for (int result = ended_at_call; result == ended_at_call; ++at) {
    SCOPED_TRACE(at);
    result = result_of_child([&] {
      const watched_calls calls(ending_at(at));
      datastore::open(where, small_store());
      return 0;
    });
    ASSERT_TRUE(result == 0 || result == ended_at_call) << result;
    ASSERT_TRUE(is_as_of(*reader, 2));
    ASSERT_TRUE(is_as_of(*datastore::open_read_only(where, small_store()), 2));
    ASSERT_TRUE(store_maintenance::verify(where).whole());
  }
  // More calls than making copies takes.
  EXPECT_GT(at, 20);
  const auto store = datastore::open(where, small_store());
  EXPECT_TRUE(is_as_of(*store, 2));
  EXPECT_EQ(names_in(where), names);
  write_epoch(*store, 3);
  EXPECT_TRUE(is_as_of(*reader, 2));
}

TEST_F(beside_a_writer_where_blocks_are_shared, what_a_killed_reader_leaves_is_removed_by_the_next_writer) {
  const loop_mount mount("xfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  const std::filesystem::path where = mount.path() / "store";
  make_store(where)->close();
  const auto count = [&] { return std::distance(std::filesystem::directory_iterator(where), {}); };
  const auto files = count();
  auto store = datastore::open(where, small_store());
  int at = 0;
  for (int result = ended_at_call; result == ended_at_call; ++at) {
    result = result_of_child([&] {
      const watched_calls calls(ending_at(at));
      return is_as_of(*datastore::open_read_only(where, small_store()), 1) ? 0 : 1;
    });
    ASSERT_TRUE(result == 0 || result == ended_at_call) << result;
  }
  EXPECT_GT(count(), files);
  write_epoch(*store, 2);
  write_epoch(*store, 3);
  store->close();
  store = datastore::open(where, small_store());
  EXPECT_EQ(count(), files);
  EXPECT_TRUE(is_as_of(*store, 3));
}

TEST_F(beside_a_writer_where_blocks_are_shared, a_reader_that_may_make_no_files_is_told_what_works) {
  const loop_mount mount("xfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  const std::filesystem::path where = mount.path() / "store";
  std::filesystem::create_directory(path("view"));
  if (::mount(mount.path().c_str(), path("view").c_str(), nullptr, MS_BIND, nullptr) != 0)
    GTEST_SKIP() << "bind mounts are not allowed";
  struct unmounting {
    std::filesystem::path place;
    ~unmounting() { ::umount2(place.c_str(), MNT_DETACH); }
  } const at_the_end{path("view")};
  ASSERT_EQ(::mount(nullptr, path("view").c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr), 0);
  const std::filesystem::path seen = path("view") / "store";
  make_store(where)->close();
  const auto first = datastore::open_read_only(seen, small_store());
  const auto store = datastore::open(where, small_store());
  write_epoch(*store, 2);
  EXPECT_TRUE(is_as_of(*first, 1));
  const auto opens = [&] { datastore::open_read_only(seen, small_store()); };
  EXPECT_TRUE(fails_with(errc::permission_denied, "this process has it open for writing", opens));
  EXPECT_TRUE(
      fails_with(errc::permission_denied,
                 "can make no files in its directory or beside it, by which it would leave the writer "
                 "alone (Read-only file system); open a copy",
                 opens));
  EXPECT_TRUE(is_as_of(*datastore::open_read_only(seen, holding_the_writer()), 2));
  // Of another user, who may read everything.
  std::filesystem::permissions(where, std::filesystem::perms{0755});
  for (const auto& entry : std::filesystem::directory_iterator(where))
    std::filesystem::permissions(entry.path(), std::filesystem::perms{0644});
  for (auto above = where.parent_path(); above != fast_directory(); above = above.parent_path())
    std::filesystem::permissions(above, std::filesystem::perms{0755});
  EXPECT_TRUE(in_another_process([&] {
    if (::setuid(65534) != 0) return 1;
    const bool is_told = bool(fails_with(errc::permission_denied, "(Permission denied); open a copy",
                                         [&] { datastore::open_read_only(where, small_store()); }));
    const bool may_hold = is_as_of(*datastore::open_read_only(where, holding_the_writer()), 2);
    return is_told && may_hold ? 0 : 1;
  }));
}

}  // namespace
}  // namespace perdure
