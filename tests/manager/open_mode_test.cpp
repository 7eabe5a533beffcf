// Opening, closing, moving and removing stores.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "heap/layout.hpp"
#include "perdure/manager.hpp"
#include "segment/segment.hpp"
#include "store/file/unfinished_store.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/full_disk.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

struct open_mode_test : testing::Test {
  scratch_directory scratch;
  std::filesystem::path path = scratch.path();
};

TEST_F(open_mode_test, CreateOnlyWantsAFreePath) {
  { manager store(create_only, path, small_store()); }
  EXPECT_EQ(code_of([&] { manager store(create_only, path, small_store()); }), errc::already_exists);
  EXPECT_EQ(manager(open_only, path).get_num_named_objects(), 0U);
}

TEST_F(open_mode_test, OpenOnlyWantsAStore) {
  EXPECT_EQ(code_of([&] { manager store(open_only, path); }), errc::not_found);
  EXPECT_EQ(code_of([&] { manager store(open_read_only, path); }), errc::not_found);
  std::filesystem::create_directory(path);
  EXPECT_EQ(code_of([&] { manager store(open_only, path); }), errc::not_a_store);
  std::ofstream(path / "notes.txt") << "not a store";
  EXPECT_EQ(code_of([&] { manager store(open_or_create, path, small_store()); }), errc::not_a_store);
  EXPECT_EQ(code_of([&] { manager store(create_only, path, small_store()); }), errc::already_exists);
  EXPECT_TRUE(std::filesystem::exists(path / "notes.txt"));
}

TEST_F(open_mode_test, AnEmptyDirectoryIsAFreePath) {
  for (const bool create : {true, false}) {
    std::filesystem::create_directory(path);
    std::filesystem::permissions(path, std::filesystem::perms{0710});
    EXPECT_FALSE(manager::exists(path));
    if (create) {
      manager store(create_only, path, small_store());
      store.construct<int>("x")(1);
    } else {
      manager store(open_or_create, path.string() + "/", small_store());
      store.construct<int>("x")(1);
    }
    EXPECT_EQ(*manager(open_only, path).find<int>("x").first, 1);
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms{0710});
    manager::remove(path);
  }
}

/// Creates in each way in an empty directory at `path`, looks for the store at `found`, and removes it.
void create_in(const std::filesystem::path& path, const std::filesystem::path& found) {
  for (const bool create : {true, false}) {
    SCOPED_TRACE(create ? "create_only" : "open_or_create");
    if (create) {
      manager store(create_only, path, small_store());
      store.construct<int>("x")(1);
    } else {
      manager store(open_or_create, path, small_store());
      store.construct<int>("x")(1);
    }
    EXPECT_EQ(*manager(open_or_create, path).find<int>("x").first, 1);
    EXPECT_EQ(*manager(open_only, found).find<int>("x").first, 1);
    EXPECT_EQ(code_of([&] { manager store(create_only, path, small_store()); }), errc::already_exists);
    EXPECT_TRUE(manager::remove(found));
    std::filesystem::create_directory(found);
  }
}

TEST_F(open_mode_test, AnEmptyDirectoryWhereAFileSystemIsMountedIsFilled) {
  std::filesystem::create_directory(path);
  if (::mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0) GTEST_SKIP() << "cannot mount";
  struct unmounting {
    const std::filesystem::path& where;
    ~unmounting() { EXPECT_EQ(::umount(where.c_str()), 0); }
  } const at_the_end{path};
  // A file system that was just made has one.
  std::filesystem::create_directory(path / "lost+found");
  create_in(path, path);
  { manager store(create_only, path, small_store()); }
  const auto copied = path.string() + ".copy";
  manager::copy(path, copied);
  manager::remove(path);
  manager::copy(copied, path);
  EXPECT_TRUE(manager::verify(path).whole());
  manager::remove(copied);
}

TEST_F(open_mode_test, TheWorkingDirectoryIsFilled) {
  std::filesystem::create_directory(path);
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path whole = std::filesystem::absolute(path);
  std::filesystem::current_path(whole);
  { manager store(open_or_create, ".", small_store()); }
  manager(open_only, ".").construct<int>("x")(1);
  EXPECT_EQ(*manager(open_only, whole).find<int>("x").first, 1);
  std::filesystem::current_path(before);
}

