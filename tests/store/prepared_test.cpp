// Checkpoints in two phases: prepared, and then decided on or abandoned, by this process or after a crash.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <thread>
#include <vector>

#include "os/file_observer.hpp"
#include "segment/segment.hpp"
#include "store/file/layout.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

// Counts what is written and synced, and makes syncs fail.
class call_counter final : public os::file_observer {
 public:
  call_counter() { os::observe_files(this); }
  ~call_counter() override { os::observe_files(nullptr); }

  struct totals {
    std::uint64_t syncs = 0;
    std::uint64_t bytes = 0;
  };
  totals counted() const { return {syncs_.load(), bytes_.load()}; }
  void fail_sync(int which) { until_failure_ = which; }

  verdict before(const os::file_call& call) override {
    if (!is_sync(call)) return {};
    if (until_failure_.load() > 0 && until_failure_.fetch_sub(1) == 1) return {EIO};
    return {};
  }
  void after(const os::file_call& call, std::int64_t result, int) override {
    if (is_sync(call)) ++syncs_;
    if (call.operation == os::file_operation::write && result > 0)
      bytes_ += static_cast<std::uint64_t>(result);
  }

 private:
  static bool is_sync(const os::file_call& call) {
    return call.operation == os::file_operation::sync_data || call.operation == os::file_operation::sync;
  }

  std::atomic<std::uint64_t> syncs_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<int> until_failure_{0};
};

class a_prepared_checkpoint : public scratch_test {
 protected:
  // A store whose checkpoint 1 has pattern 1 in its first pages.
  std::unique_ptr<datastore> first() {
    auto store = datastore::create(path(), small_store());
    store->memory().grow(4 * mib);
    write(*store, 1);
    store->checkpoint();
    return store;
  }
  static void write(datastore& store, std::uint64_t number) {
    for (std::uint64_t page = 0; page < 100; ++page) put(store, page, number);
  }
  static void expect_pattern(datastore& store, std::uint64_t number) {
    for (std::uint64_t page = 0; page < 100; ++page) ASSERT_TRUE(has(store, page, number));
  }
  // What is on disk now, as a process that dies here leaves it.
  std::filesystem::path left_by_a_crash() {
    const std::filesystem::path copy = path("crashed");
    std::filesystem::copy(path(), copy, std::filesystem::copy_options::recursive);
    return copy;
  }
  static store_options told(std::uint64_t last) {
    store_options options = small_store();
    options.last_decided = last;
    return options;
  }
  static bool program_goes_on(const datastore& store) { return store.tracker() != "pagemap"; }
};

TEST_F(a_prepared_checkpoint, counts_when_it_is_decided_on) {
  {
    const auto store = first();
    write(*store, 2);
    const auto prepared = store->prepare({}, "two");
    EXPECT_EQ(prepared->epoch(), 2u);
    EXPECT_EQ(store->epoch(), 1u);
    prepared->decide();
    EXPECT_EQ(store->epoch(), 2u);
    EXPECT_TRUE(
        fails_with(errc::invalid_argument, "has been decided or abandoned", [&] { prepared->decide(); }));
    prepared->abandon();
    EXPECT_EQ(store->epoch(), 2u);
    write(*store, 3);
    store->checkpoint();
  }
  const auto store = datastore::open(path());
  EXPECT_EQ(store->epoch(), 3u);
  expect_pattern(*store, 3);
  EXPECT_EQ(store_maintenance::log(path()).at(1).label, "two");
}

TEST_F(a_prepared_checkpoint, is_what_there_was_when_it_was_prepared) {
  {
    const auto store = first();
    if (!program_goes_on(*store)) GTEST_SKIP() << "programs wait with this page tracker";
    write(*store, 2);
    const auto prepared = store->prepare();
    write(*store, 3);
    prepared->decide();
    expect_pattern(*store, 3);
  }
  const auto store = datastore::open(path());
  EXPECT_EQ(store->epoch(), 2u);
  expect_pattern(*store, 2);
}

TEST_F(a_prepared_checkpoint, leaves_its_pages_to_the_next_one_when_it_is_abandoned) {
  {
    const auto store = first();
    write(*store, 2);
    put(*store, 900, 9);
    store->prepare()->abandon();
    EXPECT_EQ(store->epoch(), 1u);
    // Its destructor does so too.
    store->prepare();
    expect_pattern(*store, 2);
    store->checkpoint();
    EXPECT_EQ(store->epoch(), 2u);
  }
  const auto store = datastore::open(path());
  expect_pattern(*store, 2);
  EXPECT_TRUE(has(*store, 900, 9));
}

