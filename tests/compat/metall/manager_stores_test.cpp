// Stores as a whole: opening, flushing, copying, removing, and what happens when something is in the way.
#include <fstream>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "compat/metall/metall_test.hpp"
#include "support/child_process.hpp"

namespace {

namespace fs = std::filesystem;
using perdure::in_another_process;

struct stores_test : metall_test {
  /// A store with the number 10.
  void create(const char* name = "store") const {
    metall::manager manager(metall::create_only, path(name), 1U << 30);
    ASSERT_TRUE(manager.check_sanity());
    ASSERT_NE(manager.construct<int>("number")(10), nullptr);
  }
  int number_in(const char* name = "store") const {
    metall::manager manager(metall::open_read_only, path(name));
    const int* const number = manager.find<int>("number").first;
    return number == nullptr ? -1 : *number;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(scratch.directory()), fs::directory_iterator()));
  }
};

TEST_F(stores_test, AnExceptionEndsAManagerAsAnythingElseDoes) {
  create();
  EXPECT_THROW(
      {
        metall::manager manager(metall::open_only, path());
        *manager.find<int>("number").first = 20;
        throw std::runtime_error("ends the manager's life");
      },
      std::runtime_error);
  EXPECT_EQ(number_in(), 20);
}

TEST_F(stores_test, ACreatedStoreIsOpened) {
  create();
  {
    metall::manager manager(metall::open_read_only, path().c_str());
    EXPECT_TRUE(manager.read_only());
    EXPECT_EQ(*manager.find<int>("number").first, 10);
    EXPECT_EQ(*manager.find_or_construct<int>("number")(20), 10);
    EXPECT_EQ(manager.construct<int>("another")(1), nullptr);
    EXPECT_EQ(manager.allocate(8), nullptr);
    EXPECT_FALSE(manager.destroy<int>("number"));
    EXPECT_FALSE(manager.set_description("text"));
    manager.flush();
  }
  metall::manager manager(metall::open_only, path().string());
  EXPECT_FALSE(manager.read_only());
  EXPECT_GE(manager.get_size(), 1U << 30);
  EXPECT_TRUE(manager.destroy<int>("number"));
}

// Programs create a store with little capacity and fill it later: Metall's capacity is that of the manager.
TEST_F(stores_test, OpeningMakesRoom) {
  constexpr std::size_t gib = std::size_t{1} << 30;
  { const metall::manager small(metall::create_only, path(), std::size_t{1} << 24); }
  EXPECT_EQ(metall::manager(metall::open_read_only, path()).get_size(), 1U << 24);
  {
    metall::manager manager(metall::open_only, path());
    EXPECT_EQ(manager.get_size(), METALL_DEFAULT_CAPACITY);
    void* const more_than_there_was = manager.allocate(gib + gib / 2);
    EXPECT_NE(more_than_there_was, nullptr);
    manager.deallocate(more_than_there_was);
    *manager.construct<int>("number")() = 10;
  }
  EXPECT_EQ(metall::manager(metall::open_only, path(), METALL_DEFAULT_CAPACITY + 1).get_size(),
            METALL_DEFAULT_CAPACITY + 1);
  EXPECT_EQ(metall::manager(metall::open_only, path(), 1).get_size(), METALL_DEFAULT_CAPACITY + 1);
  EXPECT_EQ(number_in(), 10);
}

