// Named arrays of numbers and structs, by their type in words.
#include "perdure/c/data.h"

#include <cstdint>

#include "c/c_store.hpp"
#include "perdure/c/object.h"
#include "perdure/manager.hpp"

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
  EXPECT_EQ(perdure_data_create(store, "y", nullptr, 5, 0, &data), PERDURE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace perdure::c
