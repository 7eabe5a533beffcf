// What a store remembers of its checkpoints.
#include <fstream>
#include <perdure/checkpoint_log.hpp>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>

#include "segment/segment.hpp"
#include "support/errors.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

namespace fs = std::filesystem;

class the_log : public scratch_test {};

TEST_F(the_log, has_each_checkpoint_with_its_size_and_label) {
  std::uint64_t base = 0;
  {
    const auto store = datastore::create(path(), small_store());
    base = reinterpret_cast<std::uintptr_t>(store->memory().base());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, page + 1);
    store->checkpoint({}, "first");
    for (std::uint64_t page = 0; page < 10; ++page) put(*store, page, page + 50);
    put(*store, 50, 0);
    const detail::page_run gone{60, 5};
    store->checkpoint({&gone, 1});
  }
  const auto log = store_maintenance::log(path());
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0].address, base);
  EXPECT_EQ(log[1].address, base);
  EXPECT_EQ(log[0].epoch, 1u);
  EXPECT_EQ(log[0].label, "first");
  EXPECT_EQ(log[0].fresh_pages + log[0].overwritten_pages, 100u);
  EXPECT_EQ(log[0].bytes(), 100 * page_size);
  EXPECT_EQ(log[0].segment_bytes, 4 * mib);
  EXPECT_EQ(log[1].epoch, 2u);
  EXPECT_EQ(log[1].label, "");
  EXPECT_GE(log[1].overwritten_pages, 10u);  // a tracker may report more than was stored to
  EXPECT_GE(log[1].cleared_pages, 6u);
  EXPECT_GT(log[0].time_ns, 0u);
  EXPECT_LE(log[0].time_ns, log[1].time_ns);
}

TEST_F(the_log, has_labelled_checkpoints_of_nothing) {
  const auto store = datastore::create(path(), small_store());
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 0u);
  store->checkpoint({}, "empty");
  EXPECT_EQ(store->epoch(), 1u);
  store->wait_applied();
  ASSERT_EQ(store_maintenance::log(path()).size(), 1u);
  EXPECT_EQ(store_maintenance::log(path())[0].label, "empty");
  EXPECT_TRUE(fails_with(errc::invalid_argument, "63", [&] { store->checkpoint({}, std::string(64, 'x')); }));
  store->checkpoint({}, std::string(63, 'x'));
  store->wait_applied();
  EXPECT_EQ(store_maintenance::log(path())[1].label, std::string(63, 'x'));
}

TEST_F(the_log, is_bounded_and_keeps_the_newest) {
  {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(2 * mib);
    for (std::uint64_t i = 1; i <= 5; ++i) {
      put(*store, 0, i);
      store->checkpoint();
    }
  }
  EXPECT_LE(fs::file_size(path() / "log"), 4096 + checkpoints_remembered * 128);
  EXPECT_EQ(store_maintenance::log(path()).size(), 5u);
}

TEST_F(the_log, passes_over_damaged_records_and_is_not_needed) {
  {
    const auto store = datastore::create(path(), small_store());
    for (const char* label : {"a", "b", "c"}) store->checkpoint({}, label);
  }
  {
    std::fstream file(path() / "log", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 + 2 * 128 + 70);
    file.put('?');
  }
  auto log = store_maintenance::log(path());
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0].label, "a");
  EXPECT_EQ(log[1].label, "c");
  fs::resize_file(path() / "log", 4096 + 128 + 128 + 50);
  EXPECT_EQ(store_maintenance::log(path()).size(), 1u);
  fs::resize_file(path() / "log", 100);
  EXPECT_TRUE(store_maintenance::log(path()).empty());
  {
    const auto store = datastore::open(path());
    store->checkpoint({}, "d");
  }
  log = store_maintenance::log(path());
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].label, "d");
  fs::remove(path() / "log");
  EXPECT_TRUE(store_maintenance::log(path()).empty());
  EXPECT_TRUE(store_maintenance::verify(path()).whole());
}

TEST_F(the_log, has_what_recovery_brought_home) {
  {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(4 * mib);
    put(*store, 1, 1);
    store->checkpoint({}, "one");
  }
  fs::copy(path(), path("before"), fs::copy_options::recursive);
  {
    const auto store = datastore::open(path());
    put(*store, 1, 2);
    store->checkpoint({}, "two");
  }
  for (const char* name : {"super", "heap.000", "crc", "log"})
    fs::copy_file(path("before") / name, path() / name, fs::copy_options::overwrite_existing);
  EXPECT_EQ(store_maintenance::log(path()).size(), 1u);
  datastore::open(path())->close();
  ASSERT_EQ(store_maintenance::log(path()).size(), 2u);
  EXPECT_EQ(store_maintenance::log(path())[1].label, "two");
}

}  // namespace
}  // namespace perdure
