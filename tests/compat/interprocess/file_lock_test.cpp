// Locks between processes on the path of a store, which is a directory, and on a file.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/date_time/posix_time/posix_time_types.hpp>
#include <fstream>
#include <perdure_interprocess/sync/file_lock.hpp>
#include <perdure_interprocess/sync/scoped_lock.hpp>
#include <perdure_interprocess/sync/sharable_lock.hpp>
#include <utility>

#include "compat/interprocess/interprocess_fixture.hpp"
#include "support/child_process.hpp"

namespace perdure {
namespace {

struct file_lock_test : empty_path_test {
  void create() const { const bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536); }
  /// Whether another process can have it now.
  bool is_free() const {
    return in_another_process([this] { return bip::file_lock(path.c_str()).try_lock() ? 0 : 2; });
  }
  bool may_be_shared() const {
    return in_another_process([this] { return bip::file_lock(path.c_str()).try_lock_sharable() ? 0 : 2; });
  }
};

TEST_F(file_lock_test, KeepsOtherProcessesOutOfAStoreThatIsOpen) {
  bip::managed_mapped_file file(bip::create_only, path.c_str(), 65536);
  bip::file_lock lock(path.c_str());
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(is_free());
  EXPECT_FALSE(may_be_shared());
  // What the store opens and closes of its own files lets go of nothing.
  file.flush();
  file = bip::managed_mapped_file();
  bip::managed_mapped_file again(bip::open_only, path.c_str());
  EXPECT_TRUE(again.check_sanity());
  EXPECT_FALSE(is_free());
  lock.unlock();
  EXPECT_TRUE(is_free());
}

TEST_F(file_lock_test, IsSharedOrNot) {
  create();
  bip::file_lock lock(path.c_str());
  {
    const bip::sharable_lock<bip::file_lock> held(lock);
    EXPECT_TRUE(may_be_shared());
    EXPECT_FALSE(is_free());
  }
  {
    const bip::scoped_lock<bip::file_lock> held(lock);
    EXPECT_FALSE(may_be_shared());
  }
  EXPECT_TRUE(is_free());
  EXPECT_TRUE(lock.try_lock_sharable());
  lock.unlock_sharable();
  lock.lock();
  lock.unlock();
}

TEST_F(file_lock_test, WaitsForAWhile) {
  create();
  bip::file_lock lock(path.c_str());
  lock.lock();
  EXPECT_TRUE(in_another_process([this] {
    bip::file_lock mine(path.c_str());
    const auto soon =
        boost::posix_time::microsec_clock::universal_time() + boost::posix_time::milliseconds(20);
    return mine.timed_lock(soon) || mine.timed_lock_sharable(soon) ? 2 : 0;
  }));
  const auto later = boost::posix_time::microsec_clock::universal_time() + boost::posix_time::hours(1);
  lock.unlock();
  EXPECT_TRUE(lock.timed_lock(later));
}

TEST_F(file_lock_test, MovesAndSwaps) {
  create();
  bip::file_lock none;
  EXPECT_THROW(none.lock(), bip::interprocess_exception);
  bip::file_lock first(path.c_str());
  first.lock();
  bip::file_lock second(std::move(first));
  EXPECT_FALSE(is_free());
  first = std::move(second);
  second.swap(first);
  EXPECT_THROW(static_cast<void>(first.try_lock()), bip::interprocess_exception);
  second.unlock();
  EXPECT_TRUE(is_free());
  second = bip::file_lock();
}

TEST_F(file_lock_test, LocksAnOrdinaryFileToo) {
  std::ofstream(path) << "text";
  bip::file_lock lock(path.c_str());
  lock.lock();
  EXPECT_FALSE(is_free());
}

TEST_F(file_lock_test, SaysWhatIsWrongAsBoostDoes) {
  EXPECT_EQ(thrown_by([&] { bip::file_lock lock(path.c_str()); }), bip::not_found_error);
  ASSERT_EQ(::mkdir(path.c_str(), 0755), 0);
  EXPECT_EQ(thrown_by([&] { bip::file_lock lock(path.c_str()); }), bip::is_directory_error);
}

TEST_F(file_lock_test, GoesWithItsStoreAndStaysOutOfCopies) {
  create();
  const std::string copy = path + "2";
  {
    bip::file_lock lock(path.c_str());
    lock.lock();
    perdure::manager::copy(path, copy);
    EXPECT_NE(::access((copy + "/file_lock").c_str(), F_OK), 0);
    bip::file_lock of_copy(copy.c_str());
    EXPECT_TRUE(in_another_process([&] { return bip::file_lock(copy.c_str()).try_lock() ? 0 : 2; }));
    EXPECT_TRUE(perdure::store_maintenance::verify(path).whole());
  }
  EXPECT_TRUE(bip::file_mapping::remove(path.c_str()));
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
  create();
  EXPECT_TRUE(is_free());
}

TEST_F(file_lock_test, IsForThoseWhoMayWriteTheStore) {
  create();
  const auto rights_of = [this](const char* name) {
    struct stat status {};
    EXPECT_EQ(::stat((path + '/' + name).c_str(), &status), 0);
    return status.st_mode & 0777;
  };
  ASSERT_EQ(::chmod((path + "/super").c_str(), 0660), 0);
  bip::file_lock lock(path.c_str());
  EXPECT_EQ(rights_of("file_lock"), 0660U);
  // A second one of the process does not let go of what the first one holds.
  lock.lock();
  bip::file_lock* const second = new bip::file_lock(path.c_str());
  EXPECT_FALSE(is_free());
  delete second;
}

}  // namespace
}  // namespace perdure
