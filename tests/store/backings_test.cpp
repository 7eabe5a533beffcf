// Each backing does what the table says, and the documents say what the table does.
#include "store/backing/backings.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <perdure/prepared_checkpoint.hpp>
#include <string>
#include <vector>

#include "os/persistent_memory.hpp"
#include "store/file/layout.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

class each_backing : public scratch_test, public ::testing::WithParamInterface<backing> {
 protected:
  each_backing() : scratch_test(fast_directory()) { os::pretend_persistent_memory(true); }
  ~each_backing() override { os::pretend_persistent_memory(false); }

  static const store::backing_row& row() { return store::row_of(GetParam()); }

  static store_options options() {
    store_options chosen = small_store();
    chosen.backing = GetParam();
    return chosen;
  }

  /// With one page of epoch 1.
  std::unique_ptr<datastore> made() const {
    auto store = datastore::create(path(), options());
    store->memory().grow(2 * mib);
    put(*store, 0, 1);
    store->checkpoint();
    return store;
  }

  /// How a child process ends that does this.
  static int status_of_child(const std::function<void()>& task) {
    const pid_t child = ::fork();
    if (child == 0) {
      task();
      ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }
};

std::vector<backing> all() {
  std::vector<backing> found;
  for (const store::backing_row& one : store::all_backings()) found.push_back(one.which);
  return found;
}

INSTANTIATE_TEST_SUITE_P(all, each_backing, ::testing::ValuesIn(all()),
                         [](const auto& of) { return std::string(store::row_of(of.param).name); });

TEST(backings, are_those_of_the_table) {
  EXPECT_TRUE(fails_with(errc::invalid_argument, "none",
                         [] { static_cast<void>(store::row_of(static_cast<backing>(99))); }));
}

TEST_P(each_backing, prepares_checkpoints_if_it_says_so) {
  const auto store = made();
  put(*store, 0, 2);
  if (row().prepares) {
    store->prepare()->decide();
  } else {
    EXPECT_TRUE(fails_with(errc::unsupported, store::names_of_those_with(&store::backing_row::prepares),
                           [&] { static_cast<void>(store->prepare()); }));
  }
}

TEST_P(each_backing, verifies_lazily_if_it_says_so) {
  made()->close();
  store_options lazily = options();
  lazily.verify = verify_mode::lazy;
  if (row().verifies_lazily) {
    EXPECT_TRUE(has(*datastore::open(path(), lazily), 0, 1));
  } else {
    EXPECT_TRUE(fails_with(errc::unsupported, "touched", [&] { datastore::open(path(), lazily); }));
  }
}

TEST_P(each_backing, lets_readers_beside_a_writer_if_it_says_so) {
  const auto writer = made();
  store_options quick;
  quick.beside_writer = reader_beside_writer::hold_writer;
  if (row().readers_beside) {
    EXPECT_TRUE(has(*datastore::open_read_only(path(), quick), 0, 1));
  } else {
    EXPECT_TRUE(fails_with(errc::in_use, "", [&] { datastore::open_read_only(path(), quick); }));
  }
}

TEST_P(each_backing, is_at_its_last_checkpoint_after_a_crash_if_it_says_so) {
  const int status = status_of_child([&] {
    const auto store = made();
    put(*store, 0, 2);
    ::_exit(0);
  });
  EXPECT_EQ(status, 0);
  if (row().atomic_checkpoints) {
    EXPECT_TRUE(has(*datastore::open(path(), options()), 0, 1));
  } else {
    EXPECT_TRUE(fails_with(errc::damaged, "not closed", [&] { datastore::open(path(), options()); }));
  }
}

TEST_P(each_backing, leaves_its_memory_to_forked_children_if_it_says_so) {
  const auto store = made();
  const int status = status_of_child([&] {
    // What is said of the touch is another test's.
    ::close(STDERR_FILENO);
    ::_exit(has(*store, 0, 1) ? 0 : 1);
  });
  if (row().memory_in_child) {
    EXPECT_EQ(status, 0);
  } else {
    EXPECT_NE(status, 0);
  }
}

TEST_P(each_backing, is_refused_for_more_pages_than_it_says) {
  const auto file = os::file::open_directory(path().parent_path());
  const std::uint64_t most = row().most_pages * page_size;
  const auto reason = why_not(row(), file, most + page_size, "store");
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->find("capacity"), std::string::npos) << *reason;
}

