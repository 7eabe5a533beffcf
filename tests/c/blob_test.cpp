// Named blobs.
#include "perdure/c/blob.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include "c/c_store.hpp"
#include "perdure/manager.hpp"
#include "support/errors.hpp"

namespace perdure::c {
namespace {

using blob_test = c_store_test;

TEST_F(blob_test, IsZeroAndFoundByName) {
  void* data = nullptr;
  ASSERT_OK(perdure_blob_create(store, "blob", 1000, 0, &data));
  auto* const bytes = static_cast<unsigned char*>(data);
  EXPECT_TRUE(std::all_of(bytes, bytes + 1000, [](unsigned char b) { return b == 0; }));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 16, 0U);
  void* found = nullptr;
  std::size_t size = 0;
  EXPECT_OK(perdure_blob_find(store, "blob", &found, &size));
  EXPECT_EQ(found, data);
  EXPECT_EQ(size, 1000U);
  EXPECT_OK(perdure_blob_find(store, "blob", &found, nullptr));
}

TEST_F(blob_test, IsZeroInReusedMemory) {
  void* data = nullptr;
  for (int round = 0; round < 2; ++round) {
    ASSERT_OK(perdure_blob_create(store, "blob", 100, 0, &data));
    auto* const bytes = static_cast<unsigned char*>(data);
    EXPECT_TRUE(std::all_of(bytes, bytes + 100, [](unsigned char b) { return b == 0; }));
    std::memset(data, 0xff, 100);
    ASSERT_OK(perdure_blob_destroy(store, "blob"));
  }
}

TEST_F(blob_test, IsThereAfterReopening) {
  void* data = nullptr;
  ASSERT_OK(perdure_blob_create(store, "blob", 6, 0, &data));
  std::memcpy(data, "bytes", 6);
  reopen();
  std::size_t size = 0;
  ASSERT_OK(perdure_blob_find(store, "blob", &data, &size));
  EXPECT_EQ(size, 6U);
  EXPECT_STREQ(static_cast<char*>(data), "bytes");
}

TEST_F(blob_test, IsAlignedAsAskedNowAndLater) {
  for (const std::size_t alignment : {1, 8, 64, 4096, 65536, 2 << 20}) {
    const std::string name = "aligned to " + std::to_string(alignment);
    void* data = nullptr;
    ASSERT_OK(perdure_blob_create(store, name.c_str(), 10, alignment, &data));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % alignment, 0U);
  }
  reopen();
  for (const std::size_t alignment : {64, 4096, 2 << 20}) {
    void* data = nullptr;
    ASSERT_OK(perdure_blob_find(store, ("aligned to " + std::to_string(alignment)).c_str(), &data, nullptr));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % alignment, 0U);
    EXPECT_OK(perdure_blob_destroy_at(store, data));
  }
  EXPECT_OK(perdure_store_check(store, nullptr));
  for (const std::size_t alignment : {3, 48, 4 << 20}) {
    void* data = garbage<void>();
    EXPECT_EQ(perdure_blob_create(store, "other", 10, alignment, &data), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(data, nullptr);
    EXPECT_EQ(perdure_blob_find_or_create(store, "other", 10, alignment, &data, nullptr),
              PERDURE_INVALID_ARGUMENT);
  }
}

TEST_F(blob_test, MayBeEmpty) {
  void* data = nullptr;
  ASSERT_OK(perdure_blob_create(store, "empty", 0, 0, &data));
  EXPECT_NE(data, nullptr);
  std::size_t size = 1;
  EXPECT_OK(perdure_blob_find(store, "empty", &data, &size));
  EXPECT_EQ(size, 0U);
}

TEST_F(blob_test, NameIsGivenOnce) {
  void* data = nullptr;
  ASSERT_OK(perdure_blob_create(store, "blob", 8, 0, &data));
  void* second = garbage<void>();
  EXPECT_EQ(perdure_blob_create(store, "blob", 8, 0, &second), PERDURE_ALREADY_EXISTS);
  EXPECT_EQ(second, nullptr);
}

TEST_F(blob_test, NameIsOfOneTo65535Bytes) {
  void* data = nullptr;
  EXPECT_EQ(perdure_blob_create(store, "", 8, 0, &data), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_blob_create(store, std::string(65535, 'n').c_str(), 8, 0, &data));
  EXPECT_EQ(perdure_blob_create(store, std::string(65536, 'n').c_str(), 8, 0, &data),
            PERDURE_INVALID_ARGUMENT);
}

