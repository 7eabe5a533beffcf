// Arrays stored in the background: what the handle tells, and who waits for it.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <perdure/array_store.hpp>
#include <perdure/manager.hpp>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "array/busy_worker.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

std::vector<double> numbers(std::size_t size, double from) {
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), from);
  return values;
}

class a_pending_store : public testing::Test {
 protected:
  array_store create() { return array_store(create_only, scratch.path(), small_store()); }
  std::vector<double> stored(const std::string& id) const {
    return array_store(open_read_only, scratch.path()).load<std::vector<double>>(id);
  }

  scratch_directory scratch;
};

TEST_F(a_pending_store, StoresWhatStoreDoes) {
  auto arrays = create();
  const std::vector<double> values = numbers(60'000, 1);
  const array_view<const double, 2> table(values.data(), {200, 300});
  std::vector<pending_store> pending;
  for (const array_layout layout : {array_layout::blocks, array_layout::contiguous, array_layout::chunked})
    pending.push_back(arrays.store_async(std::string(to_string(layout)), table,
                                         {.layout = layout, .dimensions = {"y", "x"}}));
  pending.push_back(arrays.store_async("range", values));
  pending.push_back(arrays.store_async("span", std::span(values).first(10)));
  for (const pending_store& one : pending) EXPECT_NO_THROW(one.wait());
  for (const array_layout layout : {array_layout::blocks, array_layout::contiguous, array_layout::chunked}) {
    const std::string id(to_string(layout));
    EXPECT_TRUE(arrays.load<std::vector<double>>(id) == values);
    EXPECT_EQ(arrays.dims(id), (extents{200, 300}));
    EXPECT_EQ(arrays.info(id).layout, layout);
    EXPECT_EQ(arrays.info(id).dimensions, (std::vector<std::string>{"y", "x"}));
  }
  EXPECT_TRUE(arrays.load<std::vector<double>>("range") == values);
  EXPECT_EQ(arrays.load<std::vector<double>>("span"), numbers(10, 1));
}

TEST_F(a_pending_store, WritesParts) {
  auto arrays = create();
  auto field = arrays.create<double>("field", {4, 100});
  const std::vector<double> row = numbers(100, 5);
  pending_store first = field.write_async({{1, 0}, {1, 100}}, row);
  pending_store second =
      field.write_async({{3, 0}, {1, 50}, {1, 2}}, array_view<const double, 1>(row.data(), {50}));
  first.wait();
  second.wait();
  EXPECT_EQ(field.read<double>({{1, 0}, {1, 100}}), row);
  EXPECT_EQ(field.read<double>({{3, 0}, {1, 4}}), (std::vector<double>{5, 0, 6, 0}));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "not inside", [&] {
    field.write_async({{4, 0}, {1, 100}}, row).wait();
  }));
}

TEST_F(a_pending_store, OfNothingIsReady) {
  pending_store none;
  EXPECT_TRUE(none.ready());
  EXPECT_NO_THROW(none.wait());
  EXPECT_EQ(none.error(), nullptr);
}

TEST_F(a_pending_store, LeavesTheOldArrayToReadersUntilItEnds) {
  auto arrays = create();
  arrays.store("t", numbers(5, 0));
  const std::vector<double> values = numbers(7, 100);
  std::optional<busy_worker> busy(std::in_place, *arrays.untyped());
  const pending_store pending = arrays.store_async("t", values);
  EXPECT_FALSE(pending.ready());
  EXPECT_EQ(arrays.load<std::vector<double>>("t"), numbers(5, 0));
  busy->release();
  pending.wait();
  EXPECT_TRUE(pending.ready());
  EXPECT_EQ(arrays.load<std::vector<double>>("t"), values);
}

TEST_F(a_pending_store, IsFollowedByLaterChangesOfItsArray) {
  auto arrays = create();
  std::vector<std::vector<double>> steps;
  for (int i = 0; i < 20; ++i) steps.push_back(numbers(100, i));
  std::vector<pending_store> pending;
  {
    busy_worker busy(*arrays.untyped());
    for (const std::vector<double>& step : steps) pending.push_back(arrays.store_async("t", step));
    busy.release_soon();
    arrays.array("t").set_attribute("units", "K");  // waits until there is such an array
    EXPECT_EQ(arrays.load<std::vector<double>>("t"), steps.back());
  }
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { arrays.store("t", numbers(3, 7)); }, [&] { arrays.array("t").resize({3}); },
           [&] {
             arrays.array("t").write({{0}, {1}}, numbers(1, 7));
           },
           [&] { arrays.array("t").append(numbers(1, 7)); }, [&] { arrays.erase("t"); },
           [&] { arrays.create<double>("t", {3}, {.replaces_any = true}); },
           [&] { arrays.array("t").remove_attribute("units"); }}) {
    busy_worker busy(*arrays.untyped());
    const pending_store one = arrays.store_async("t", steps.front());
    busy.release_soon();
    try {
      change();
    } catch (const error&) {
      // It has been created.
    }
    EXPECT_TRUE(one.ready());
  }
}

