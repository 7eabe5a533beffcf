// Handles that are none are recognised, by every function that takes one.
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "c/c_store.hpp"

namespace perdure::c {
namespace {

std::vector<perdure_status> call_all_with(perdure_store* s) {
  void* address = nullptr;
  const char* text = nullptr;
  int number = 0;
  std::size_t size = 0;
  std::uint64_t offset = 0;
  perdure_object_list* objects = nullptr;
  perdure_attribute_list* attributes = nullptr;
  perdure_text_list* texts = nullptr;
  perdure_array_list* arrays = nullptr;
  perdure_array_attribute_list* array_attributes = nullptr;
  perdure_array_view* view = nullptr;
  perdure_pending_checkpoint* pending = nullptr;
  perdure_store_info info{};
  info.struct_size = sizeof info;
  perdure_heap_stats stats{};
  stats.struct_size = sizeof stats;
  return {
      perdure_store_is_read_only(s, &number),
      perdure_store_path(s, &text),
      perdure_store_check(s, &texts),
      perdure_data_create(s, "n", "uint8", 8, 0, &address),
      perdure_data_find(s, "n", "uint8", &address, &size),
      perdure_data_find_or_create(s, "n", "uint8", 8, 0, &address, nullptr),
      perdure_data_destroy(s, "n"),
      perdure_data_destroy_at(s, &number),
      perdure_object_list_create(s, &objects),
      perdure_object_find(s, "n", &objects),
      perdure_object_count(s, PERDURE_OBJECT_NAMED, &size),
      perdure_attribute_set(s, "n", "k", "v", 1),
      perdure_attribute_get(s, "n", "k", nullptr, 0, &size),
      perdure_attribute_remove(s, "n", "k"),
      perdure_attribute_list_create(s, "n", &attributes),
      perdure_array_store(s, "n", "uint8", 0, nullptr, "v", nullptr),
      perdure_array_create(s, "n", "uint8", 0, nullptr, nullptr),
      perdure_array_write(s, "n", "uint8", nullptr, "v"),
      perdure_array_read(s, "n", "uint8", nullptr, &number, 1),
      perdure_array_append(s, "n", "uint8", 1, "v"),
      perdure_array_resize(s, "n", 0, nullptr),
      perdure_array_store_text(s, "n", "v", 1),
      perdure_array_store_variable(s, "n", "string", 0, nullptr, "v", &offset, nullptr),
      perdure_array_read_variable(s, "n", "string", &texts),
      perdure_array_erase(s, "n"),
      perdure_array_find(s, "n", &arrays),
      perdure_array_list_create(s, nullptr, &arrays),
      perdure_array_view_create(s, "n", "uint8", 0, &view, &address, &size),
      perdure_array_prefetch(s, "n"),
      perdure_array_check(s, "n", &texts),
      perdure_array_attribute_set(s, "n", "k", "uint8", 0, nullptr, "v", 1),
      perdure_array_attribute_get(s, "n", "k", "uint8", nullptr, 0, &size),
      perdure_array_attribute_remove(s, "n", "k"),
      perdure_array_attribute_list_create(s, "n", &array_attributes),
      perdure_allocate(s, 8, &address),
      perdure_allocate_aligned(s, 8, 8, &address),
      perdure_deallocate(s, nullptr),
      perdure_reallocate(s, nullptr, 8, &address),
      perdure_usable_size(s, &number, &size),
      perdure_heap_stats_get(s, &stats),
      perdure_offset_of(s, &number, &offset),
      perdure_address_of(s, 0, &address),
      perdure_base(s, &address, &size),
      perdure_checkpoint(s, nullptr),
      perdure_checkpoint_async(s, nullptr, &pending),
      perdure_wait_applied(s),
      perdure_store_snapshot(s, "/nowhere/at/all"),
      perdure_store_info_get(s, &info),
  };
}

bool all_refused(const std::vector<perdure_status>& statuses) {
  return std::set<perdure_status>(statuses.begin(), statuses.end()) ==
         std::set<perdure_status>{PERDURE_INVALID_ARGUMENT};
}

using handle_test = c_store_test;

TEST_F(handle_test, NullIsNoStore) {
  EXPECT_TRUE(all_refused(call_all_with(nullptr)));
  EXPECT_NE(std::string(perdure_last_error_message()).find("NULL"), std::string::npos);
}

TEST_F(handle_test, GarbageIsNoStore) {
  EXPECT_TRUE(all_refused(call_all_with(garbage<perdure_store>())));
  for (const std::uintptr_t value :
       {1ULL, 17ULL, 4096ULL, ~0ULL, 0x1'0000'0011ULL, 0x7fff'ffff'ffff'fff1ULL}) {
    auto* const other = reinterpret_cast<perdure_store*>(value);
    if (other == store) continue;
    EXPECT_TRUE(all_refused(call_all_with(other))) << value;
    EXPECT_EQ(perdure_store_close(other), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(perdure_store_discard(other), PERDURE_INVALID_ARGUMENT);
  }
}

TEST_F(handle_test, ClosedStoreIsNone) {
  perdure_store* const closed = store;
  close();
  EXPECT_TRUE(all_refused(call_all_with(closed)));
  EXPECT_EQ(perdure_store_close(closed), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_store_discard(closed), PERDURE_INVALID_ARGUMENT);
  // Nor does it become the next one.
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  EXPECT_NE(store, closed);
  EXPECT_TRUE(all_refused(call_all_with(closed)));
  ASSERT_OK(perdure_store_discard(store));
  EXPECT_TRUE(all_refused(call_all_with(store)));
  store = nullptr;
}

TEST_F(handle_test, HandleOfAnotherKindIsNoStore) {
  perdure_object_list* list = nullptr;
  ASSERT_OK(perdure_object_list_create(store, &list));
  EXPECT_TRUE(all_refused(call_all_with(reinterpret_cast<perdure_store*>(list))));
  EXPECT_OK(perdure_object_list_free(list));
}

/// Freed once it is freed for good; NULL may be freed; garbage is no handle.
template <class T>
void expect_one_free(T* handle, perdure_status (*free_handle)(T*),
                     const std::function<perdure_status(T*)>& use) {
  EXPECT_OK(use(handle));
  EXPECT_OK(free_handle(handle));
  EXPECT_EQ(free_handle(handle), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(use(handle), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(free_handle(nullptr));
  EXPECT_EQ(use(nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(free_handle(garbage<T>()), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(use(garbage<T>()), PERDURE_INVALID_ARGUMENT);
}

TEST_F(handle_test, ResultsAreFreedOnce) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 8, 0, &data));
  std::size_t size = 0;

  perdure_object_list* objects = nullptr;
  ASSERT_OK(perdure_object_list_create(store, &objects));
  expect_one_free<perdure_object_list>(objects, perdure_object_list_free, [&](perdure_object_list* h) {
    const perdure_object_info* one = nullptr;
    const perdure_status at = perdure_object_list_at(h, 0, &one);
    return at == PERDURE_OK ? perdure_object_list_size(h, &size) : at;
  });

  perdure_attribute_list* attributes = nullptr;
  ASSERT_OK(perdure_attribute_list_create(store, "bytes", &attributes));
  expect_one_free<perdure_attribute_list>(
      attributes, perdure_attribute_list_free,
      [&](perdure_attribute_list* h) { return perdure_attribute_list_size(h, &size); });

  perdure_text_list* texts = nullptr;
  ASSERT_OK(perdure_store_check(store, &texts));
  expect_one_free<perdure_text_list>(texts, perdure_text_list_free,
                                     [&](perdure_text_list* h) { return perdure_text_list_size(h, &size); });

  perdure_checkpoint_log* log = nullptr;
  ASSERT_OK(perdure_checkpoint_log_read(path.c_str(), &log));
  expect_one_free<perdure_checkpoint_log>(log, perdure_checkpoint_log_free, [&](perdure_checkpoint_log* h) {
    return perdure_checkpoint_log_size(h, &size);
  });

  perdure_pending_checkpoint* pending = nullptr;
  ASSERT_OK(perdure_checkpoint_async(store, nullptr, &pending));
  expect_one_free<perdure_pending_checkpoint>(
      pending, perdure_pending_checkpoint_free, [](perdure_pending_checkpoint* h) {
        int ready = 0;
        perdure_status outcome = PERDURE_OK;
        const perdure_status waited = perdure_pending_checkpoint_wait(h, nullptr);
        EXPECT_EQ(perdure_pending_checkpoint_ready(h, &ready), waited);
        EXPECT_EQ(perdure_pending_checkpoint_error(h, &outcome), waited);
        return waited;
      });

  close();
  perdure_verify_report* report = nullptr;
  ASSERT_OK(perdure_verify(path.c_str(), nullptr, &report));
  expect_one_free<perdure_verify_report>(report, perdure_verify_report_free, [](perdure_verify_report* h) {
    perdure_verify_summary summary{};
    summary.struct_size = sizeof summary;
    return perdure_verify_report_summary(h, &summary);
  });
}

TEST_F(handle_test, ManyLiveSideBySide) {
  std::vector<perdure_object_list*> lists(1000);
  for (perdure_object_list*& list : lists) ASSERT_OK(perdure_object_list_create(store, &list));
  EXPECT_EQ(std::set<perdure_object_list*>(lists.begin(), lists.end()).size(), lists.size());
  std::size_t size = 1;
  for (std::size_t i = 0; i < lists.size(); i += 2) ASSERT_OK(perdure_object_list_free(lists[i]));
  for (std::size_t i = 0; i < lists.size(); ++i)
    EXPECT_EQ(perdure_object_list_size(lists[i], &size), i % 2 == 0 ? PERDURE_INVALID_ARGUMENT : PERDURE_OK);
  for (std::size_t i = 1; i < lists.size(); i += 2) ASSERT_OK(perdure_object_list_free(lists[i]));
}

TEST_F(handle_test, ThreadsMakeAndFreeThem) {
  std::vector<int> failures(4);
  {
    std::vector<std::jthread> threads;
    for (int& failed : failures)
      threads.emplace_back([this, &failed] {
        for (int i = 0; i < 300; ++i) {
          perdure_object_list* list = nullptr;
          std::size_t size = 0;
          if (perdure_object_list_create(store, &list) != PERDURE_OK) ++failed;
          if (perdure_object_list_size(list, &size) != PERDURE_OK) ++failed;
          if (perdure_object_list_free(list) != PERDURE_OK) ++failed;
          if (perdure_object_list_free(list) == PERDURE_OK) ++failed;
        }
      });
  }
  EXPECT_EQ(failures, std::vector<int>(4));
}

}  // namespace
}  // namespace perdure::c
