// When ordinary memory runs out: every function says so, none throws, and the store stays sound.
#include <functional>

#include "c/c_store.hpp"
#include "support/failing_allocation.hpp"

namespace perdure::c {
namespace {

struct out_of_memory_test : c_store_test {
  /// Calls with no allocation allowed, then one, two, … until the call succeeds. Returns how often it failed.
  long failures_of(const std::function<perdure_status()>& call) {
    for (long allowed = 0; allowed < 10'000; ++allowed) {
      const perdure_status status = [&] {
        const failing_allocation after(allowed);
        return call();
      }();
      if (status == PERDURE_OK) return allowed;
      EXPECT_EQ(status, PERDURE_OUT_OF_MEMORY) << allowed << ": " << perdure_last_error_message();
      if (store != nullptr) {
        EXPECT_OK(perdure_store_check(store, nullptr));
      }
    }
    ADD_FAILURE() << "never succeeded";
    return 0;
  }
};

TEST_F(out_of_memory_test, ListsAreNotMade) {
  void* data = nullptr;
  ASSERT_OK(
      perdure_data_create(store, "a name that is too long for a string's own room", "uint8", 8, 0, &data));
  ASSERT_OK(
      perdure_attribute_set(store, "a name that is too long for a string's own room", "key", "value", 5));
  perdure_object_list* objects = nullptr;
  EXPECT_GT(failures_of([&] { return perdure_object_list_create(store, &objects); }), 0);
  EXPECT_OK(perdure_object_list_free(objects));
  perdure_attribute_list* attributes = nullptr;
  EXPECT_GT(failures_of([&] {
              return perdure_attribute_list_create(store, "a name that is too long for a string's own room",
                                                   &attributes);
            }),
            0);
  EXPECT_OK(perdure_attribute_list_free(attributes));
}

TEST_F(out_of_memory_test, ObjectsAreNotMade) {
  void* data = nullptr;
  failures_of([&] { return perdure_data_create(store, "first", "uint8", 100, 64, &data); });
  failures_of([&] { return perdure_data_find_or_create(store, "second", "uint8", 100, 0, &data, nullptr); });
  failures_of([&] { return perdure_data_find(store, "first", "uint8", &data, nullptr); });
  failures_of([&] { return perdure_attribute_set(store, "first", "key", "value", 5); });
  failures_of([&] { return perdure_data_destroy(store, "second"); });
  failures_of([&] { return perdure_allocate(store, 100, &data); });
  failures_of([&] { return perdure_reallocate(store, data, 100000, &data); });
  failures_of([&] { return perdure_deallocate(store, data); });
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(out_of_memory_test, ArraysAreNotMade) {
  static const double values[20000] = {1};
  const std::uint64_t small[] = {5};
  const std::uint64_t large[] = {20000};
  const std::uint64_t ends[] = {1, 2, 3, 4, 5};
  failures_of([&] { return perdure_array_store(store, "small", "float64", 1, small, values, nullptr); });
  failures_of([&] { return perdure_array_store(store, "large", "float64", 1, large, values, nullptr); });
  failures_of([&] {
    return perdure_array_store_variable(store, "texts", "string", 1, small, "abcde", ends, nullptr);
  });
  double read[5] = {};
  failures_of([&] { return perdure_array_read(store, "small", "float64", nullptr, read, sizeof read); });
  EXPECT_EQ(read[0], 1);
  perdure_array_list* list = nullptr;
  failures_of([&] { return perdure_array_list_create(store, nullptr, &list); });
  EXPECT_OK(perdure_array_list_free(list));
  failures_of([&] { return perdure_array_append(store, "small", "float64", 1, values); });
  failures_of([&] { return perdure_array_resize(store, "small", 1, small); });
  failures_of(
      [&] { return perdure_array_attribute_set(store, "small", "k", "float64", 1, small, values, 40); });
  failures_of([&] { return perdure_array_erase(store, "large"); });
  EXPECT_OK(perdure_array_check(store, "small", nullptr));
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(out_of_memory_test, CheckpointIsMadeOrReported) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 100, 0, &data));
  failures_of([&] { return perdure_checkpoint(store, "a label"); });
  std::memset(data, 1, 100);
  perdure_pending_checkpoint* pending = nullptr;
  failures_of([&] { return perdure_checkpoint_async(store, nullptr, &pending); });
  EXPECT_OK(perdure_pending_checkpoint_wait(pending, nullptr));
  EXPECT_OK(perdure_pending_checkpoint_free(pending));
  reopen();
  ASSERT_OK(perdure_data_find(store, "bytes", "uint8", &data, nullptr));
  EXPECT_EQ(static_cast<char*>(data)[99], 1);
}

TEST_F(out_of_memory_test, StoreIsNotOpened) {
  close();
  EXPECT_GT(failures_of([&] { return perdure_store_open(path.c_str(), nullptr, &store); }), 0);
}

}  // namespace
}  // namespace perdure::c