TEST_F(open_mode_test, LinksAreFollowedToWhereTheStoreIsMade) {
  const std::filesystem::path link = path.string() + ".link";
  const std::filesystem::path second = path.string() + ".second";
  std::filesystem::create_symlink(path.filename(), link);
  std::filesystem::create_symlink(link.filename(), second);
  { manager store(create_only, link, small_store()); }
  EXPECT_TRUE(manager::remove(path));
  { manager store(open_or_create, second, small_store()); }
  EXPECT_TRUE(manager::remove(path));
  std::filesystem::create_directory(path);
  create_in(link, path);
  std::filesystem::remove(path);
  std::filesystem::create_symlink(second.filename(), path);
  EXPECT_THROW(manager(open_or_create, link, small_store()), error);
  for (const auto& one : {path, link, second}) std::filesystem::remove(one);
}

TEST_F(open_mode_test, WhatACrashLeftOfAStoreThatWasMadeInPlaceGivesWayToANewOne) {
  store::make_stores_in_place(true);
  std::filesystem::create_directory(path);
  const auto put = [&](const char* name) { std::ofstream(path / name) << "remains"; };
  for (const char* const name : {"super.new", "LOCK", "heap.000", "crc", "jrnl.0"}) put(name);
  EXPECT_EQ(code_of([&] { manager store(open_only, path); }), errc::not_a_store);
  EXPECT_EQ(code_of([&] { manager::verify(path); }), errc::not_a_store);
  EXPECT_FALSE(manager::exists(path));
  create_in(path, path);
  put("LOCK");
  create_in(path, path);
  for (const char* const name : {"super.new", "crc"}) put(name);
  EXPECT_TRUE(manager::remove(path));
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::create_directory(path);
  {
    put("super.new");
    const store::store_lock other(os::file::open_directory(path), store::store_access::write);
    EXPECT_EQ(code_of([&] { manager store(open_or_create, path, small_store()); }), errc::in_use);
    EXPECT_TRUE(std::filesystem::exists(path / "super.new"));
  }
  std::filesystem::remove(path / "super.new");
  // This may be all that is left of a store.
  put("heap.000");
  EXPECT_EQ(code_of([&] { manager store(create_only, path, small_store()); }), errc::already_exists);
  EXPECT_EQ(code_of([&] { manager store(open_or_create, path, small_store()); }), errc::damaged);
  EXPECT_TRUE(std::filesystem::exists(path / "heap.000"));
  store::make_stores_in_place(false);
}