TEST_F(a_pending_store, IsInTheCheckpointsAfterItBegan) {
  const std::vector<double> values = numbers(100'000, 3);
  auto arrays = create();
  arrays.store("t", numbers(2, 0));
  arrays.checkpoint();
  {
    busy_worker busy(*arrays.untyped());
    const pending_store pending = arrays.store_async("t", values);
    busy.release_soon();
    arrays.checkpoint();
    EXPECT_TRUE(pending.ready());
  }
  arrays.discard();
  EXPECT_TRUE(stored("t") == values);
}

TEST_F(a_pending_store, IsInTheCheckpointThatClosesItsStore) {
  const std::vector<double> values = numbers(1000, 3);
  auto arrays = create();
  pending_store pending;
  {
    busy_worker busy(*arrays.untyped());
    pending = arrays.store_async("t", values);
    busy.release_soon();
    arrays.close();
  }
  EXPECT_TRUE(pending.ready());
  EXPECT_NO_THROW(pending.wait());
  EXPECT_EQ(stored("t"), values);
  EXPECT_TRUE(fails_with(errc::invalid_argument, "closed", [&] { arrays.store_async("t", values).wait(); }));
}

TEST_F(a_pending_store, IsInAPreparedCheckpoint) {
  const std::vector<double> values = numbers(1000, 3);
  {
    manager store(create_only, scratch.path(), small_store());
    array_store arrays(store);
    busy_worker busy(*arrays.untyped());
    const pending_store pending = arrays.store_async("t", values);
    busy.release_soon();
    store.prepare()->decide();
    EXPECT_TRUE(pending.ready());
    store.discard();
  }
  EXPECT_EQ(stored("t"), values);
}

TEST_F(a_pending_store, EndsBeforeAStoreThatIsDiscarded) {
  auto arrays = create();
  arrays.store("t", numbers(2, 0));
  arrays.checkpoint();
  const std::vector<double> values = numbers(100'000, 3);
  std::vector<pending_store> pending;
  for (int i = 0; i < 5; ++i) pending.push_back(arrays.store_async("t", values));
  arrays.discard();
  for (const pending_store& one : pending) {
    EXPECT_TRUE(one.ready());
    // One that had not begun to be made says so.
    const errc code = code_of([&] { one.wait(); });
    EXPECT_TRUE(code == errc::ok || code == errc::invalid_argument) << to_string(code);
  }
  EXPECT_EQ(stored("t"), numbers(2, 0));
}

TEST_F(a_pending_store, ThrowsWhatWentWrongEachTime) {
  auto arrays = create();
  arrays.store("t", numbers(5, 0));
  const std::vector<int> other{1, 2, 3};
  const pending_store pending = arrays.store_async("t", other);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(fails_with(errc::wrong_type, "\"t\"", [&] { pending.wait(); }));
  EXPECT_NE(pending.error(), nullptr);
  EXPECT_EQ(arrays.load<std::vector<double>>("t"), numbers(5, 0));
  EXPECT_NO_THROW(arrays.checkpoint());
}

TEST_F(a_pending_store, StaysWhatItIsWhereItIsMovedToItself) {
  auto arrays = create();
  arrays.store("t", numbers(5, 0));
  const std::vector<int> other{1, 2, 3};
  pending_store pending = arrays.store_async("t", other);
  pending_store& same = pending;
  pending = std::move(same);
  EXPECT_TRUE(fails_with(errc::wrong_type, "\"t\"", [&] { pending.wait(); }));
}

TEST_F(a_pending_store, LeavesNoThreadBehind) {
  const auto threads = [] {
    const std::filesystem::directory_iterator all("/proc/self/task");
    return std::distance(begin(all), end(all));
  };
  const auto before = threads();
  {
    auto arrays = create();
    const std::vector<double> values = numbers(5, 0);
    arrays.store_async("t", values).wait();
    arrays.close();
  }
  EXPECT_EQ(threads(), before);
}

TEST_F(a_pending_store, ThatFailsUnnoticedFailsTheNextCheckpoint) {
  auto arrays = create();
  arrays.store("t", numbers(5, 0));
  arrays.checkpoint();
  const std::vector<int> other{1, 2, 3};
  const std::vector<double> good = numbers(5, 10);
  { const pending_store dropped = arrays.store_async("t", other); }
  const pending_store kept = arrays.store_async("t", other);
  const pending_store after = arrays.store_async("t", good);
  EXPECT_TRUE(
      fails_with(errc::wrong_type, "\"t\" was not stored in the background", [&] { arrays.checkpoint(); }));
  EXPECT_NO_THROW(arrays.checkpoint());
  EXPECT_TRUE(fails_with(errc::wrong_type, "", [&] { kept.wait(); }));
  EXPECT_NO_THROW(after.wait());
  { const pending_store dropped = arrays.store_async("t", other); }
  EXPECT_TRUE(fails_with(errc::wrong_type, "", [&] { arrays.close(); }));
  EXPECT_NO_THROW(arrays.close());
  EXPECT_EQ(stored("t"), good);
}

TEST_F(a_pending_store, IsWaitedForByItsDestructor) {
  auto arrays = create();
  auto values = std::make_unique<std::vector<double>>(numbers(200'000, 1));
  {
    busy_worker busy(*arrays.untyped());
    {
      const pending_store pending = arrays.store_async("t", *values);
      busy.release_soon();
    }
    EXPECT_TRUE(arrays.load<std::vector<double>>("t") == *values);
    pending_store one = arrays.store_async("t", *values);
    one = pending_store();
    values.reset();
  }
  EXPECT_TRUE(arrays.load<std::vector<double>>("t") == numbers(200'000, 1));
}

TEST_F(a_pending_store, IsNeitherBegunNorWaitedForInsideAGuard) {
  manager store(create_only, scratch.path(), small_store());
  array_store arrays(store);
  const std::vector<double> values = numbers(10, 1);
  pending_store pending;
  {
    busy_worker busy(*arrays.untyped());
    pending = arrays.store_async("t", values);
    {
      const write_guard guard = store.writing();
      for (const std::function<void()>& act :
           std::vector<std::function<void()>>{[&] { arrays.store_async("u", values).wait(); },
                                              [&] { pending.wait(); }, [&] { arrays.store("t", values); }})
        EXPECT_TRUE(fails_with(errc::invalid_argument, "inside a write_guard", act));
      EXPECT_NO_THROW(arrays.store("u", values));
      EXPECT_FALSE(pending.ready());
    }
    busy.release();
    pending.wait();
  }
  const write_guard guard = store.writing();
  EXPECT_NO_THROW(pending.wait());
}

TEST_F(a_pending_store, NeedsAStoreThatIsOpenForWriting) {
  const std::vector<double> values = numbers(10, 1);
  {
    auto arrays = create();
    arrays.store("t", values);
    arrays.close();
  }
  array_store arrays(open_read_only, scratch.path());
  EXPECT_EQ(code_of([&] { arrays.store_async("t", values).wait(); }), errc::read_only);
  EXPECT_EQ(code_of([&] { arrays.array("t").write_async({{0}, {10}}, values).wait(); }), errc::read_only);
}

TEST_F(a_pending_store, IsItsParentsInAForkedChild) {
  std::optional<manager> store(std::in_place, create_only, scratch.path(), small_store());
  array_store arrays(*store);
  const std::vector<double> values = numbers(10, 1);
  busy_worker busy(*arrays.untyped());
  std::optional<pending_store> pending(arrays.store_async("t", values));
  EXPECT_TRUE(in_another_process([&] {
    const bool refused = code_of([&] { pending->wait(); }) == errc::invalid_argument &&
                         code_of([&] { static_cast<void>(pending->ready()); }) == errc::invalid_argument &&
                         code_of([&] { arrays.store_async("u", values).wait(); }) == errc::invalid_argument;
    pending.reset();
    store.reset();
    return refused ? 0 : 1;
  }));
  busy.release();
  EXPECT_NO_THROW(pending->wait());
  EXPECT_EQ(arrays.load<std::vector<double>>("t"), values);
  pending.reset();
  store.reset();
}

TEST_F(a_pending_store, GoesOnBesideCheckpointsAndOtherThreads) {
  auto arrays = create();
  constexpr int threads = 3;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&arrays, t] {
      const std::string id = "x" + std::to_string(t);
      for (int step = 0; step < 20; ++step) {
        const std::vector<double> values = numbers(20'000, step);
        arrays.store_async(id, values, {.layout = array_layout::chunked, .chunk = {5000}}).wait();
        if (step % 5 == t) arrays.checkpoint();
      }
    });
  for (std::thread& one : all) one.join();
  arrays.close();
  for (int t = 0; t < threads; ++t) EXPECT_TRUE(stored("x" + std::to_string(t)) == numbers(20'000, 19));
  EXPECT_TRUE(manager::verify(scratch.path()).whole());
}

}  // namespace
}  // namespace perdure
