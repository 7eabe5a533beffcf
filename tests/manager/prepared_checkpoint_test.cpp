// Checkpoints of managers in two phases.
#include <gtest/gtest.h>

#include <perdure/container/vector.hpp>
#include <perdure/manager.hpp>
#include <thread>

#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

class prepared_by_manager : public testing::Test {
 protected:
  int value_in_store() const {
    const manager store(open_read_only, scratch.path());
    return *store.find<int>("value").first;
  }
  scratch_directory scratch;
};

TEST_F(prepared_by_manager, counts_once_it_is_decided) {
  {
    manager store(create_only, scratch.path(), small_store());
    int& value = *store.construct<int>("value")(1);
    store.checkpoint();
    value = 2;
    const auto prepared = store.prepare("second");
    EXPECT_EQ(prepared->epoch(), store.store().epoch() + 1);
    // The program goes on meanwhile, as do threads that allocate.
    value = 3;
    std::jthread([&] { store.construct<vector<int>>("more")(100, 7); }).join();
    EXPECT_EQ(code_of([&] { store.checkpoint(); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { store.close(); }), errc::invalid_argument);
    prepared->decide();
  }
  EXPECT_EQ(value_in_store(), 3);
}

TEST_F(prepared_by_manager, has_what_was_there_when_it_was_prepared) {
  {
    manager store(create_only, scratch.path(), small_store());
    int& value = *store.construct<int>("value")(1);
    store.checkpoint();
    value = 2;
    {
      const auto prepared = store.prepare();
      value = 3;
      store.construct<int>("later")(4);
      prepared->decide();
    }
    store.discard();
  }
  EXPECT_EQ(value_in_store(), 2);
  const manager store(open_only, scratch.path());
  EXPECT_EQ(store.find<int>("later").first, nullptr);
  EXPECT_TRUE(store.check().empty());
}

TEST_F(prepared_by_manager, leaves_its_pages_to_the_next_if_it_is_abandoned) {
  manager store(create_only, scratch.path(), small_store());
  int& value = *store.construct<int>("value")(1);
  store.checkpoint();
  value = 2;
  store.prepare()->abandon();
  store.prepare();  // and nobody says anything
  store.checkpoint();
  store.discard();
  EXPECT_EQ(value_in_store(), 2);
}

}  // namespace
}  // namespace perdure