TEST_F(open_mode_test, WhatCouldNotBeMadeInPlaceLeavesNothing) {
  store::make_stores_in_place(true);
  std::filesystem::create_directory(path);
  {
    const file_size_limit limit(4096);
    EXPECT_THROW(manager(create_only, path, small_store()), error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(path));
  create_in(path, path);
  store::make_stores_in_place(false);
}

TEST_F(open_mode_test, OpenOrCreateFindsWhatEarlierRunsLeft) {
  for (int run = 0; run < 3; ++run) {
    manager store(open_or_create, path, small_store());
    EXPECT_EQ((*store.find_or_construct<int>("runs")(0))++, run);
  }
}

/// A transfer between two accounts whose second half is never reached.
void transfer_and_throw(manager store) {
  int* const from = store.find<int>("from").first;
  *from -= 50;
  throw std::runtime_error("the other account cannot be found");
}

struct unwinding_test : open_mode_test {
  void SetUp() override {
    manager store(create_only, path, small_store());
    store.construct<int>("from")(100);
    store.construct<int>("to")(0);
  }
  int from() const { return *manager(open_only, path).find<int>("from").first; }
};

TEST_F(unwinding_test, AnExceptionThatEndsAManagerLeavesTheLastCheckpoint) {
  EXPECT_THROW(transfer_and_throw(manager(open_only, path)), std::runtime_error);
  EXPECT_EQ(from(), 100);
  // Of a manager on the heap, of one that was moved, and of one that holds the result of an assignment.
  EXPECT_THROW(
      {
        auto held = std::make_unique<manager>(open_only, path);
        *held->find<int>("from").first = 1;
        manager moved = std::move(*held);
        manager assigned = std::move(moved);
        throw std::runtime_error("after two moves");
      },
      std::runtime_error);
  EXPECT_EQ(from(), 100);
}

TEST_F(unwinding_test, WhatWasCheckpointedBeforeTheExceptionStays) {
  EXPECT_THROW(
      {
        manager store(open_only, path);
        *store.find<int>("from").first = 70;
        store.checkpoint();
        *store.find<int>("from").first = 20;
        throw std::runtime_error("after the checkpoint");
      },
      std::runtime_error);
  EXPECT_EQ(from(), 70);
}

TEST_F(unwinding_test, AnExceptionCaughtInsideTheManagersLifeIsNoneOfItsBusiness) {
  {
    manager store(open_only, path);
    try {
      *store.find<int>("from").first = 60;
      throw std::runtime_error("caught");
    } catch (const std::runtime_error&) {
      // Handled, an exception ends nobody's life: this one commits too.
      manager other(create_only, path.string() + ".other", small_store());
      other.construct<int>("x")(1);
    }
  }
  EXPECT_NE(manager(open_only, path.string() + ".other").find<int>("x").first, nullptr);
  manager::remove(path.string() + ".other");
  EXPECT_EQ(from(), 60);
}

TEST_F(unwinding_test, AManagerMadeWhileTheStackUnwindsCommits) {
  struct writer {
    const std::filesystem::path& path;
    ~writer() {
      manager store(open_only, path);
      *store.find<int>("from").first = 40;
    }
  };
  EXPECT_THROW(
      {
        const writer at_the_end{path};
        throw std::runtime_error("unwinds");
      },
      std::runtime_error);
  EXPECT_EQ(from(), 40);
}

TEST_F(unwinding_test, CommitsIfTold) {
  EXPECT_THROW(
      {
        manager store(open_only, path);
        store.commit_when_unwinding();
        manager moved = std::move(store);
        *moved.find<int>("from").first = 30;
        throw std::runtime_error("whole all the same");
      },
      std::runtime_error);
  EXPECT_EQ(from(), 30);
}

TEST_F(open_mode_test, ReadOnlyRefusesEveryChange) {
  {
    manager store(create_only, path, small_store());
    store.construct<int>("x")(7);
    store.set_attribute("x", "a", "b");
  }
  manager store(open_read_only, path);
  EXPECT_TRUE(store.read_only());
  int* const x = store.find<int>("x").first;
  ASSERT_NE(x, nullptr);
  EXPECT_EQ(*x, 7);
  EXPECT_EQ(store.attribute(x, "a"), "b");
  EXPECT_EQ(store.get_num_named_objects(), 1U);
  EXPECT_EQ(store.named_begin()->name(), "x");
  EXPECT_EQ(store.find_or_construct<int>("x")(1), x);
  const auto refused = [&](auto change) { EXPECT_EQ(code_of(change), errc::read_only); };
  refused([&] { store.construct<int>("y")(); });
  refused([&] { store.construct<int>("x")(); });
  refused([&] { store.construct<int>(anonymous_instance)(); });
  refused([&] { store.find_or_construct<int>("y")(); });
  refused([&] { store.destroy<int>("x"); });
  refused([&] { store.destroy_ptr(x); });
  refused([&] { store.set_attribute("x", "a", "c"); });
  refused([&] { store.remove_attribute(x, "a"); });
  refused([&] { (void)store.allocate(1); });
  refused([&] { (void)store.allocate_aligned(1, 64); });
  refused([&] { store.deallocate(nullptr); });
  refused([&] { store.checkpoint(); });
  EXPECT_EQ(store.construct<int>("y", std::nothrow)(), nullptr);
  EXPECT_TRUE(store.check().empty());
  manager second(open_read_only, path);
  EXPECT_EQ(*second.find<int>("x").first, 7);
  store.close();
}

TEST_F(open_mode_test, OneWriterExcludesOthers) {
  manager store(create_only, path, small_store());
  EXPECT_EQ(code_of([&] { manager other(open_only, path); }), errc::in_use);
  EXPECT_EQ(code_of([&] { manager::remove(path); }), errc::in_use);
  store.close();
  manager other(open_only, path);
}

TEST_F(open_mode_test, ClosingMakesDurable) {
  manager store(create_only, path, small_store());
  store.construct<int>("x")(7);
  store.close();
  EXPECT_FALSE(store.is_open());
  store.close();
  EXPECT_EQ(code_of([&] { store.find<int>("x"); }), errc::invalid_argument);
  EXPECT_EQ(*manager(open_only, path).find<int>("x").first, 7);
}

TEST_F(open_mode_test, AMovedManagerKeepsItsStore) {
  manager a(create_only, path, small_store());
  int* const x = a.construct<int>("x")(1);
  manager b(std::move(a));
  EXPECT_FALSE(a.is_open());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(b.find<int>("x").first, x);
  const std::filesystem::path other = scratch.directory() / "other";
  manager c(create_only, other, small_store());
  c.construct<int>("y")(2);
  c = std::move(b);
  EXPECT_EQ(c.find<int>("x").first, x);
  EXPECT_EQ(c.path(), path);
  // The store that was moved over has been closed with its changes.
  EXPECT_EQ(*manager(open_only, other).find<int>("y").first, 2);
}

TEST_F(open_mode_test, ARemovedStoreDoesNotExist) {
  EXPECT_FALSE(manager::exists(path));
  EXPECT_FALSE(manager::remove(path));
  { manager store(create_only, path, small_store()); }
  EXPECT_TRUE(manager::exists(path));
  EXPECT_TRUE(manager::remove(path));
  EXPECT_FALSE(manager::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path));

  std::filesystem::create_directory(path);
  std::ofstream(path / "letter.txt") << "dear reader";
  EXPECT_FALSE(manager::exists(path));
  EXPECT_EQ(code_of([&] { manager::remove(path); }), errc::not_a_store);
  EXPECT_TRUE(std::filesystem::exists(path / "letter.txt"));
}

