// Named arrays of bytes, numbers and structs, by their type in words.
#include "perdure/c/data.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "c/c_store.hpp"
#include "perdure/c/object.h"
#include "perdure/container/string.hpp"
#include "perdure/manager.hpp"
#include "support/errors.hpp"

namespace perdure::c {
namespace {

using data_test = c_store_test;

struct sample {
  std::int64_t time;
  float at[2];
};
constexpr const char* sample_type = "{16/8 time:int64@0 at:float32[2]@8}";

TEST_F(data_test, IsFoundByItsTypeAndByCpp) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "numbers", "float64", 10, 64, &data));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U);
  static_cast<double*>(data)[9] = 2.5;
  ASSERT_OK(perdure_data_create(store, "samples", sample_type, 3, 0, &data));
  static_cast<sample*>(data)[2].time = 7;
  reopen();
  std::uint64_t length = 0;
  ASSERT_OK(perdure_data_find(store, "numbers", "float64", &data, &length));
  EXPECT_EQ(length, 10U);
  EXPECT_EQ(static_cast<double*>(data)[9], 2.5);
  EXPECT_EQ(perdure_data_find(store, "numbers", "float32", &data, nullptr), PERDURE_WRONG_TYPE);
  EXPECT_EQ(perdure_data_find(store, "none", "float32", &data, nullptr), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_data_find(store, "numbers", "number", &data, nullptr), PERDURE_BAD_INPUT);
  perdure_object_list* list = nullptr;
  ASSERT_OK(perdure_object_find(store, "samples", &list));
  const perdure_object_info* info = nullptr;
  ASSERT_OK(perdure_object_list_at(list, 0, &info));
  EXPECT_STREQ(info->data_type, sample_type);
  EXPECT_STREQ(info->type_name, sample_type);
  EXPECT_OK(perdure_object_list_free(list));
  close();
  manager in_cpp(open_only, path);
  EXPECT_EQ(in_cpp.find<double>("numbers").first[9], 2.5);
  EXPECT_EQ(in_cpp.find<sample>("samples").first[2].time, 7);
  in_cpp.construct<sample>("from C++")[2]();
  in_cpp.close();
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  ASSERT_OK(perdure_data_find(store, "from C++", sample_type, &data, &length));
  EXPECT_EQ(length, 2U);
  EXPECT_OK(perdure_data_destroy(store, "from C++"));
  EXPECT_EQ(perdure_data_destroy(store, "from C++"), PERDURE_NOT_FOUND);
}

TEST_F(data_test, IsCreatedOnce) {
  void* data = nullptr;
  int created = 0;
  ASSERT_OK(perdure_data_find_or_create(store, "x", "int32", 5, 0, &data, &created));
  EXPECT_EQ(created, 1);
  void* same = nullptr;
  ASSERT_OK(perdure_data_find_or_create(store, "x", "int32", 5, 0, &same, &created));
  EXPECT_EQ(created, 0);
  EXPECT_EQ(same, data);
  EXPECT_EQ(perdure_data_create(store, "x", "int32", 5, 0, &data), PERDURE_ALREADY_EXISTS);
  EXPECT_EQ(perdure_data_find_or_create(store, "x", "int32", 6, 0, &data, nullptr), PERDURE_WRONG_TYPE);
  EXPECT_EQ(perdure_data_find_or_create(store, "x", "uint32", 5, 0, &data, nullptr), PERDURE_WRONG_TYPE);
  EXPECT_EQ(perdure_data_create(store, "y", "string", 5, 0, &data), PERDURE_INVALID_ARGUMENT);
}

TEST_F(data_test, IsZeroAndFoundByName) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 1000, 0, &data));
  auto* const bytes = static_cast<unsigned char*>(data);
  EXPECT_TRUE(std::all_of(bytes, bytes + 1000, [](unsigned char b) { return b == 0; }));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 16, 0U);
  void* found = nullptr;
  std::uint64_t size = 0;
  EXPECT_OK(perdure_data_find(store, "bytes", "uint8", &found, &size));
  EXPECT_EQ(found, data);
  EXPECT_EQ(size, 1000U);
  EXPECT_OK(perdure_data_find(store, "bytes", "uint8", &found, nullptr));
}