TEST_F(stores_test, ACapacityBelowAGiBHolds) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  const auto fill = [](metall::manager& manager, std::size_t bytes) {
    std::size_t blocks = 0;
    while (manager.allocate(bytes) != nullptr) ++blocks;
    return blocks * bytes;
  };
  {
    metall::manager manager(metall::create_only, path(), mib);
    EXPECT_EQ(manager.get_size(), mib);
    EXPECT_EQ(manager.allocate(1'000'000'000), nullptr);
    EXPECT_EQ(manager.allocate(mib), nullptr);
    EXPECT_EQ(manager.allocate_aligned(mib, 4096), nullptr);
    EXPECT_EQ(manager.construct<char>("much")[mib](), nullptr);
    void* const most_of_it = manager.allocate(mib - 64 * 1024);
    EXPECT_NE(most_of_it, nullptr);
    EXPECT_EQ(manager.allocate(128 * 1024), nullptr);
    manager.deallocate(most_of_it);
    const std::size_t taken = fill(manager, 1024);
    EXPECT_LE(taken, mib);
    EXPECT_GE(taken, mib - 64 * 1024);
    EXPECT_LT(fill(manager, 8), 1024U);
  }
  {
    metall::manager manager(metall::open_only, path(), mib);
    EXPECT_EQ(manager.get_size(), mib);
    EXPECT_EQ(manager.allocate(64 * 1024), nullptr);
  }
  metall::manager manager(metall::open_only, path(), 2 * mib);
  EXPECT_EQ(manager.get_size(), 2 * mib);
  const std::size_t added = fill(manager, 1024);
  EXPECT_LE(added, mib + 1024);
  EXPECT_GE(added, mib - 64 * 1024);
}

TEST_F(stores_test, WithoutAddressSpaceForMoreAStoreOpensWithWhatItHas) {
  create();
  const metall::manager manager(metall::open_only, path(), std::size_t{1} << 60);
  EXPECT_TRUE(manager.check_sanity());
  EXPECT_EQ(manager.get_size(), std::size_t{1} << 30);
}

TEST_F(stores_test, CreateReplacesAStore) {
  create();
  create();
  {
    metall::manager manager(metall::create_only, path());
    EXPECT_TRUE(manager.check_sanity());
    EXPECT_EQ(manager.find<int>("number").first, nullptr);
  }
  EXPECT_EQ(entries(), 1U);
}

TEST_F(stores_test, CreateMakesDirectoriesAndTakesAnEmptyOne) {
  metall::manager deep(metall::create_only, path("a") / "b" / "c/");
  EXPECT_TRUE(deep.check_sanity());
  fs::create_directory(path("empty"));
  metall::manager in_empty(metall::create_only, path("empty"));
  EXPECT_TRUE(in_empty.check_sanity());
}

TEST_F(stores_test, CreateDestroysNothingThatIsNoStore) {
  fs::create_directory(path("folder"));
  std::ofstream(path("folder") / "letter") << "dear";
  std::ofstream(path("file")) << "text";
  for (const char* const name : {"folder", "file"}) {
    const metall::manager manager(metall::create_only, path(name));
    EXPECT_FALSE(manager.check_sanity());
    EXPECT_FALSE(metall::manager::remove(path(name)));
  }
  EXPECT_TRUE(fs::exists(path("folder") / "letter"));
  EXPECT_EQ(fs::file_size(path("file")), 4U);
}

TEST_F(stores_test, AFailedOpenChangesNothing) {
  EXPECT_FALSE(metall::manager(metall::open_only, path()).check_sanity());
  EXPECT_FALSE(metall::manager(metall::open_read_only, path()).check_sanity());
  EXPECT_EQ(entries(), 0U);
  create();
  {
    const metall::manager holder(metall::open_only, path());
    EXPECT_FALSE(metall::manager(metall::open_only, path()).check_sanity());
    EXPECT_FALSE(metall::manager(metall::open_read_only, path()).check_sanity());
    EXPECT_FALSE(metall::manager(metall::create_only, path()).check_sanity());
    EXPECT_TRUE(holder.check_sanity());
  }
  EXPECT_TRUE(metall::manager::consistent(path()));
  EXPECT_EQ(number_in(), 10);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(stores_test, ACreationThatFailsKeepsTheStoreThere) {
  create();
  const metall::manager absurd(metall::create_only, path(), std::size_t{1} << 62);
  EXPECT_FALSE(absurd.check_sanity());
  EXPECT_EQ(number_in(), 10);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(stores_test, ManyReadersOrOneWriterHaveAStoreOpen) {
  create();
  const metall::manager one(metall::open_read_only, path());
  const metall::manager two(metall::open_read_only, path());
  EXPECT_TRUE(one.check_sanity() && two.check_sanity());
  EXPECT_FALSE(metall::manager(metall::open_only, path()).check_sanity());
  EXPECT_FALSE(metall::manager(metall::create_only, path()).check_sanity());
  EXPECT_TRUE(metall::manager::consistent(path()));
}

TEST_F(stores_test, AStoreThatAnotherProcessWritesIsLeftAlone) {
  create();
  const metall::manager writer(metall::open_only, path());
  EXPECT_TRUE(in_another_process([&] {
    if (metall::manager(metall::open_only, path()).check_sanity()) return 1;
    if (metall::manager(metall::create_only, path()).check_sanity()) return 2;
    if (metall::manager::remove(path())) return 3;
    if (!metall::manager::copy(path(), path("copy"))) return 4;
    if (metall::manager::consistent(path())) return 5;
    if (metall::manager::copy(path("other"), path())) return 6;
    return 0;
  }));
  EXPECT_EQ(number_in("copy"), 10);
  EXPECT_EQ(*writer.find<int>("number").first, 10);
}

TEST_F(stores_test, AnyNumberOfManagersLiveSideBySide) {
  std::vector<metall::manager> managers;
  for (int i = 0; i < 8; ++i) {
    managers.emplace_back(metall::create_only, path(std::to_string(i).c_str()), 1U << 30);
    managers.back().construct<int>("number")(i);
  }
  for (int i = 0; i < 8; ++i) EXPECT_EQ(*managers[static_cast<std::size_t>(i)].find<int>("number").first, i);
}

TEST_F(stores_test, AfterACrashTheStoreOpensAtItsLastFlush) {
  create();
  EXPECT_TRUE(in_another_process([&] {
    metall::manager manager(metall::open_only, path());
    *manager.find<int>("number").first = 11;
    manager.construct<int>("flushed")(1);
    manager.flush();
    *manager.find<int>("number").first = 12;
    manager.construct<int>("not flushed")(1);
    manager.destroy<int>("flushed");
    ::_exit(0);  // nothing is closed
    return 1;
  }));
  EXPECT_TRUE(metall::manager::consistent(path()));
  metall::manager manager(metall::open_only, path());
  EXPECT_EQ(*manager.find<int>("number").first, 11);
  EXPECT_NE(manager.find<int>("flushed").first, nullptr);
  EXPECT_EQ(manager.find<int>("not flushed").first, nullptr);
}

TEST_F(stores_test, FlushMayBeAsynchronous) {
  create();
  EXPECT_TRUE(in_another_process([&] {
    metall::manager manager(metall::open_only, path());
    *manager.find<int>("number").first = 11;
    manager.flush(false);
    *manager.find<int>("number").first = 12;
    manager.flush(false);  // waits for the first
    manager.flush(true);
    ::_exit(0);
    return 1;
  }));
  EXPECT_EQ(number_in(), 12);
}

TEST_F(stores_test, ASnapshotHasThePresentState) {
  create();
  metall::manager manager(metall::open_only, path());
  *manager.find<int>("number").first = 11;
  ASSERT_TRUE(manager.snapshot(path("snapshot").c_str()));
  *manager.find<int>("number").first = 12;
  EXPECT_EQ(number_in("snapshot"), 11);
  ASSERT_TRUE(manager.snapshot(path("snapshot"), false, 2));
  EXPECT_EQ(number_in("snapshot"), 12);
  EXPECT_TRUE(manager.snapshot(path("a") / "b"));
  EXPECT_NE(metall::manager::get_uuid(path("snapshot")), manager.get_uuid());
  EXPECT_EQ(entries(), 3U);
}

TEST_F(stores_test, ASnapshotThatFailsSaysSoAndLeavesWhatIsThere) {
  create();
  create("open");
  metall::manager manager(metall::open_only, path());
  fs::create_directory(path("folder"));
  std::ofstream(path("folder") / "letter") << "dear";
  EXPECT_FALSE(manager.snapshot(path("folder")));
  EXPECT_FALSE(manager.snapshot(path("folder") / "letter" / "below a file"));
  EXPECT_FALSE(manager.snapshot(path()));
  const metall::manager reader(metall::open_read_only, path("open"));
  EXPECT_FALSE(manager.snapshot(path("open")));
  EXPECT_TRUE(fs::exists(path("folder") / "letter"));
  EXPECT_EQ(entries(), 3U);
}

TEST_F(stores_test, ACopyHoldsTheLastFlush) {
  create();
  ASSERT_TRUE(metall::manager::copy(path().c_str(), path("copy").c_str()));
  EXPECT_EQ(number_in("copy"), 10);
  {
    metall::manager manager(metall::open_only, path());
    *manager.find<int>("number").first = 11;
    EXPECT_TRUE(metall::manager::copy(path(), path("of an open store")));
  }
  EXPECT_EQ(number_in("of an open store"), 10);
  EXPECT_TRUE(metall::manager::copy(path(), path("copy"), false, 1));
  EXPECT_EQ(number_in("copy"), 11);
  {
    const metall::manager reader(metall::open_read_only, path());
    EXPECT_TRUE(metall::manager::copy(path(), path("of one being read")));
  }
  EXPECT_FALSE(metall::manager::copy(path(), path()));
  EXPECT_FALSE(metall::manager::copy(path(), path("copy") / ".." / "store"));
  EXPECT_EQ(number_in(), 11);
  EXPECT_FALSE(metall::manager::copy(path("nowhere"), path("copy")));
  EXPECT_EQ(number_in("copy"), 11);
  std::future<bool> copying = metall::manager::copy_async(path(), path("later"));
  EXPECT_TRUE(copying.get());
  EXPECT_EQ(number_in("later"), 11);
  EXPECT_FALSE(metall::manager::copy_async(path("nowhere"), path("later")).get());
}

TEST_F(stores_test, RemoveDeletesAStoreThatIsNotOpen) {
  create();
  {
    const metall::manager holder(metall::open_only, path());
    EXPECT_FALSE(metall::manager::remove(path()));
  }
  EXPECT_TRUE(metall::manager::remove(path().c_str()));
  EXPECT_FALSE(fs::exists(path()));
  EXPECT_TRUE(metall::manager::remove(path()));
  create();
  EXPECT_TRUE(metall::manager::remove_async(path()).get());
  EXPECT_EQ(entries(), 0U);
}

TEST_F(stores_test, AStoreIsConsistentWhenClosedAndWhole) {
  EXPECT_FALSE(metall::manager::consistent(path()));
  create();
  EXPECT_TRUE(metall::manager::consistent(path()));
  {
    const metall::manager writer(metall::open_only, path());
    EXPECT_FALSE(metall::manager::consistent(path()));
  }
  EXPECT_TRUE(metall::manager::consistent(path()));
  fs::resize_file(path() / "heap.000", 4096);
  EXPECT_FALSE(metall::manager::consistent(path()));
}

TEST_F(stores_test, EachStoreHasItsOwnUuid) {
  create();
  const std::string uuid = metall::manager::get_uuid(path());
  EXPECT_EQ(uuid.size(), 36U);
  {
    const metall::manager manager(metall::open_only, path());
    EXPECT_EQ(manager.get_uuid(), uuid);
    EXPECT_EQ(metall::manager::get_uuid(path()), uuid);
  }
  EXPECT_TRUE(metall::manager::copy(path(), path("copy")));
  const std::string copied = metall::manager::get_uuid(path("copy"));
  EXPECT_EQ(copied.size(), 36U);
  EXPECT_NE(copied, uuid);
  EXPECT_EQ(metall::manager::get_uuid(path("copy")), copied);
  create();
  EXPECT_NE(metall::manager::get_uuid(path()), uuid);
  EXPECT_EQ(metall::manager::get_uuid(path("nowhere")), "");
}

TEST_F(stores_test, AStoreTellsItsVersion) {
  create();
  EXPECT_EQ(metall::manager::get_version(path()), METALL_VERSION);
  EXPECT_EQ(metall::manager(metall::open_only, path()).get_version(), METALL_VERSION);
  EXPECT_EQ(metall::manager::get_version(path("nowhere")), 0U);
  EXPECT_EQ(metall::to_version_string(METALL_VERSION), "0.35.0");
  EXPECT_EQ(metall::to_version_string(1203004), "12.30.4");
}

TEST_F(stores_test, AStoreKeepsItsDescription) {
  create();
  std::string text = "kept";
  EXPECT_FALSE(metall::manager::get_description(path(), &text)) << "a new store has none";
  EXPECT_EQ(text, "kept");
  {
    metall::manager manager(metall::open_only, path());
    EXPECT_FALSE(manager.get_description(&text));
    EXPECT_FALSE(metall::manager::get_description(path(), &text));
    EXPECT_EQ(text, "kept");
    EXPECT_TRUE(manager.set_description("first"));
    EXPECT_TRUE(manager.set_description("second"));
    EXPECT_TRUE(manager.get_description(&text));
    EXPECT_EQ(text, "second");
    EXPECT_EQ(manager.get_num_named_objects(), 1U);
    // By path, of a store that is open here.
    EXPECT_TRUE(metall::manager::set_description(path(), "third"));
    EXPECT_TRUE(metall::manager::get_description(path(), &text));
    EXPECT_EQ(text, "third");
  }
  EXPECT_TRUE(metall::manager::get_description(path().c_str(), &text));
  EXPECT_EQ(text, "third");
  EXPECT_TRUE(metall::manager::set_description(path().c_str(), "fourth"));
  EXPECT_TRUE(metall::manager::get_description(path(), &text));
  EXPECT_EQ(text, "fourth");
  EXPECT_FALSE(metall::manager::set_description(path("nowhere"), "text"));
  EXPECT_FALSE(metall::manager::get_description(path("nowhere"), &text));
  EXPECT_FALSE(metall::manager::get_description(path(), nullptr));
}

}  // namespace