TEST_F(blob_test, AbsurdSizeIsRefusedAndLeavesNothing) {
  void* data = nullptr;
  for (const std::size_t size : {std::numeric_limits<std::size_t>::max(),
                                 std::numeric_limits<std::size_t>::max() / 2, std::size_t{5} << 30}) {
    EXPECT_EQ(perdure_blob_create(store, "blob", size, 0, &data), PERDURE_OUT_OF_MEMORY);
    EXPECT_EQ(perdure_blob_find(store, "blob", &data, nullptr), PERDURE_NOT_FOUND);
  }
  EXPECT_OK(perdure_blob_create(store, "blob", 8, 0, &data));
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(blob_test, IsFoundOrCreated) {
  void* data = nullptr;
  int created = -1;
  ASSERT_OK(perdure_blob_find_or_create(store, "blob", 100, 64, &data, &created));
  EXPECT_EQ(created, 1);
  void* again = nullptr;
  EXPECT_OK(perdure_blob_find_or_create(store, "blob", 100, 64, &again, &created));
  EXPECT_EQ(created, 0);
  EXPECT_EQ(again, data);
  EXPECT_OK(perdure_blob_find_or_create(store, "blob", 50, 0, &again, nullptr));
  EXPECT_EQ(again, data);
  EXPECT_EQ(perdure_blob_find_or_create(store, "blob", 101, 0, &again, &created), PERDURE_WRONG_TYPE);
  EXPECT_EQ(again, nullptr);
  EXPECT_NE(std::string(perdure_last_error_message()).find("100"), std::string::npos);
}

TEST_F(blob_test, MisalignedBlobIsNotWhatWasAskedFor) {
  // Of several blobs side by side not all can lie at a multiple of 2 MiB.
  void* data = nullptr;
  ASSERT_OK(perdure_blob_create(store, "a", 100, 0, &data));
  ASSERT_OK(perdure_blob_create(store, "b", 100, 0, &data));
  const perdure_status a = perdure_blob_find_or_create(store, "a", 100, 2 << 20, &data, nullptr);
  const perdure_status b = perdure_blob_find_or_create(store, "b", 100, 2 << 20, &data, nullptr);
  EXPECT_TRUE(a == PERDURE_WRONG_TYPE || b == PERDURE_WRONG_TYPE);
}

TEST_F(blob_test, ManyThreadsFindOrCreateTheSame) {
  std::atomic<int> creations{0};
  std::vector<void*> found(4);
  {
    std::vector<std::jthread> threads;
    for (void*& mine : found)
      threads.emplace_back([this, &mine, &creations] {
        int created = 0;
        if (perdure_blob_find_or_create(store, "shared", 5000, 0, &mine, &created) == PERDURE_OK)
          creations += created;
      });
  }
  EXPECT_EQ(creations, 1);
  for (void* one : found) EXPECT_EQ(one, found[0]);
  EXPECT_NE(found[0], nullptr);
}

TEST_F(blob_test, IsDestroyedByNameOrAddress) {
  void* data = nullptr;
  ASSERT_OK(perdure_blob_create(store, "blob", 8, 0, &data));
  EXPECT_OK(perdure_blob_destroy(store, "blob"));
  EXPECT_EQ(perdure_blob_destroy(store, "blob"), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_blob_destroy_at(store, data), PERDURE_INVALID_ARGUMENT);
  ASSERT_OK(perdure_blob_create(store, "blob", 8, 0, &data));
  EXPECT_EQ(perdure_blob_destroy_at(store, static_cast<char*>(data) + 1), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_blob_destroy_at(store, garbage<void>()), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_blob_destroy_at(store, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_blob_destroy_at(store, data));
  EXPECT_EQ(perdure_blob_find(store, "blob", &data, nullptr), PERDURE_NOT_FOUND);
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(blob_test, IsAnArrayOfBytesToCpp) {
  void* data = nullptr;
  ASSERT_OK(perdure_blob_create(store, "from C", 6, 256, &data));
  std::memcpy(data, "bytes", 6);
  close();
  {
    manager cpp(open_only, path);
    const auto [bytes, length] = cpp.find<std::byte>("from C");
    ASSERT_EQ(length, 6U);
    EXPECT_EQ(std::memcmp(bytes, "bytes", 6), 0);
    EXPECT_EQ(code_of([&] { cpp.find<int>("from C"); }), errc::wrong_type);
    EXPECT_TRUE(cpp.destroy<std::byte>("from C"));
    std::byte* const mine = cpp.construct<std::byte>("from C++")[3]();
    mine[0] = std::byte{7};
    cpp.construct<int>("number")(42);
    cpp.close();
  }
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  std::size_t size = 0;
  ASSERT_OK(perdure_blob_find(store, "from C++", &data, &size));
  EXPECT_EQ(size, 3U);
  EXPECT_EQ(*static_cast<unsigned char*>(data), 7);
  EXPECT_EQ(perdure_blob_find(store, "number", &data, &size), PERDURE_WRONG_TYPE);
  EXPECT_EQ(data, nullptr);
  EXPECT_NE(std::string(perdure_last_error_message()).find("int"), std::string::npos);
  EXPECT_EQ(perdure_blob_find_or_create(store, "number", 4, 0, &data, nullptr), PERDURE_WRONG_TYPE);
  EXPECT_EQ(perdure_blob_destroy(store, "number"), PERDURE_WRONG_TYPE);
}

TEST_F(blob_test, StaysAsItIsInAReadOnlyStore) {
  void* data = nullptr;
  ASSERT_OK(perdure_blob_create(store, "blob", 8, 0, &data));
  std::memcpy(data, "content", 8);
  reopen_read_only();
  ASSERT_OK(perdure_blob_find_or_create(store, "blob", 8, 0, &data, nullptr));
  EXPECT_STREQ(static_cast<char*>(data), "content");
  EXPECT_EQ(perdure_blob_create(store, "other", 8, 0, &data), PERDURE_READ_ONLY);
  EXPECT_EQ(perdure_blob_find_or_create(store, "other", 8, 0, &data, nullptr), PERDURE_READ_ONLY);
  EXPECT_EQ(perdure_blob_destroy(store, "blob"), PERDURE_READ_ONLY);
}

TEST_F(blob_test, RefusesNullArguments) {
  void* data = nullptr;
  EXPECT_EQ(perdure_blob_create(store, nullptr, 8, 0, &data), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_blob_create(store, "blob", 8, 0, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_blob_find(store, nullptr, &data, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_blob_find(store, "blob", nullptr, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_blob_find_or_create(store, nullptr, 8, 0, &data, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_blob_find_or_create(store, "blob", 8, 0, nullptr, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_blob_destroy(store, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_blob_find(store, "blob", &data, nullptr), PERDURE_NOT_FOUND);
}

}  // namespace
}  // namespace perdure::c
