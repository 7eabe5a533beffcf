// Who may open a store that another has open.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>

#include "segment/segment.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

class a_lock : public scratch_test {
 protected:
  a_lock() : scratch_test(fast_directory()) {}

  void make_store() const {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(2 * mib);
    store->memory().base()[0] = std::byte{1};
    store->checkpoint();
  }
};

TEST_F(a_lock, names_its_holder) {
  make_store();
  const auto writer = datastore::open(path(), small_store());
  const pid_t self = ::getpid();
  EXPECT_TRUE(fails_with(errc::in_use, "is in use: this process has it open for writing already",
                         [&] { datastore::open(path(), small_store()); }));
  EXPECT_TRUE(in_another_process([&] {
    const std::string holder = "it is open for writing by process " + std::to_string(self) + " on host ";
    return fails_with(errc::in_use, holder, [&] { datastore::open(path(), small_store()); }) ? 0 : 1;
  }));
}

TEST_F(a_lock, names_its_readers) {
  make_store();
  const auto reader = datastore::open_read_only(path(), small_store());
  EXPECT_TRUE(fails_with(errc::in_use,
                         "it is open for reading by this process, or one that it cannot see; close it",
                         [&] { datastore::open(path(), small_store()); }));
  const std::string holder =
      "it is open for reading by process " + std::to_string(::getpid()) + " (test_store_lock)";
  EXPECT_TRUE(in_another_process([&] {
    return fails_with(errc::in_use, holder, [&] { datastore::open(path(), small_store()); }) ? 0 : 1;
  }));
}

TEST_F(a_lock, holds_though_its_file_is_removed) {
  make_store();
  const auto writer = datastore::open(path(), small_store());
  std::filesystem::remove(path() / "LOCK");
  EXPECT_TRUE(
      fails_with(errc::in_use, "by another process", [&] { datastore::open(path(), small_store()); }));
  EXPECT_TRUE(fails_with(errc::in_use, "", [&] { datastore::open_read_only(path(), small_store()); }));
  EXPECT_TRUE(fails_with(errc::in_use, "", [&] { store_maintenance::remove(path()); }));
}

TEST_F(a_lock, holds_though_its_file_is_replaced) {
  make_store();
  const auto writer = datastore::open(path(), small_store());
  std::ofstream(path() / "new") << "process 1\n";
  std::filesystem::rename(path() / "new", path() / "LOCK");
  EXPECT_TRUE(fails_with(errc::in_use, "", [&] { datastore::open(path(), small_store()); }));
  EXPECT_TRUE(fails_with(errc::in_use, "", [&] { store_maintenance::remove(path()); }));
}

TEST_F(a_lock, is_the_makers_from_the_beginning) {
  const auto writer = datastore::create(path(), small_store());
  std::filesystem::remove(path() / "LOCK");
  EXPECT_TRUE(fails_with(errc::in_use, "", [&] { datastore::open(path(), small_store()); }));
}

TEST_F(a_lock, of_readers_keeps_writers_away_though_there_is_no_file) {
  make_store();
  std::filesystem::remove(path() / "LOCK");
  const auto reader = datastore::open_read_only(path(), small_store());
  const auto another = datastore::open_read_only(path(), small_store());
  EXPECT_TRUE(fails_with(errc::in_use, "reading", [&] { datastore::open(path(), small_store()); }));
}

// A process opens the store, forks, and is killed; its child lives until that is killed too.
template <class Open>
pid_t leave_a_child_behind(Open&& open) {
  int tell[2];
  if (::pipe(tell) != 0) return -1;
  const pid_t parent = ::fork();
  if (parent == 0) {
    const auto store = open();
    if (::fork() != 0) {
      for (;;) ::pause();
    }
    const pid_t self = ::getpid();
    if (::write(tell[1], &self, sizeof self) != sizeof self) ::_exit(1);
    for (;;) ::pause();
  }
  pid_t child = -1;
  ::close(tell[1]);
  if (::read(tell[0], &child, sizeof child) != sizeof child) child = -1;
  ::close(tell[0]);
  ::kill(parent, SIGKILL);
  result_of(parent);
  return child;
}

TEST_F(a_lock, ends_with_a_writer_that_leaves_a_child_behind) {
  make_store();
  const pid_t child = leave_a_child_behind([&] { return datastore::open(path(), small_store()); });
  ASSERT_GT(child, 0);
  EXPECT_NO_THROW(datastore::open(path(), small_store()));
  ::kill(child, SIGKILL);
}

TEST_F(a_lock, stays_with_the_child_of_a_reader_which_goes_on_reading) {
  make_store();
  const pid_t child = leave_a_child_behind([&] { return datastore::open_read_only(path(), small_store()); });
  ASSERT_GT(child, 0);
  EXPECT_TRUE(fails_with(errc::in_use, "reading", [&] { datastore::open(path(), small_store()); }));
  ::kill(child, SIGKILL);
}

