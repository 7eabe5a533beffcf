// Between processes: what one leaves, the next one finds; killed ones, forked ones.
#include <unistd.h>

#include <csignal>

#include "c/c_store.hpp"
#include "support/child_process.hpp"
#include "support/scratch_directory.hpp"

namespace perdure::c {
namespace {

TEST(c_process, AnotherProcessFindsEverything) {
  const scratch_directory scratch;
  const std::string path = scratch.path().string();
  ASSERT_TRUE(in_another_process([&] {
    void* data = nullptr;
    perdure_store* const store = create_with_bytes(path, "text", 6, &data);
    if (store == nullptr) return 2;
    std::memcpy(data, "hello", 6);
    if (perdure_attribute_set(store, "text", "language", "en", 2) != PERDURE_OK) return 3;
    return perdure_store_close(store) == PERDURE_OK ? 0 : 4;
  }));
  perdure_store* store = nullptr;
  ASSERT_OK(perdure_store_open_read_only(path.c_str(), nullptr, &store));
  void* data = nullptr;
  ASSERT_OK(perdure_data_find(store, "text", "uint8", &data, nullptr));
  EXPECT_STREQ(static_cast<char*>(data), "hello");
  char language[2] = {};
  EXPECT_OK(perdure_attribute_get(store, "text", "language", language, 2, nullptr));
  EXPECT_EQ(std::string(language, 2), "en");
  EXPECT_OK(perdure_store_close(store));
}

TEST(c_process, KilledOneLeavesItsLastCheckpoint) {
  const scratch_directory scratch;
  const std::string path = scratch.path().string();
  ASSERT_EQ(result_of_child([&] {
              void* data = nullptr;
              perdure_store* const store = create_with_bytes(path, "number", sizeof(long), &data);
              if (store == nullptr) return 2;
              *static_cast<long*>(data) = 1;
              if (perdure_checkpoint(store, nullptr) != PERDURE_OK) return 1;
              *static_cast<long*>(data) = 2;
              perdure_data_create(store, "later", "uint8", 8, 0, &data);
              return ::raise(SIGKILL);
            }),
            128 + SIGKILL);
  perdure_store* store = nullptr;
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  void* data = nullptr;
  ASSERT_OK(perdure_data_find(store, "number", "uint8", &data, nullptr));
  EXPECT_EQ(*static_cast<long*>(data), 1);
  EXPECT_EQ(perdure_data_find(store, "later", "uint8", &data, nullptr), PERDURE_NOT_FOUND);
  EXPECT_OK(perdure_store_check(store, nullptr));
  EXPECT_OK(perdure_store_close(store));
}

TEST(c_process, OneThatEndsWithoutClosingKeepsItsLastCheckpoint) {
  const scratch_directory scratch;
  const std::string path = scratch.path().string();
  ASSERT_TRUE(in_another_process([&] {
    void* data = nullptr;
    return create_with_bytes(path, "lost", 8, &data) != nullptr ? 0 : 1;
  }));
  perdure_store* store = nullptr;
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  void* data = nullptr;
  EXPECT_EQ(perdure_data_find(store, "lost", "uint8", &data, nullptr), PERDURE_NOT_FOUND);
  EXPECT_OK(perdure_store_close(store));
}

TEST(c_process, SharedBackingThatDiedOpenIsOpenedWhenTold) {
  const scratch_directory scratch;
  const std::string path = scratch.path().string();
  perdure_store_options options = small_options();
  options.backing = PERDURE_BACKING_SHARED;
  ASSERT_TRUE(in_another_process([&] {
    perdure_store* store = nullptr;
    void* data = nullptr;
    if (perdure_store_create(path.c_str(), &options, &store) != PERDURE_OK) return 1;
    if (perdure_store_close(store) != PERDURE_OK) return 2;
    if (perdure_store_open(path.c_str(), &options, &store) != PERDURE_OK) return 3;
    return perdure_data_create(store, "bytes", "uint8", 8, 0, &data) == PERDURE_OK ? 0 : 4;
  }));
  perdure_store* store = nullptr;
  EXPECT_EQ(perdure_store_open(path.c_str(), nullptr, &store), PERDURE_DAMAGED);
  options.accept_unclean = 1;
  ASSERT_OK(perdure_store_open(path.c_str(), &options, &store));
  EXPECT_OK(perdure_store_close(store));
}

TEST_F(c_store_test, ForkedChildHasNothingOfTheStore) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "number", "uint8", sizeof(long), 0, &data));
  auto* const number = static_cast<long*>(data);
  *number = 1;
  perdure_pending_checkpoint* pending = nullptr;
  ASSERT_OK(perdure_checkpoint_async(store, nullptr, &pending));
  EXPECT_TRUE(in_another_process([&] {
    void* found = nullptr;
    if (perdure_data_find(store, "number", "uint8", &found, nullptr) != PERDURE_INVALID_ARGUMENT) return 1;
    if (perdure_allocate(store, 8, &found) != PERDURE_INVALID_ARGUMENT) return 1;
    if (perdure_checkpoint(store, nullptr) != PERDURE_INVALID_ARGUMENT) return 2;
    perdure_pending_checkpoint* mine = nullptr;
    if (perdure_checkpoint_async(store, nullptr, &mine) != PERDURE_INVALID_ARGUMENT) return 3;
    if (perdure_pending_checkpoint_wait(pending, nullptr) != PERDURE_INVALID_ARGUMENT) return 4;
    int ready = 0;
    if (perdure_pending_checkpoint_ready(pending, &ready) != PERDURE_INVALID_ARGUMENT) return 5;
    return perdure_store_discard(store) == PERDURE_OK ? 0 : 6;
  }));
  EXPECT_TRUE(in_another_process([&] { return perdure_store_close(store) == PERDURE_OK ? 0 : 1; }));
  EXPECT_EQ(*number, 1);
  EXPECT_OK(perdure_pending_checkpoint_wait(pending, nullptr));
  EXPECT_OK(perdure_pending_checkpoint_free(pending));
  *number = 3;
  reopen();
  ASSERT_OK(perdure_data_find(store, "number", "uint8", &data, nullptr));
  EXPECT_EQ(*static_cast<long*>(data), 3);
}

}  // namespace
}  // namespace perdure::c