TEST_F(data_test, IsZeroInReusedMemory) {
  void* data = nullptr;
  for (int round = 0; round < 2; ++round) {
    ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 100, 0, &data));
    auto* const bytes = static_cast<unsigned char*>(data);
    EXPECT_TRUE(std::all_of(bytes, bytes + 100, [](unsigned char b) { return b == 0; }));
    std::memset(data, 0xff, 100);
    ASSERT_OK(perdure_data_destroy(store, "bytes"));
  }
}

TEST_F(data_test, IsThereAfterReopening) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 6, 0, &data));
  std::memcpy(data, "bytes", 6);
  reopen();
  std::uint64_t size = 0;
  ASSERT_OK(perdure_data_find(store, "bytes", "uint8", &data, &size));
  EXPECT_EQ(size, 6U);
  EXPECT_STREQ(static_cast<char*>(data), "bytes");
}

TEST_F(data_test, IsAlignedAsAskedNowAndLater) {
  for (const std::size_t alignment : {1, 8, 64, 4096, 65536, 2 << 20}) {
    const std::string name = "aligned to " + std::to_string(alignment);
    void* data = nullptr;
    ASSERT_OK(perdure_data_create(store, name.c_str(), "uint8", 10, alignment, &data));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % alignment, 0U);
  }
  reopen();
  for (const std::size_t alignment : {64, 4096, 2 << 20}) {
    void* data = nullptr;
    ASSERT_OK(perdure_data_find(store, ("aligned to " + std::to_string(alignment)).c_str(), "uint8", &data,
                                nullptr));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % alignment, 0U);
    EXPECT_OK(perdure_data_destroy_at(store, data));
  }
  EXPECT_OK(perdure_store_check(store, nullptr));
  for (const std::size_t alignment : {3, 48, 4 << 20}) {
    void* data = garbage<void>();
    EXPECT_EQ(perdure_data_create(store, "other", "uint8", 10, alignment, &data), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(data, nullptr);
    EXPECT_EQ(perdure_data_find_or_create(store, "other", "uint8", 10, alignment, &data, nullptr),
              PERDURE_INVALID_ARGUMENT);
  }
}

TEST_F(data_test, MayBeEmpty) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "empty", "uint8", 0, 0, &data));
  EXPECT_NE(data, nullptr);
  std::uint64_t size = 1;
  EXPECT_OK(perdure_data_find(store, "empty", "uint8", &data, &size));
  EXPECT_EQ(size, 0U);
}

TEST_F(data_test, NameIsGivenOnce) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 8, 0, &data));
  void* second = garbage<void>();
  EXPECT_EQ(perdure_data_create(store, "bytes", "uint8", 8, 0, &second), PERDURE_ALREADY_EXISTS);
  EXPECT_EQ(second, nullptr);
}

TEST_F(data_test, NameIsOfOneTo65535Bytes) {
  void* data = nullptr;
  EXPECT_EQ(perdure_data_create(store, "", "uint8", 8, 0, &data), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_data_create(store, std::string(65535, 'n').c_str(), "uint8", 8, 0, &data));
  EXPECT_EQ(perdure_data_create(store, std::string(65536, 'n').c_str(), "uint8", 8, 0, &data),
            PERDURE_INVALID_ARGUMENT);
}