TEST_F(open_mode_test, RemoveLeavesWhatIsNotTheStores) {
  { manager store(create_only, path, small_store()); }
  std::ofstream(path / "heap.notes") << "not a home file";
  EXPECT_TRUE(manager::remove(path));
  EXPECT_FALSE(manager::exists(path));
  EXPECT_TRUE(std::filesystem::exists(path / "heap.notes"));
  EXPECT_FALSE(std::filesystem::exists(path / "heap.000"));
}

TEST_F(open_mode_test, ADamagedStoreCanBeRemoved) {
  { manager store(create_only, path, small_store()); }
  std::filesystem::resize_file(path / "super", 100);
  EXPECT_NE(code_of([&] { manager store(open_only, path); }), errc::ok);
  if (manager::exists(path)) {
    EXPECT_TRUE(manager::remove(path));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

std::string reported;
void keep_report(const std::filesystem::path& where, const char* what) {
  reported = where.string() + ": " + what;
}

// A heap that no manager made gets a directory when it is opened for writing, and that takes memory from it.
TEST_F(open_mode_test, ADirectoryIsNotPutIntoADamagedHeap) {
  {
    const auto store = datastore::create(path, small_store());
    const auto memory = heap::format(store->memory());
    memory->allocate(100);
    memory->flush_caches();
    auto& header = *reinterpret_cast<detail::heap_header*>(store->memory().base());
    for (detail::unit_index& slab : header.partial_slabs) slab = 4'000'000;
    store->checkpoint();
  }
  EXPECT_EQ(code_of([&] { manager(open_only, path); }), errc::damaged);
  const manager reader(open_read_only, path);
  EXPECT_FALSE(reader.check().empty());
}

TEST_F(open_mode_test, AProcessThatLostChangesInADestructorFails) {
  EXPECT_EXIT(
      {
        {
          manager store(create_only, path, small_store());
          store.checkpoint();
          store.store().wait_applied();
          store.construct<char>("bytes")[3 << 20](1);
          const file_size_limit limit(4096);
          const manager dying = std::move(store);
        }
        std::exit(0);
      },
      testing::ExitedWithCode(1), "changes to .* since its last checkpoint are lost");
  EXPECT_EXIT(
      {
        { manager(open_only, path).construct<int>("kept")(1); }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(open_mode_test, AProcessThatExitsWithAStoreOpenFails) {
  const auto exits = [&](const auto& before) {
    manager store(open_or_create, path, small_store());
    *store.find_or_construct<int>("number")() = 1;
    before(store);
    std::exit(0);
  };
  EXPECT_EXIT(exits([](manager&) {}), testing::ExitedWithCode(1),
              "perdure: changes to .* are lost: the program ended by exit.. with the store open");
  EXPECT_EXIT(exits([](manager& store) { store.close(); }), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(exits([](manager& store) { store.discard(); }), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(exits([&](manager& store) {
                store.close();
                store = manager(open_read_only, path);
              }),
              testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(
      {
        set_close_failure_handler([](const std::filesystem::path&, const char*) { ::_exit(9); });
        exits([](manager&) {});
      },
      testing::ExitedWithCode(9), "");
}

// A global that is made empty is destroyed after what was registered when its store was opened.
std::optional<manager> kept_by_a_global;

TEST_F(open_mode_test, AGlobalManagerIsClosedAtExit) {
  EXPECT_EXIT(
      {
        kept_by_a_global.emplace(create_only, path, small_store());
        kept_by_a_global->construct<int>("number")(7);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

TEST_F(open_mode_test, AFailureInTheDestructorIsReported) {
  EXPECT_TRUE(in_another_process([&] {
    set_close_failure_handler(keep_report);
    {
      manager store(create_only, path, small_store());
      store.construct<int>("kept")(1);
      store.checkpoint();
      store.store().wait_applied();
      store.construct<char>("bytes")[3 << 20](1);
      const file_size_limit limit(4096);
      const manager dying = std::move(store);
    }
    return reported.starts_with(path.string()) && reported.size() > path.string().size() + 2 ? 0 : 1;
  }));
  manager store(open_only, path);
  EXPECT_EQ(*store.find<int>("kept").first, 1);
  EXPECT_EQ(store.find<char>("bytes").first, nullptr);
}

TEST_F(open_mode_test, AFailedCloseMayBeRepeated) {
  EXPECT_TRUE(in_another_process([&] {
    manager store(create_only, path, small_store());
    store.construct<int>("kept")(1);
    store.checkpoint();
    store.store().wait_applied();
    const char* const bytes = store.construct<char>("bytes")[3 << 20](1);
    {
      const file_size_limit limit(4096);
      if (code_of([&] { store.close(); }) == errc::ok) return 1;
    }
    // Still open and whole.
    if (!store.is_open() || bytes[(3 << 20) - 1] != 1 || store.find<int>("kept").first == nullptr) return 2;
    store.close();
    return 0;
  }));
  manager store(open_only, path);
  EXPECT_EQ(store.find<char>("bytes").second, std::size_t{3} << 20);
  EXPECT_TRUE(store.check().empty());
}

TEST_F(open_mode_test, AStoreWhoseCreationWasCutShortIsEmpty) {
  // A datastore before its first checkpoint is what a kill during creation leaves.
  { datastore::create(path, small_store()); }
  EXPECT_EQ(code_of([&] { manager store(open_read_only, path); }), errc::not_a_store);
  {
    manager store(open_only, path);
    store.construct<int>("x")(3);
  }
  EXPECT_EQ(*manager(open_read_only, path).find<int>("x").first, 3);
}

TEST_F(open_mode_test, CopyOnWriteChangesAreDropped) {
  {
    manager store(create_only, path, small_store());
    store.construct<int>("x")(7);
  }
  {
    manager store(open_copy_on_write, path);
    EXPECT_FALSE(store.read_only());
    *store.find<int>("x").first = 8;
    store.construct<int>("y")(9);
    store.construct<char>("much")[64 << 20]('a');
    EXPECT_EQ(store.find<char>("much").first[(64 << 20) - 1], 'a');
    EXPECT_TRUE(store.check().empty());
    EXPECT_EQ(code_of([&] { store.checkpoint(); }), errc::read_only);
    EXPECT_EQ(code_of([&] { (void)store.checkpoint_async(); }), errc::read_only);
    // Others read, or change copies of their own, meanwhile.
    manager second(open_copy_on_write, path);
    EXPECT_EQ(*second.find<int>("x").first, 7);
    EXPECT_TRUE(second.destroy<int>("x"));
    EXPECT_EQ(*manager(open_read_only, path).find<int>("x").first, 7);
    EXPECT_EQ(*store.find<int>("x").first, 8);
    store.close();
  }
  manager store(open_only, path);
  EXPECT_EQ(*store.find<int>("x").first, 7);
  EXPECT_EQ(store.find<int>("y").first, nullptr);
  EXPECT_EQ(store.find<char>("much").first, nullptr);
  EXPECT_TRUE(store.check().empty());
}

TEST_F(open_mode_test, CopyOnWriteSeesACheckpointThatIsNotHomeYet) {
  // A killed writer leaves its last checkpoint in the journal.
  ASSERT_TRUE(in_another_process([&] {
    manager store(create_only, path, small_store());
    store.construct<int>("x")(7);
    store.checkpoint();
    *store.find<int>("x").first = 8;
    store.checkpoint();
    return 0;
  }));
  manager store(open_copy_on_write, path);
  EXPECT_EQ(*store.find<int>("x").first, 8);
  *store.find<int>("x").first = 9;
  EXPECT_EQ(*manager(open_read_only, path).find<int>("x").first, 8);
}

TEST_F(open_mode_test, CopyOnWriteExcludesAWriter) {
  manager store(create_only, path, small_store());
  EXPECT_EQ(code_of([&] { manager copy(open_copy_on_write, path); }), errc::in_use);
  EXPECT_EQ(code_of([&] { manager copy(open_copy_on_write, scratch.directory() / "none"); }),
            errc::not_found);
}

}  // namespace
}  // namespace perdure