TEST_F(a_prepared_checkpoint, that_is_abandoned_is_no_part_of_the_store) {
  {
    const auto store = first();
    write(*store, 2);
    put(*store, 900, 9);
    store->prepare()->abandon();
  }
  const auto store = datastore::open(path());
  EXPECT_EQ(store->epoch(), 1u);
  expect_pattern(*store, 1);
  EXPECT_TRUE(has(*store, 900, 0));
}

TEST_F(a_prepared_checkpoint, is_abandoned_when_its_store_is_closed) {
  const auto store = first();
  write(*store, 2);
  const auto prepared = store->prepare();
  store->close();
  EXPECT_EQ(store_maintenance::inspect(path()).epoch, 1u);
  EXPECT_EQ(store_maintenance::inspect(path()).undecided_epoch, 0u);
}

TEST_F(a_prepared_checkpoint, has_a_number_though_nothing_has_changed) {
  const auto store = first();
  const auto prepared = store->prepare();
  EXPECT_EQ(prepared->epoch(), 2u);
  prepared->decide();
  EXPECT_EQ(store->epoch(), 2u);
}

TEST_F(a_prepared_checkpoint, waits_for_a_verdict_after_a_crash) {
  const auto store = first();
  write(*store, 2);
  const auto prepared = store->prepare();
  const std::filesystem::path crashed = left_by_a_crash();
  EXPECT_EQ(store_maintenance::inspect(crashed).epoch, 1u);
  EXPECT_EQ(store_maintenance::inspect(crashed).undecided_epoch, 2u);
  EXPECT_TRUE(store_maintenance::verify(crashed).whole());
  for (int times = 0; times < 2; ++times)
    EXPECT_TRUE(fails_with(errc::undecided, "prepared checkpoint 2", [&] { datastore::open(crashed); }));
  const auto reader = datastore::open_read_only(crashed);
  EXPECT_EQ(reader->epoch(), 1u);
  expect_pattern(*reader, 1);
}

TEST_F(a_prepared_checkpoint, counts_by_verdict) {
  {
    const auto store = first();
    write(*store, 2);
    const auto prepared = store->prepare();
    left_by_a_crash();
  }
  {
    const auto reader = datastore::open_read_only(path("crashed"), told(2));
    EXPECT_EQ(reader->epoch(), 2u);
    expect_pattern(*reader, 2);
  }
  {
    const auto store = datastore::open(path("crashed"), told(2));
    EXPECT_EQ(store->epoch(), 2u);
    expect_pattern(*store, 2);
  }
  EXPECT_EQ(datastore::open(path("crashed"))->epoch(), 2u);
}

TEST_F(a_prepared_checkpoint, is_gone_by_verdict) {
  {
    const auto store = first();
    write(*store, 2);
    put(*store, 900, 9);
    const auto prepared = store->prepare();
    left_by_a_crash();
  }
  {
    const auto store = datastore::open(path("crashed"), told(1));
    EXPECT_EQ(store->epoch(), 1u);
    expect_pattern(*store, 1);
    EXPECT_TRUE(has(*store, 900, 0));
  }
  // For good: the verdict need not be said again.
  const auto store = datastore::open(path("crashed"));
  EXPECT_EQ(store->epoch(), 1u);
  write(*store, 3);
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 2u);
}

TEST_F(a_prepared_checkpoint, cannot_be_unmade_by_a_verdict_once_it_is_decided_on) {
  first()->close();
  {
    const auto store = datastore::open(path());
    write(*store, 2);
    store->prepare()->decide();
  }
  for (const auto& open : {&datastore::open, &datastore::open_read_only})
    EXPECT_TRUE(fails_with(errc::conflict, "decided on checkpoint 2", [&] { open(path(), told(1)); }));
  EXPECT_EQ(datastore::open(path(), told(2))->epoch(), 2u);
  EXPECT_EQ(datastore::open(path(), told(7))->epoch(), 2u);
}

TEST_F(a_prepared_checkpoint, is_undecided_while_the_decision_is_torn) {
  const auto store = first();
  write(*store, 2);
  const auto prepared = store->prepare();
  const std::filesystem::path journal = left_by_a_crash() / "jrnl.0";
  const auto end = std::filesystem::file_size(journal);
  // As long as a decision is, and none: behind what was prepared, at the next multiple of the block.
  std::filesystem::resize_file(journal, (end / store::layout::block + 2) * store::layout::block);
  EXPECT_TRUE(fails_with(errc::undecided, "", [&] { datastore::open(path("crashed")); }));
  EXPECT_EQ(datastore::open(path("crashed"), told(2))->epoch(), 2u);
}

