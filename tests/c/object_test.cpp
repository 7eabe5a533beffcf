// Objects of every type, as C sees them.
#include "perdure/c/object.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "c/c_store.hpp"
#include "perdure/manager.hpp"

namespace perdure::c {
namespace {

struct object_test : c_store_test {
  void SetUp() override {
    c_store_test::SetUp();
    void* data = nullptr;
    ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 100, 0, &data));
    close();
    {
      manager cpp(open_only, path);
      cpp.construct<double>("doubles")[10](1.5);
      cpp.construct<int>(std::string("with\0zero", 9))(1);
      cpp.construct<int>(unique_instance)(5);
      cpp.construct<long>(anonymous_instance)(6L);
      cpp.close();
    }
    ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  }
};

TEST_F(object_test, AllAreListed) {
  perdure_object_list* list = nullptr;
  ASSERT_OK(perdure_object_list_create(store, &list));
  std::size_t size = 0;
  ASSERT_OK(perdure_object_list_size(list, &size));
  std::vector<std::tuple<int, std::string, std::string, std::uint64_t, std::string>> seen;
  for (std::size_t i = 0; i < size; ++i) {
    const perdure_object_info* one = nullptr;
    ASSERT_OK(perdure_object_list_at(list, i, &one));
    seen.emplace_back(one->kind, std::string(one->name, one->name_length), one->type_name, one->length,
                      one->data_type);
    EXPECT_EQ(one->name[one->name_length], 0);
    void* address = nullptr;
    EXPECT_OK(perdure_address_of(store, one->offset, &address));
    EXPECT_EQ(address, one->data);
  }
  std::sort(seen.begin(), seen.end());
  const decltype(seen) expected{
      {PERDURE_OBJECT_NAMED, "bytes", "unsigned char", 100, "uint8"},
      {PERDURE_OBJECT_NAMED, "doubles", "double", 10, "float64"},
      {PERDURE_OBJECT_NAMED, std::string("with\0zero", 9), "int", 1, "int32"},
      {PERDURE_OBJECT_UNIQUE, "", "int", 1, "int32"},
      {PERDURE_OBJECT_ANONYMOUS, "", "long", 1, "int64"},
  };
  EXPECT_EQ(seen, expected);
  const perdure_object_info* past = garbage<const perdure_object_info>();
  EXPECT_EQ(perdure_object_list_at(list, size, &past), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(past, nullptr);
  EXPECT_OK(perdure_object_list_free(list));
}

TEST_F(object_test, ListTellsTheMomentItWasMade) {
  perdure_object_list* list = nullptr;
  ASSERT_OK(perdure_object_list_create(store, &list));
  ASSERT_OK(perdure_data_destroy(store, "bytes"));
  close();
  std::size_t size = 0;
  ASSERT_OK(perdure_object_list_size(list, &size));
  EXPECT_EQ(size, 5U);
  bool seen = false;
  for (std::size_t i = 0; i < size; ++i) {
    const perdure_object_info* one = nullptr;
    ASSERT_OK(perdure_object_list_at(list, i, &one));
    seen = seen || std::strcmp(one->name, "bytes") == 0;
  }
  EXPECT_TRUE(seen);
  EXPECT_OK(perdure_object_list_free(list));
}

TEST_F(object_test, OfAnyTypeIsFoundByName) {
  perdure_object_list* list = nullptr;
  ASSERT_OK(perdure_object_find(store, "doubles", &list));
  std::size_t size = 0;
  ASSERT_OK(perdure_object_list_size(list, &size));
  ASSERT_EQ(size, 1U);
  const perdure_object_info* one = nullptr;
  ASSERT_OK(perdure_object_list_at(list, 0, &one));
  EXPECT_STREQ(one->type_name, "double");
  EXPECT_EQ(one->element_size, sizeof(double));
  EXPECT_EQ(one->alignment, alignof(double));
  ASSERT_EQ(one->length, 10U);
  EXPECT_EQ(static_cast<const double*>(one->data)[9], 1.5);
  EXPECT_OK(perdure_object_list_free(list));
  EXPECT_EQ(perdure_object_find(store, "other", &list), PERDURE_NOT_FOUND);
  EXPECT_EQ(list, nullptr);
}

TEST_F(object_test, AreCounted) {
  std::size_t count = 0;
  EXPECT_OK(perdure_object_count(store, PERDURE_OBJECT_NAMED, &count));
  EXPECT_EQ(count, 3U);
  EXPECT_OK(perdure_object_count(store, PERDURE_OBJECT_UNIQUE, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_OK(perdure_object_count(store, PERDURE_OBJECT_ANONYMOUS, &count));
  EXPECT_EQ(count, 1U);
  for (const int kind : {-1, 3}) {
    EXPECT_EQ(perdure_object_count(store, kind, &count), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(count, 0U);
  }
}

TEST_F(object_test, RefusesNullArguments) {
  perdure_object_list* list = nullptr;
  EXPECT_EQ(perdure_object_list_create(store, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_object_find(store, nullptr, &list), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_object_find(store, "bytes", nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_object_count(store, PERDURE_OBJECT_NAMED, nullptr), PERDURE_INVALID_ARGUMENT);
  ASSERT_OK(perdure_object_list_create(store, &list));
  EXPECT_EQ(perdure_object_list_size(list, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_object_list_at(list, 0, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_object_list_free(list));
}

}  // namespace
}  // namespace perdure::c
