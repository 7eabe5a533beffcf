// Attributes of named objects.
#include "perdure/c/attribute.h"

#include <map>

#include "c/c_store.hpp"
#include "perdure/manager.hpp"

namespace perdure::c {
namespace {

struct attribute_test : c_store_test {
  void SetUp() override {
    c_store_test::SetUp();
    void* data = nullptr;
    ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 8, 0, &data));
  }
  std::string get(const char* name, const char* key) {
    char buffer[64] = {};
    std::size_t size = 0;
    EXPECT_OK(perdure_attribute_get(store, name, key, buffer, sizeof buffer, &size));
    return {buffer, size};
  }
};

TEST_F(attribute_test, IsSetReplacedAndKept) {
  EXPECT_OK(perdure_attribute_set(store, "bytes", "unit", "kg", 2));
  EXPECT_EQ(get("bytes", "unit"), "kg");
  EXPECT_OK(perdure_attribute_set(store, "bytes", "unit", "a\0b", 3));
  EXPECT_EQ(get("bytes", "unit"), std::string("a\0b", 3));
  EXPECT_OK(perdure_attribute_set(store, "bytes", "empty", nullptr, 0));
  reopen();
  EXPECT_EQ(get("bytes", "unit"), std::string("a\0b", 3));
  EXPECT_EQ(get("bytes", "empty"), "");
}

TEST_F(attribute_test, SizeIsToldFirst) {
  ASSERT_OK(perdure_attribute_set(store, "bytes", "unit", "metre", 5));
  std::size_t size = 0;
  EXPECT_OK(perdure_attribute_get(store, "bytes", "unit", nullptr, 0, &size));
  EXPECT_EQ(size, 5U);
  char buffer[8] = "xxxxxxx";
  size = 0;
  EXPECT_EQ(perdure_attribute_get(store, "bytes", "unit", buffer, 4, &size), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(size, 5U);
  EXPECT_STREQ(buffer, "xxxxxxx");
  EXPECT_OK(perdure_attribute_get(store, "bytes", "unit", buffer, 5, nullptr));
  EXPECT_STREQ(buffer, "metrexx");
}

TEST_F(attribute_test, IsRemoved) {
  ASSERT_OK(perdure_attribute_set(store, "bytes", "unit", "kg", 2));
  EXPECT_OK(perdure_attribute_remove(store, "bytes", "unit"));
  EXPECT_EQ(perdure_attribute_remove(store, "bytes", "unit"), PERDURE_NOT_FOUND);
  std::size_t size = 1;
  EXPECT_EQ(perdure_attribute_get(store, "bytes", "unit", nullptr, 0, &size), PERDURE_NOT_FOUND);
  EXPECT_EQ(size, 0U);
}

TEST_F(attribute_test, BelongsToAnObject) {
  std::size_t size = 0;
  EXPECT_EQ(perdure_attribute_set(store, "other", "unit", "kg", 2), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_attribute_get(store, "other", "unit", nullptr, 0, &size), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_attribute_remove(store, "other", "unit"), PERDURE_NOT_FOUND);
  perdure_attribute_list* list = garbage<perdure_attribute_list>();
  EXPECT_EQ(perdure_attribute_list_create(store, "other", &list), PERDURE_NOT_FOUND);
  EXPECT_EQ(list, nullptr);
}

TEST_F(attribute_test, AreListed) {
  ASSERT_OK(perdure_attribute_set(store, "bytes", "unit", "kg", 2));
  ASSERT_OK(perdure_attribute_set(store, "bytes", "note", "long", 4));
  perdure_attribute_list* list = nullptr;
  ASSERT_OK(perdure_attribute_list_create(store, "bytes", &list));
  ASSERT_OK(perdure_data_destroy(store, "bytes"));
  std::size_t size = 0;
  ASSERT_OK(perdure_attribute_list_size(list, &size));
  std::map<std::string, std::string> seen;
  const perdure_attribute* one = nullptr;
  for (std::size_t i = 0; i < size; ++i) {
    ASSERT_OK(perdure_attribute_list_at(list, i, &one));
    seen[std::string(one->key, one->key_length)] =
        std::string(static_cast<const char*>(one->value), one->value_size);
    EXPECT_EQ(std::strlen(one->key), one->key_length);
    EXPECT_EQ(static_cast<const char*>(one->value)[one->value_size], 0);
  }
  EXPECT_EQ(seen, (std::map<std::string, std::string>{{"unit", "kg"}, {"note", "long"}}));
  EXPECT_EQ(perdure_attribute_list_at(list, size, &one), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(one, nullptr);
  EXPECT_OK(perdure_attribute_list_free(list));
}

TEST_F(attribute_test, AreSharedWithCpp) {
  close();
  {
    manager cpp(open_only, path);
    cpp.construct<int>("number")(1);
    cpp.set_attribute("number", "unit", "m");
    cpp.close();
  }
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  EXPECT_EQ(get("number", "unit"), "m");
  EXPECT_OK(perdure_attribute_set(store, "number", "note", "from C", 6));
  close();
  EXPECT_EQ(manager(open_read_only, path).attribute("number", "note"), "from C");
}

TEST_F(attribute_test, IsOfBoundedLength) {
  const std::string long_key(4097, 'k');
  const std::string long_value((1 << 20) + 1, 'v');
  EXPECT_EQ(perdure_attribute_set(store, "bytes", long_key.c_str(), "v", 1), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_set(store, "bytes", "key", long_value.data(), long_value.size()),
            PERDURE_INVALID_ARGUMENT);
}

TEST_F(attribute_test, StaysAsItIsInAReadOnlyStore) {
  ASSERT_OK(perdure_attribute_set(store, "bytes", "unit", "kg", 2));
  reopen_read_only();
  EXPECT_EQ(get("bytes", "unit"), "kg");
  EXPECT_EQ(perdure_attribute_set(store, "bytes", "unit", "g", 1), PERDURE_READ_ONLY);
  EXPECT_EQ(perdure_attribute_remove(store, "bytes", "unit"), PERDURE_READ_ONLY);
}

TEST_F(attribute_test, RefusesNullArguments) {
  std::size_t size = 0;
  perdure_attribute_list* list = nullptr;
  EXPECT_EQ(perdure_attribute_set(store, nullptr, "unit", "kg", 2), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_set(store, "bytes", nullptr, "kg", 2), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_set(store, "bytes", "unit", nullptr, 2), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_get(store, nullptr, "unit", nullptr, 0, &size), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_get(store, "bytes", nullptr, nullptr, 0, &size), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_get(store, "bytes", "unit", nullptr, 8, &size), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_remove(store, nullptr, "unit"), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_remove(store, "bytes", nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_list_create(store, nullptr, &list), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_list_create(store, "bytes", nullptr), PERDURE_INVALID_ARGUMENT);
  ASSERT_OK(perdure_attribute_list_create(store, "bytes", &list));
  EXPECT_EQ(perdure_attribute_list_size(list, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_attribute_list_at(list, 0, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_attribute_list_free(list));
}

}  // namespace
}  // namespace perdure::c