TEST_F(data_test, AbsurdSizeIsRefusedAndLeavesNothing) {
  void* data = nullptr;
  for (const auto& [length, status] :
       {std::pair(UINT64_MAX, PERDURE_INVALID_ARGUMENT), std::pair(UINT64_MAX / 2, PERDURE_OUT_OF_MEMORY),
        std::pair(std::uint64_t{5} << 30, PERDURE_OUT_OF_MEMORY)}) {
    EXPECT_EQ(perdure_data_create(store, "bytes", "uint8", length, 0, &data), status);
    EXPECT_EQ(perdure_data_find(store, "bytes", "uint8", &data, nullptr), PERDURE_NOT_FOUND);
  }
  EXPECT_OK(perdure_data_create(store, "bytes", "uint8", 8, 0, &data));
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(data_test, IsFoundOrCreated) {
  void* data = nullptr;
  int created = -1;
  ASSERT_OK(perdure_data_find_or_create(store, "bytes", "uint8", 100, 64, &data, &created));
  EXPECT_EQ(created, 1);
  void* again = nullptr;
  EXPECT_OK(perdure_data_find_or_create(store, "bytes", "uint8", 100, 64, &again, &created));
  EXPECT_EQ(created, 0);
  EXPECT_EQ(again, data);
  EXPECT_OK(perdure_data_find_or_create(store, "bytes", "uint8", 50, 0, &again, nullptr));
  EXPECT_EQ(again, data);
  EXPECT_EQ(perdure_data_find_or_create(store, "bytes", "uint8", 101, 0, &again, &created),
            PERDURE_WRONG_TYPE);
  EXPECT_EQ(again, nullptr);
  EXPECT_NE(std::string(perdure_last_error_message()).find("100"), std::string::npos);
}

TEST_F(data_test, MisalignedIsNotWhatWasAskedFor) {
  // Of several arrays side by side not all can lie at a multiple of 2 MiB.
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "a", "uint8", 100, 0, &data));
  ASSERT_OK(perdure_data_create(store, "b", "uint8", 100, 0, &data));
  const perdure_status a = perdure_data_find_or_create(store, "a", "uint8", 100, 2 << 20, &data, nullptr);
  const perdure_status b = perdure_data_find_or_create(store, "b", "uint8", 100, 2 << 20, &data, nullptr);
  EXPECT_TRUE(a == PERDURE_WRONG_TYPE || b == PERDURE_WRONG_TYPE);
}

TEST_F(data_test, ManyThreadsFindOrCreateTheSame) {
  std::atomic<int> creations{0};
  std::vector<void*> found(4);
  {
    std::vector<std::jthread> threads;
    for (void*& mine : found)
      threads.emplace_back([this, &mine, &creations] {
        int created = 0;
        if (perdure_data_find_or_create(store, "shared", "uint8", 5000, 0, &mine, &created) == PERDURE_OK)
          creations += created;
      });
  }
  EXPECT_EQ(creations, 1);
  for (void* one : found) EXPECT_EQ(one, found[0]);
  EXPECT_NE(found[0], nullptr);
}

TEST_F(data_test, IsDestroyedByNameOrAddress) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 8, 0, &data));
  EXPECT_OK(perdure_data_destroy(store, "bytes"));
  EXPECT_EQ(perdure_data_destroy(store, "bytes"), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_data_destroy_at(store, data), PERDURE_INVALID_ARGUMENT);
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 8, 0, &data));
  EXPECT_EQ(perdure_data_destroy_at(store, static_cast<char*>(data) + 1), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_data_destroy_at(store, garbage<void>()), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_data_destroy_at(store, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_data_destroy_at(store, data));
  EXPECT_EQ(perdure_data_find(store, "bytes", "uint8", &data, nullptr), PERDURE_NOT_FOUND);
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(data_test, OfBytesIsSharedWithCpp) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "from C", "uint8", 6, 256, &data));
  std::memcpy(data, "bytes", 6);
  close();
  {
    manager cpp(open_only, path);
    const auto [bytes, length] = cpp.find<std::uint8_t>("from C");
    ASSERT_EQ(length, 6U);
    EXPECT_EQ(std::memcmp(bytes, "bytes", 6), 0);
    EXPECT_EQ(code_of([&] { cpp.find<int>("from C"); }), errc::wrong_type);
    EXPECT_TRUE(cpp.destroy<std::uint8_t>("from C"));
    std::byte* const mine = cpp.construct<std::byte>("from C++")[3]();
    mine[0] = std::byte{7};
    cpp.close();
  }
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  std::uint64_t size = 0;
  ASSERT_OK(perdure_data_find(store, "from C++", "uint8", &data, &size));
  EXPECT_EQ(size, 3U);
  EXPECT_EQ(*static_cast<unsigned char*>(data), 7);
}

