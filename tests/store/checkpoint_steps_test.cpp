// The order in which a checkpoint changes files.
#include <atomic>
#include <functional>
#include <memory>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <string_view>

#include "segment/segment.hpp"
#include "support/errors.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

using os::file_operation;

class checkpoint_steps : public scratch_test {
 protected:
  std::unique_ptr<datastore> store_of_a_hundred_pages(backing kind = backing::private_memory) {
    auto store = datastore::create(path(), small_store(kind));
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 100; ++page) put(*store, page, 1);
    store->checkpoint();
    store->wait_applied();
    return store;
  }
};

// A journal carries the entries of those before it, until that has cost as much as writing the table.
TEST_F(checkpoint_steps, write_the_table_of_checksums_now_and_then) {
  std::atomic<int> table_writes{0};
  const watched_calls calls([&](const os::file_call& call, std::string_view file) {
    if (file == "crc" && call.operation == file_operation::write && call.bytes == page_size) ++table_writes;
    return 0;
  });
  const auto store = store_of_a_hundred_pages();
  table_writes = 0;
  for (std::uint64_t round = 0; round < 100; ++round) {
    put(*store, round, 2);
    store->checkpoint();
    store->wait_applied();
  }
  // One page of the table, 4,096 bytes; after n checkpoints n²/2 entries of 24 bytes were carried.
  EXPECT_GE(table_writes, 100 / 25);
  EXPECT_LE(table_writes, 100 / 12);
}

// Then nobody knows what pages look like at home.
TEST_F(checkpoint_steps, make_pages_empty_that_another_backing_has_filled) {
  { const auto store = store_of_a_hundred_pages(); }
  {
    const auto store = datastore::open(path(), small_store(backing::shared_file));
    for (std::uint64_t page = 200; page < 220; ++page) put(*store, page, page);
    store->checkpoint();
  }
  {
    const auto store = datastore::open(path());
    for (std::uint64_t page = 200; page < 210; ++page) put(*store, page, 0);
    put(*store, 210, 5);
    store->checkpoint();
  }
  const auto store = datastore::open(path());
  for (std::uint64_t page = 200; page < 210; ++page) EXPECT_TRUE(has(*store, page, 0));
  EXPECT_TRUE(has(*store, 210, 5));
  for (std::uint64_t page = 211; page < 220; ++page) EXPECT_TRUE(has(*store, page, page));
}

// The journal of the failed checkpoint has its header: after a crash it would count, and these pages would be
// a part of it.
TEST_F(checkpoint_steps, keep_released_pages_as_long_as_a_failed_checkpoint_may_count) {
  enum class phase { preparing, failing, watching };
  std::atomic<phase> now{phase::preparing};
  std::atomic<bool> is_header_written{false};
  std::atomic<bool> is_replaced{false};
  std::atomic<int> punched{0};
  std::atomic<int> punched_too_early{0};
  const auto fail = [&](const os::file_call& call, std::string_view file) {
    if (file.starts_with("jrnl.")) {
      if (call.operation == file_operation::write && call.offset == 0) is_header_written = true;
      return is_header_written && call.operation == file_operation::sync_data ? EIO : 0;
    }
    const bool replaces = call.operation == file_operation::open && call.name != nullptr &&
                          std::string_view(call.name).ends_with(".new");
    return is_header_written && replaces ? ENOSPC : 0;
  };
  const auto watch = [&](const os::file_call& call, std::string_view file) {
    if (call.operation == file_operation::rename && std::string_view(call.new_name).starts_with("jrnl."))
      is_replaced = true;
    if (file == "heap.000" && call.operation == file_operation::punch) {
      ++punched;
      if (!is_replaced) ++punched_too_early;
    }
  };
  // Outlives the store, whose threads may be asking.
  const watched_calls calls([&](const os::file_call& call, std::string_view file) {
    if (now == phase::watching) watch(call, file);
    return now == phase::failing ? fail(call, file) : 0;
  });
  const auto store = store_of_a_hundred_pages();
  store->memory().grow(16 * mib);
  for (std::uint64_t page = 1000; page < 2000; ++page) put(*store, page, page);
  store->trim();
  put(*store, 3, 3);
  now = phase::failing;
  EXPECT_THROW(store->checkpoint(), error);
  EXPECT_TRUE(is_header_written);
  now = phase::watching;
  const detail::page_run released[]{{1000, 1000}};
  store->checkpoint(released);
  EXPECT_TRUE(is_replaced);
  EXPECT_GT(punched, 0);
  EXPECT_EQ(punched_too_early, 0);
}

}  // namespace
}  // namespace perdure