TEST_F(a_prepared_checkpoint, that_counts_and_is_damaged_is_missed) {
  const auto store = first();
  write(*store, 2);
  const auto prepared = store->prepare();
  std::fstream journal(left_by_a_crash() / "jrnl.0", std::ios::in | std::ios::out | std::ios::binary);
  journal.seekp(static_cast<std::streamoff>(store::layout::block + 100));
  journal.put('x').flush();
  ASSERT_TRUE(journal.good());
  const auto open = [&](std::uint64_t last) { return datastore::open(path("crashed"), told(last)); };
  EXPECT_TRUE(fails_with(errc::damaged, "has lost prepared checkpoint 2", [&] { open(2); }));
  EXPECT_EQ(open(1)->epoch(), 1u);
}

TEST_F(a_prepared_checkpoint, keeps_other_changes_of_the_store_out) {
  const auto store = first();
  write(*store, 2);
  const auto prepared = store->prepare();
  const std::string what = "must be decided on or abandoned first";
  EXPECT_TRUE(fails_with(errc::invalid_argument, what, [&] { store->checkpoint(); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, what, [&] { store->prepare(); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, what, [&] { store->trim(); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, what, [&] { store->snapshot(path("copy")); }));
  std::atomic<bool> is_done{false};
  std::thread other([&] {
    store->checkpoint({}, "three");
    is_done = true;
  });
  EXPECT_FALSE(is_done.load());
  prepared->decide();
  other.join();
  EXPECT_EQ(store->epoch(), 3u);
}

TEST_F(a_prepared_checkpoint, is_decided_on_once) {
  const auto store = first();
  write(*store, 2);
  const auto prepared = store->prepare();
  prepared->decide();
  prepared->leave();
  prepared->abandon();
  EXPECT_EQ(store->epoch(), 2u);
  write(*store, 3);
  store->checkpoint();
  EXPECT_EQ(store->epoch(), 3u);
}

TEST_F(a_prepared_checkpoint, has_nothing_that_is_copied_in_afterwards) {
  const auto store = first();
  if (store->tracker() == "pager")
    GTEST_SKIP() << "no room can be made for these bytes while one is prepared";
  if (store->tracker() == "pagemap") GTEST_SKIP() << "programs wait with this page tracker";
  const std::vector<std::byte> bytes(2 * mib, std::byte{5});
  {
    const auto prepared = store->prepare();
    store->copy_in(store->memory().base(), bytes);
    prepared->abandon();
  }
  EXPECT_EQ(std::memcmp(store->memory().base(), bytes.data(), bytes.size()), 0);
  store->checkpoint();
  EXPECT_EQ(std::memcmp(store->memory().base(), bytes.data(), bytes.size()), 0);
}

TEST_F(a_prepared_checkpoint, keeps_nobody_from_looking_at_the_store) {
  const auto store = first();
  const auto prepared = store->prepare();
  EXPECT_EQ(store->info().epoch, 1u);
  EXPECT_EQ(store->info().applied_epoch, 1u);
  store->wait_applied();
  prepared->decide();
  EXPECT_EQ(store->info().epoch, 2u);
}

TEST_F(a_prepared_checkpoint, that_fails_is_not_prepared) {
  const auto store = first();
  // Of home, which has new pages, and of the journal.
  for (int which = 1; which <= 2; ++which) {
    store->memory().grow(store->memory().size() + 2 * mib);
    const std::uint64_t last = store->memory().size() / page_size - 1;
    write(*store, 1 + static_cast<std::uint64_t>(which));
    put(*store, last, 9);
    store->wait_applied();
    {
      call_counter calls;
      calls.fail_sync(which);
      EXPECT_TRUE(fails_with(errc::io, "", [&] { store->prepare(); })) << which;
    }
    EXPECT_EQ(store->epoch(), static_cast<std::uint64_t>(which));
    EXPECT_EQ(store_maintenance::inspect(path()).undecided_epoch, 0u);
    store->checkpoint();
    EXPECT_TRUE(has(*store, last, 9));
  }
  expect_pattern(*store, 3);
}

// Prepares pattern 2 as checkpoint 2 and has the sync of its decision fail.
class a_decision_that_fails : public a_prepared_checkpoint {
 protected:
  a_decision_that_fails() : store_(first()) {
    write(*store_, 2);
    store_->wait_applied();
    prepared_ = store_->prepare();
    call_counter calls;
    calls.fail_sync(1);
    EXPECT_TRUE(fails_with(errc::io, "", [&] { prepared_->decide(); }));
    EXPECT_EQ(store_->epoch(), 1u);
  }

  std::unique_ptr<datastore> store_;
  std::unique_ptr<prepared_checkpoint> prepared_;
};

TEST_F(a_decision_that_fails, can_be_made_again) {
  prepared_->decide();
  EXPECT_EQ(store_->epoch(), 2u);
  prepared_.reset();
  store_->close();
  const auto store = datastore::open(path());
  EXPECT_EQ(store->epoch(), 2u);
  expect_pattern(*store, 2);
}

// Nobody here knows what was decided, as where the process that decides does not answer.
TEST_F(a_prepared_checkpoint, is_left_to_the_next_opening) {
  for (const std::uint64_t decided : {2, 1}) {
    const auto store = decided == 2 ? first() : datastore::open(path());
    const std::uint64_t before = store->epoch();
    write(*store, before + 5);
    const auto prepared = store->prepare();
    prepared->leave();
    prepared->abandon();
    EXPECT_TRUE(fails_with(errc::invalid_argument, "decided or abandoned", [&] { prepared->decide(); }));
    EXPECT_TRUE(fails_with(errc::undecided, "reopen the store", [&] { store->checkpoint(); }));
    write(*store, 99);
    store->close();
    EXPECT_EQ(store_maintenance::inspect(path()).undecided_epoch, before + 1);
    const std::uint64_t last = decided == 2 ? before + 1 : before;
    const auto reopened = datastore::open(path(), told(last));
    EXPECT_EQ(reopened->epoch(), last);
    expect_pattern(*reopened, decided == 2 ? before + 5 : before + 4);
  }
}

// With page trackers that see private copies a page is written once more for each copy that is kept.
TEST_F(a_decision_that_fails, leaves_no_page_changed_when_it_is_made_again) {
  prepared_->decide();
  store_->wait_applied();
  put(*store_, 0, 3);
  const call_counter calls;
  store_->checkpoint();
  EXPECT_LT(calls.counted().bytes, 50 * page_size);
  store_->wait_applied();
}

TEST_F(a_decision_that_fails, can_be_another) {
  prepared_->abandon();
  EXPECT_EQ(store_maintenance::inspect(path()).undecided_epoch, 0u);
  EXPECT_EQ(store_maintenance::inspect(path()).epoch, 1u);
  store_->checkpoint();
  EXPECT_EQ(store_->epoch(), 2u);
}

// Of several stores the others may have been told by now that it counts.
TEST_F(a_decision_that_fails, is_left_to_the_next_opening) {
  prepared_.reset();
  EXPECT_TRUE(
      fails_with(errc::undecided, "reopen the store with what was decided", [&] { store_->checkpoint(); }));
  EXPECT_TRUE(fails_with(errc::undecided, "", [&] { store_->prepare(); }));
  store_->close();
  const auto store = datastore::open(path(), told(2));
  EXPECT_EQ(store->epoch(), 2u);
  expect_pattern(*store, 2);
}

TEST_F(a_decision_that_fails, is_left_to_the_next_opening_when_the_store_is_closed) {
  store_->close();
  const auto store = datastore::open(path(), told(2));
  EXPECT_EQ(store->epoch(), 2u);
}

TEST_F(a_prepared_checkpoint, costs_one_write_and_one_sync_more) {
  const auto store = first();
  const auto cost_of = [&](std::uint64_t number, auto&& checkpoint) {
    write(*store, number);
    store->wait_applied();
    const call_counter calls;
    checkpoint();
    store->wait_applied();
    return calls.counted();
  };
  cost_of(2, [&] { store->checkpoint(); });
  const call_counter::totals at_once = cost_of(3, [&] { store->checkpoint(); });
  const call_counter::totals in_two = cost_of(4, [&] { store->prepare()->decide(); });
  EXPECT_EQ(in_two.syncs, at_once.syncs + 1);
  EXPECT_EQ(in_two.bytes, at_once.bytes + store::layout::block);
}

TEST_F(a_prepared_checkpoint, is_nothing_to_a_forked_child) {
  const auto store = first();
  write(*store, 2);
  auto prepared = store->prepare();
  EXPECT_TRUE(in_another_process([&] {
    const bool is_refused = code_of([&] { prepared->decide(); }) == errc::invalid_argument;
    prepared.reset();
    return is_refused ? 0 : 1;
  }));
  prepared->decide();
  EXPECT_EQ(store->epoch(), 2u);
}

// Makes syncs take their time, and tells when the first has begun.
class slow_sync final : public os::file_observer {
 public:
  slow_sync() { os::observe_files(this); }
  ~slow_sync() override { os::observe_files(nullptr); }
  void wait_until_it_has_begun() const { has_begun_.wait(false); }

  verdict before(const os::file_call& call) override {
    if (call.operation != os::file_operation::sync_data) return {};
    has_begun_ = true;
    has_begun_.notify_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return {};
  }
  void after(const os::file_call&, std::int64_t, int) override {}

 private:
  std::atomic<bool> has_begun_{false};
};

TEST_F(a_prepared_checkpoint, is_decided_on_before_another_thread_closes_the_store) {
  {
    const auto store = first();
    write(*store, 2);
    store->wait_applied();
    const auto prepared = store->prepare();
    const slow_sync calls;
    std::thread other([&] {
      calls.wait_until_it_has_begun();
      store->close();
    });
    EXPECT_NO_THROW(prepared->decide());
    other.join();
  }
  EXPECT_EQ(datastore::open(path())->epoch(), 2u);
}

// Its files are the parent's.
TEST_F(a_prepared_checkpoint, cannot_be_abandoned_by_a_forked_child) {
  const auto store = first();
  write(*store, 2);
  const auto prepared = store->prepare();
  EXPECT_TRUE(in_another_process([&] {
    prepared->abandon();
    return 0;
  }));
  EXPECT_EQ(store_maintenance::inspect(path()).undecided_epoch, 2u);
}

TEST_F(a_prepared_checkpoint, is_none_while_it_is_not_whole) {
  const auto store = first();
  write(*store, 2);
  const auto prepared = store->prepare();
  const std::filesystem::path journal = left_by_a_crash() / "jrnl.0";
  std::fstream file(journal, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(store::layout::block + 100));
  file.put('x');
  file.close();
  EXPECT_EQ(store_maintenance::inspect(path("crashed")).undecided_epoch, 0u);
  EXPECT_EQ(datastore::open(path("crashed"))->epoch(), 1u);
}

TEST_F(a_prepared_checkpoint, is_not_for_readers) {
  first()->close();
  const auto store = datastore::open_read_only(path());
  EXPECT_TRUE(fails_with(errc::read_only, "open for reading", [&] { store->prepare(); }));
}

// Of what is written next, as if the disk were full: what has no space yet gets none.
class full_disk final : public os::file_observer {
 public:
  full_disk() { os::observe_files(this); }
  ~full_disk() override { os::observe_files(nullptr); }
  void is_full_now() { checks_ = true; }

  verdict before(const os::file_call& call) override {
    if (call.operation != os::file_operation::write || !checks_.exchange(false)) return {};
    struct stat status {};
    ::fstat(call.descriptor, &status);
    const std::uint64_t end = call.offset + call.bytes;
    const bool has_space = end <= static_cast<std::uint64_t>(status.st_size) ||
                           (call.descriptor == descriptor_ && call.offset >= from_ && end <= to_);
    return {has_space ? 0 : ENOSPC};
  }
  void after(const os::file_call& call, std::int64_t result, int) override {
    if (call.operation != os::file_operation::reserve_space || result != 0) return;
    descriptor_ = call.descriptor;
    from_ = call.offset;
    to_ = call.offset + call.bytes;
  }

 private:
  std::atomic<bool> checks_{false};
  std::atomic<int> descriptor_{-1};
  std::atomic<std::uint64_t> from_{0};
  std::atomic<std::uint64_t> to_{0};
};

TEST_F(a_prepared_checkpoint, has_space_for_its_decision) {
  const auto store = first();
  write(*store, 2);
  store->wait_applied();
  full_disk disk;
  const auto prepared = store->prepare();
  disk.is_full_now();
  prepared->decide();
  EXPECT_EQ(store->epoch(), 2u);
  store->wait_applied();
}

TEST_F(a_prepared_checkpoint, is_refused_where_pages_are_durable_before_it) {
  store_options options = small_store();
  options.backing = backing::shared_file;
  const auto store = datastore::create(path(), options);
  EXPECT_TRUE(fails_with(errc::unsupported, "cannot prepare", [&] { store->prepare(); }));
}

}  // namespace
}  // namespace perdure
