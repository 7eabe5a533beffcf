// Checkpoints that become durable while the program goes on.
#include <atomic>
#include <cerrno>
#include <perdure/perdure.hpp>
#include <random>
#include <vector>

#include "os/file_observer.hpp"
#include "segment/segment.hpp"
#include "store/tested_backing.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

// Makes the next syncs fail, or holds them until told to go on.
class sync_gate final : public os::file_observer {
 public:
  sync_gate() { os::observe_files(this); }
  ~sync_gate() override { os::observe_files(nullptr); }

  void fail_next(int count) { failures_ = count; }
  void hold() { held_ = true; }
  void let_go() {
    held_ = false;
    held_.notify_all();
  }

  verdict before(const os::file_call& call) override {
    if (call.operation != os::file_operation::sync_data) return {};
    held_.wait(true);
    if (failures_.load() > 0 && failures_.fetch_sub(1) > 0) return {EIO};
    return {};
  }
  void after(const os::file_call&, std::int64_t, int) override {}

 private:
  std::atomic<int> failures_{0};
  std::atomic<bool> held_{false};
};

class an_asynchronous_checkpoint : public scratch_test {
 protected:
  // Where checkpoints cannot be but synchronous, a test that holds one up would wait for itself.
  static bool goes_on(datastore& store) {
    return store.tracker() != "pagemap" && !tested::in_persistent_memory();
  }
};

TEST_F(an_asynchronous_checkpoint, holds_what_there_was_at_the_call) {
  {
    const auto store = tested::create(path(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < 600; ++page) put(*store, page, 1);
    const pending_checkpoint first = store->checkpoint_async();
    for (std::uint64_t page = 0; page < 600; ++page) put(*store, page, 2);
    EXPECT_EQ(first.epoch(), 1u);
    const pending_checkpoint second = store->checkpoint_async();
    for (std::uint64_t page = 0; page < 600; ++page) put(*store, page, 3);
    second.wait();
    EXPECT_TRUE(second.ready());
    EXPECT_EQ(second.error(), nullptr);
    EXPECT_EQ(store->epoch(), 2u);
  }
  const auto store = tested::open(path());
  EXPECT_EQ(store->epoch(), 2u);
  for (std::uint64_t page = 0; page < 600; ++page) ASSERT_TRUE(has(*store, page, 2));
}

TEST_F(an_asynchronous_checkpoint, returns_before_it_is_durable) {
  const auto store = tested::create(path(), small_store());
  if (!goes_on(*store)) GTEST_SKIP() << "synchronous with this page tracker";
  store->memory().grow(4 * mib);
  put(*store, 1, 1);
  sync_gate gate;
  gate.hold();
  const pending_checkpoint handle = store->checkpoint_async();
  EXPECT_FALSE(handle.ready());
  EXPECT_EQ(store->epoch(), 0u);
  put(*store, 1, 2);
  gate.let_go();
  EXPECT_EQ(handle.epoch(), 1u);
  EXPECT_EQ(store->epoch(), 1u);
  store->close();
}

TEST_F(an_asynchronous_checkpoint, of_nothing_is_ready_at_once) {
  const auto store = tested::create(path(), small_store());
  store->memory().grow(2 * mib);
  put(*store, 0, 1);
  store->checkpoint();
  const pending_checkpoint handle = store->checkpoint_async();
  EXPECT_TRUE(handle.ready());
  EXPECT_EQ(handle.epoch(), 1u);
}

TEST_F(an_asynchronous_checkpoint, is_waited_for_when_the_store_closes) {
  auto store = tested::create(path(), small_store());
  store->memory().grow(2 * mib);
  put(*store, 3, 7);
  const pending_checkpoint handle = store->checkpoint_async();
  store.reset();
  EXPECT_TRUE(handle.ready());
  EXPECT_EQ(handle.epoch(), 1u);
  EXPECT_TRUE(has(*tested::open(path()), 3, 7));
}

TEST_F(an_asynchronous_checkpoint, that_failed_says_so_and_the_next_has_its_pages) {
  auto store = tested::create(path(), small_store());
  store->memory().grow(4 * mib);
  for (std::uint64_t page = 0; page < 8; ++page) put(*store, page, 1);
  store->checkpoint();
  store->wait_applied();
  for (std::uint64_t page = 0; page < 8; ++page) put(*store, page, 2);
  put(*store, 700, 2);
  const std::vector<detail::page_run> released{{900, 3}};
  {
    sync_gate gate;
    gate.fail_next(1);
    const pending_checkpoint handle = store->checkpoint_async(released);
    for (int twice = 0; twice < 2; ++twice) {
      EXPECT_TRUE(fails_with(errc::io, "checkpoint", [&] { handle.wait(); }));
      EXPECT_TRUE(fails_with(errc::io, "checkpoint", [&] { static_cast<void>(handle.epoch()); }));
    }
    EXPECT_TRUE(handle.ready());
    EXPECT_NE(handle.error(), nullptr);
    EXPECT_EQ(store->epoch(), 1u);
    put(*store, 3, 3);
    store->checkpoint_async().wait();
    store->wait_applied();
  }
  store.reset();
  store = tested::open(path());
  EXPECT_EQ(store->epoch(), 2u);
  for (std::uint64_t page = 0; page < 8; ++page) EXPECT_TRUE(has(*store, page, page == 3 ? 3 : 2));
  EXPECT_TRUE(has(*store, 700, 2));
}

TEST_F(an_asynchronous_checkpoint, that_failed_leaves_the_one_before_in_force) {
  auto store = tested::create(path(), small_store());
  store->memory().grow(4 * mib);
  put(*store, 5, 1);
  store->checkpoint();
  store->wait_applied();
  put(*store, 5, 2);
  store->memory().grow(8 * mib);
  put(*store, 1500, 2);
  {
    sync_gate gate;
    gate.fail_next(1);
    EXPECT_NE(store->checkpoint_async().error(), nullptr);
  }
  store.reset();
  store = tested::open(path());
  EXPECT_EQ(store->memory().size(), 4 * mib);
  EXPECT_TRUE(has(*store, 5, 1));
}

TEST_F(an_asynchronous_checkpoint, takes_a_label_and_can_be_kept) {
  const auto store = tested::create(path(), small_store());
  store->memory().grow(2 * mib);
  put(*store, 0, 1);
  store->checkpoint_async({}, "monday").wait();
  store->wait_applied();
  store->close();
  const auto log = store_maintenance::log(path());
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].label, "monday");
}