TEST_P(each_backing, leaves_nothing_behind_where_it_is_not_to_be_had) {
  os::pretend_persistent_memory(false);
  const bool is_to_be_had = row().needs != store::backing_needs::persistent_memory;
  ::setenv("PERDURE_BACKING", std::string(row().name).c_str(), 1);
  const auto make = [&] { datastore::create(path(), small_store())->close(); };
  if (is_to_be_had) {
    EXPECT_NO_THROW(make());
  } else {
    EXPECT_TRUE(fails_with(errc::unsupported, "DAX", make));
  }
  ::unsetenv("PERDURE_BACKING");
  EXPECT_EQ(std::filesystem::exists(path()), is_to_be_had);
}

// As durability.md shows them: a backing is a column there.
std::string rendered() {
  const auto row = [](const std::string& what,
                      const std::function<std::string(const store::backing_row&)>& of) {
    std::string text = "| " + what + " |";
    for (const store::backing_row& one : store::all_backings()) text += " " + of(one) + " |";
    return text + "\n";
  };
  const auto able = [&](const std::string& what, bool store::backing_row::*ability) {
    return row(what, [ability](const store::backing_row& one) { return one.*ability ? "yes" : "no"; });
  };
  const auto code = [](std::string_view text) { return "`" + std::string(text) + "`"; };
  return row("", [&](const store::backing_row& one) { return code(one.enumerator); }) +
         "|---|---|---|---|---|\n" +
         row("`PERDURE_BACKING`", [](const store::backing_row& one) { return std::string(one.name); }) +
         row("memory of the store", [](const store::backing_row& one) { return std::string(one.memory); }) +
         able("checkpoints are atomic", &store::backing_row::atomic_checkpoints) +
         able("`prepare`", &store::backing_row::prepares) +
         able("`verify_mode::lazy` of a writer", &store::backing_row::verifies_lazily) +
         able("readers beside a writer", &store::backing_row::readers_beside) +
         able("opens if the file system has no room to apply the last checkpoint",
              &store::backing_row::opens_without_room) +
         able("a writer's forked child has the memory", &store::backing_row::memory_in_child) +
         row("`memory_budget` limits",
             [](const store::backing_row& one) {
               return one.budget == store::budget_of::all_pages       ? "all pages"
                      : one.budget == store::budget_of::changed_pages ? "changed pages"
                                                                      : "nothing";
             }) +
         row("needs",
             [&](const store::backing_row& one) {
               std::string text = one.needs == store::backing_needs::user_faults         ? "userfaultfd"
                                  : one.needs == store::backing_needs::persistent_memory ? "a DAX file system"
                                                                                         : "nothing";
               if (one.needs == store::backing_needs::nothing) return text;
               return text + ", else " +
                      (one.otherwise ? "as " + code(store::row_of(*one.otherwise).enumerator)
                                     : "`unsupported`");
             }) +
         row("largest capacity", [](const store::backing_row& one) {
           return one.most_pages * page_size == store::layout::most_capacity
                      ? "64 TiB"
                      : std::to_string(one.most_pages) + " pages, else as there";
         });
}

TEST(backings, are_what_the_document_shows) {
  std::ifstream page(PERDURE_DOCS "/explanation/durability.md");
  std::string found;
  bool is_in_section = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("#")) is_in_section = line == "## Backings";
    if (is_in_section && line.starts_with("|")) found += line + '\n';
  }
  EXPECT_EQ(found, rendered()) << "docs/explanation/durability.md must have this table:\n" << rendered();
}

}  // namespace
}  // namespace perdure
