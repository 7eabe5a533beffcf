// Leftovers of stores that killed processes were making, and their removal.
#include "store/file/unfinished_store.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

namespace fs = std::filesystem;

class unfinished_stores : public scratch_test {
 protected:
  unfinished_stores() : scratch_test(fast_directory()) {}
  fs::path store() const { return path("graphs"); }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(store().parent_path()))
      found.insert(entry.path().filename().string());
    return found;
  }
  /// Kills a process that makes a store at each of its calls that changes what is on disk, and calls `after`.
  template <class Make, class After>
  static void kill_at_each_call(const Make& make, const After& after) {
    int result = ended_at_call;
    int at = 0;
    for (; result == ended_at_call; ++at) {
      result = result_of_child([&] {
        const watched_calls calls(ending_at(at));
        make();
        return 0;
      });
      ASSERT_TRUE(result == 0 || result == ended_at_call) << result;
      after(result == ended_at_call);
    }
    EXPECT_GT(at, 5);
  }

  /// Starts a process that makes a store, and stops when it has the lock and has written something.
  pid_t start_making() const {
    const pid_t child = ::fork();
    if (child == 0) {
      const watched_calls calls([](const os::file_call& call, std::string_view file) {
        if (call.operation == os::file_operation::write && file != "LOCK") ::raise(SIGSTOP);
        return 0;
      });
      try {
        datastore::create(store(), small_store())->close();
      } catch (const std::exception&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, WUNTRACED), child);
    EXPECT_TRUE(WIFSTOPPED(status));
    return child;
  }
};

TEST_F(unfinished_stores, are_removed_by_the_next_that_makes_one_of_the_name) {
  bool had_leftovers = false;
  kill_at_each_call([this] { datastore::create(store(), small_store())->close(); },
                    [&](bool was_killed) {
                      if (was_killed && !fs::exists(store())) {
                        had_leftovers |= !names().empty();
                        datastore::create(store(), small_store())->close();
                      }
                      EXPECT_EQ(names(), std::set<std::string>{"graphs"});
                      store_maintenance::remove(store());
                    });
  EXPECT_TRUE(had_leftovers);
}

TEST_F(unfinished_stores, are_removed_by_repair) {
  datastore::create(path("other"), small_store())->close();
  bool had_leftovers = false;
  kill_at_each_call([this] { store_maintenance::copy(path("other"), store()); },
                    [&](bool) {
                      const bool is_there = fs::exists(store());
                      const bool has_leftovers = names().size() > (is_there ? 2u : 1u);
                      had_leftovers |= has_leftovers;
                      if (is_there) {
                        store_maintenance::repair(store());
                      } else {
                        EXPECT_TRUE(fails_with(errc::not_found,
                                               has_leftovers ? "what it left (.graphs.new-" : "no datastore",
                                               [&] { store_maintenance::repair(store()); }));
                      }
                      EXPECT_EQ(names().size(), is_there ? 2u : 1u);
                      store_maintenance::remove(store());
                    });
  EXPECT_TRUE(had_leftovers);
}

TEST_F(unfinished_stores, stay_while_the_process_that_makes_them_lives) {
  const pid_t child = start_making();
  ASSERT_EQ(names().size(), 1u);
  EXPECT_TRUE(fails_with(errc::not_found, "does not exist", [&] { store_maintenance::repair(store()); }));
  datastore::create(store(), small_store())->close();
  EXPECT_TRUE(store_maintenance::repair(store()).done.empty());
  EXPECT_EQ(names().size(), 2u);
  ::kill(child, SIGKILL);
  EXPECT_EQ(result_of(child), 128 + SIGKILL);
  const repair_report report = store_maintenance::repair(store());
  ASSERT_EQ(report.done.size(), 1u);
  EXPECT_NE(report.done.front().find("removed .graphs.new-"), std::string::npos) << report.done.front();
  EXPECT_TRUE(report.whole());
  EXPECT_EQ(names(), std::set<std::string>{"graphs"});
}

TEST_F(unfinished_stores, of_kept_checkpoints_and_readers_are_removed_by_repair) {
  datastore::create(store(), small_store())->close();
  for (const char* left : {"epochs/.7.new-0123abcd", ".reader.new-89abcdef"}) {
    fs::create_directories(store() / left);
    std::ofstream(store() / left / "LOCK") << "process 1";
  }
  EXPECT_EQ(store_maintenance::repair(store()).done.size(), 2u);
  EXPECT_FALSE(fs::exists(store() / "epochs/.7.new-0123abcd"));
  EXPECT_FALSE(fs::exists(store() / ".reader.new-89abcdef"));
}

TEST_F(unfinished_stores, leave_nothing_in_a_directory_that_was_there) {
  fs::create_directory(store());
  store::make_stores_in_place(true);
  {
    const watched_calls full(failing(os::file_operation::write, "crc", ENOSPC));
    EXPECT_TRUE(fails_with(errc::no_space, "", [&] { datastore::create(store(), small_store()); }));
  }
  store::make_stores_in_place(false);
  EXPECT_TRUE(fs::is_empty(store()));
}

TEST_F(unfinished_stores, do_not_keep_processes_that_begin_together_from_making_one) {
  constexpr int processes = 6;
  for (int round = 0; round < 20; ++round) {
    std::vector<pid_t> children;
    for (int i = 0; i < processes; ++i) {
      children.push_back(::fork());
      if (children.back() != 0) continue;
      try {
        datastore::create(store(), small_store())->close();
        ::_exit(0);
      } catch (const error& failure) {
        ::_exit(failure.code() == errc::already_exists ? 1 : 2);
      } catch (const std::exception&) {
        ::_exit(3);
      }
    }
    int made = 0;
    for (const pid_t child : children) {
      const int result = result_of(child);
      EXPECT_LE(result, 1);
      made += result == 0;
    }
    EXPECT_EQ(made, 1);
    EXPECT_EQ(names(), std::set<std::string>{"graphs"});
    store_maintenance::remove(store());
  }
}

}  // namespace
}  // namespace perdure