// Pages change all the time between the calls; what each checkpoint was called on must be what is found.
TEST_F(an_asynchronous_checkpoint, keeps_epochs_apart_under_constant_change) {
  constexpr std::uint64_t pages = 2000;
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> now(pages, 0);
  std::vector<std::uint64_t> at_call;
  auto store = tested::create(path(), small_store());
  store->memory().grow(pages * page_size);
  const auto change = [&] {
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t page = random() % pages;
      now[page] = random() % 4 == 0 ? 0 : 1 + random() % 1000;
      put(*store, page, now[page]);
    }
  };
  for (int round = 0; round < 40; ++round) {
    change();
    const pending_checkpoint handle = store->checkpoint_async();
    at_call = now;
    change();
    if (round % 3 == 0) handle.wait();
    if (round % 8 != 7) continue;
    store.reset();
    store = tested::open(path());
    now = at_call;
    for (std::uint64_t page = 0; page < pages; ++page) ASSERT_TRUE(has(*store, page, now[page]));
  }
}

TEST_F(an_asynchronous_checkpoint, keeps_objects_as_they_were) {
  {
    manager store(create_only, path());
    auto& numbers = *store.construct<vector<int>>("numbers")();
    for (int i = 0; i < 10000; ++i) numbers.push_back(i);
    const pending_checkpoint handle = store.checkpoint_async();
    for (int i = 0; i < 10000; ++i) numbers.push_back(-1);
    store.construct<int>("late")(1);
    handle.wait();
    store.discard();
  }
  const manager store(open_read_only, path());
  const auto& numbers = *store.find<vector<int>>("numbers").first;
  ASSERT_EQ(numbers.size(), 10000u);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(numbers[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(store.find<int>("late").first, nullptr);
  EXPECT_TRUE(store.check().empty());
}

}  // namespace
}  // namespace perdure