class a_waiting_writer : public a_lock {
 protected:
  static store_options patient() {
    store_options options = small_store();
    options.wait = std::chrono::minutes(10);
    return options;
  }
  std::future<std::unique_ptr<datastore>> begin_to_write() const {
    return std::async(std::launch::async, [this] { return datastore::open(path(), patient()); });
  }
  // Readers get in until the writer waits.
  void wait_until_new_readers_are_refused() const {
    std::string refusal;
    do {
      refusal = message_of([&] { datastore::open_read_only(path(), small_store()); });
    } while (refusal.empty());
    EXPECT_NE(
        refusal.find("waits to open it for writing and comes before new readers; let this opening wait"),
        std::string::npos)
        << refusal;
    EXPECT_EQ(refusal.find("another process"), std::string::npos) << "the file LOCK says which: " << refusal;
  }
};

TEST_F(a_waiting_writer, comes_before_new_readers) {
  make_store();
  auto first = datastore::open_read_only(path(), small_store());
  auto writer = begin_to_write();
  wait_until_new_readers_are_refused();
  EXPECT_TRUE(fails_with(errc::in_use, "waits to open it for writing",
                         [&] { datastore::open(path(), small_store()); }));
  EXPECT_EQ(first->memory().base()[0], std::byte{1});
  first->close();
  writer.get()->close();
  EXPECT_NO_THROW(datastore::open_read_only(path(), small_store()));
}

TEST_F(a_waiting_writer, is_waited_for_by_readers_that_may_wait) {
  make_store();
  auto first = datastore::open_read_only(path(), small_store());
  auto writer = begin_to_write();
  wait_until_new_readers_are_refused();
  auto second = std::async(std::launch::async, [&] { return datastore::open_read_only(path(), patient()); });
  first->close();
  // Where blocks cannot be shared the reader waits until the writer has closed the store.
  auto store = writer.get();
  store->memory().base()[0] = std::byte{2};
  store->checkpoint();
  store->close();
  const auto reader = second.get();
  const auto seen = reader->memory().base()[0];
  EXPECT_TRUE(seen == std::byte{1} || seen == std::byte{2});
  EXPECT_EQ(reader->epoch(), std::to_integer<std::uint64_t>(seen));
}

TEST_F(a_waiting_writer, that_is_killed_lets_readers_go_on) {
  make_store();
  const auto first = datastore::open_read_only(path(), small_store());
  const pid_t writer = ::fork();
  if (writer == 0) {
    try {
      datastore::open(path(), patient());
    } catch (const std::exception&) {
    }
    ::_exit(1);
  }
  wait_until_new_readers_are_refused();
  ::kill(writer, SIGKILL);
  result_of(writer);
  EXPECT_NO_THROW(datastore::open_read_only(path(), small_store()));
}

TEST_F(a_waiting_writer, gets_the_store_from_the_one_before) {
  make_store();
  auto before = datastore::open(path(), small_store());
  auto writer = begin_to_write();
  before->memory().base()[0] = std::byte{7};
  before->checkpoint();
  before->close();
  EXPECT_EQ(writer.get()->memory().base()[0], std::byte{7});
}

TEST_F(a_waiting_writer, waits_for_the_file_that_has_the_name) {
  make_store();
  const auto reader = datastore::open_read_only(path(), small_store());
  auto writer = begin_to_write();
  wait_until_new_readers_are_refused();
  std::filesystem::copy_file(path() / "super", path("another"));
  std::filesystem::rename(path("another"), path() / "super");
  writer.get()->close();
}

TEST_F(a_waiting_writer, gives_up_in_time) {
  make_store();
  const auto reader = datastore::open_read_only(path(), small_store());
  store_options options = small_store();
  options.wait = std::chrono::milliseconds(20);
  EXPECT_TRUE(fails_with(errc::in_use, "it is open for reading by this process",
                         [&] { datastore::open(path(), options); }));
  EXPECT_NO_THROW(datastore::open_read_only(path(), small_store()));
}

TEST_F(a_waiting_writer, waits_as_long_as_the_environment_says) {
  make_store();
  auto first = datastore::open_read_only(path(), small_store());
  ::setenv("PERDURE_WAIT", "600", 1);
  auto writer = std::async(std::launch::async, [&] { return datastore::open(path(), small_store()); });
  while (code_of([&] {
           store_options options = small_store();
           options.wait = std::chrono::milliseconds(0);
           datastore::open_read_only(path(), options);
         }) == errc::ok) {
  }
  first->close();
  EXPECT_NO_THROW(writer.get());
  ::unsetenv("PERDURE_WAIT");
}

}  // namespace
}  // namespace perdure