TEST_F(data_test, MoreThanPlainDataIsRefused) {
  close();
  {
    manager cpp(open_only, path);
    cpp.construct<perdure::string>("text")("more than plain data", cpp.get_allocator<char>());
    cpp.close();
  }
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  void* data = garbage<void>();
  std::uint64_t size = 1;
  EXPECT_EQ(perdure_data_find(store, "text", "uint8", &data, &size), PERDURE_WRONG_TYPE);
  EXPECT_EQ(data, nullptr);
  EXPECT_EQ(size, 0U);
  EXPECT_NE(std::string(perdure_last_error_message()).find("string"), std::string::npos);
  EXPECT_EQ(perdure_data_find_or_create(store, "text", "uint8", 4, 0, &data, nullptr), PERDURE_WRONG_TYPE);
  EXPECT_EQ(perdure_data_destroy(store, "text"), PERDURE_WRONG_TYPE);
  perdure_object_list* list = nullptr;
  ASSERT_OK(perdure_object_find(store, "text", &list));
  const perdure_object_info* text = nullptr;
  ASSERT_OK(perdure_object_list_at(list, 0, &text));
  EXPECT_STREQ(text->data_type, "");
  EXPECT_EQ(perdure_data_destroy_at(store, text->data), PERDURE_WRONG_TYPE);
  EXPECT_OK(perdure_object_list_free(list));
}

TEST_F(data_test, WithoutANameIsDestroyedByItsAddress) {
  close();
  {
    manager cpp(open_only, path);
    cpp.construct<long>(anonymous_instance)[3](6L);
    cpp.close();
  }
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  perdure_object_list* list = nullptr;
  ASSERT_OK(perdure_object_list_create(store, &list));
  const perdure_object_info* longs = nullptr;
  ASSERT_OK(perdure_object_list_at(list, 0, &longs));
  void* const address = longs->data;
  EXPECT_OK(perdure_object_list_free(list));
  EXPECT_OK(perdure_data_destroy_at(store, address));
  EXPECT_EQ(perdure_data_destroy_at(store, address), PERDURE_INVALID_ARGUMENT);
  std::size_t count = 1;
  EXPECT_OK(perdure_object_count(store, PERDURE_OBJECT_ANONYMOUS, &count));
  EXPECT_EQ(count, 0U);
}

TEST_F(data_test, StaysAsItIsInAReadOnlyStore) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 8, 0, &data));
  std::memcpy(data, "content", 8);
  reopen_read_only();
  ASSERT_OK(perdure_data_find_or_create(store, "bytes", "uint8", 8, 0, &data, nullptr));
  EXPECT_STREQ(static_cast<char*>(data), "content");
  EXPECT_EQ(perdure_data_create(store, "other", "uint8", 8, 0, &data), PERDURE_READ_ONLY);
  EXPECT_EQ(perdure_data_find_or_create(store, "other", "uint8", 8, 0, &data, nullptr), PERDURE_READ_ONLY);
  EXPECT_EQ(perdure_data_destroy(store, "bytes"), PERDURE_READ_ONLY);
}

TEST_F(data_test, RefusesNullArguments) {
  void* data = nullptr;
  EXPECT_EQ(perdure_data_create(store, nullptr, "uint8", 8, 0, &data), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_data_create(store, "bytes", "uint8", 8, 0, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_data_create(store, "bytes", nullptr, 8, 0, &data), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_data_find(store, nullptr, "uint8", &data, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_data_find(store, "bytes", "uint8", nullptr, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_data_find_or_create(store, nullptr, "uint8", 8, 0, &data, nullptr),
            PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_data_find_or_create(store, "bytes", "uint8", 8, 0, nullptr, nullptr),
            PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_data_destroy(store, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_data_find(store, "bytes", "uint8", &data, nullptr), PERDURE_NOT_FOUND);
}

}  // namespace
}  // namespace perdure::c
