// Values under text keys.
#include <map>
#include <metall/container/string.hpp>
#include <metall/container/string_key_store.hpp>
#include <metall/container/vector.hpp>
#include <metall/json/json.hpp>
#include <string>
#include <string_view>

#include "compat/metall/metall_test.hpp"

namespace {

using store_type = metall::container::string_key_store<int>;

struct string_key_store_test : metall_test {
  metall::manager manager{metall::create_only, path()};
  store_type multi{manager.get_allocator()};
  store_type unique{true, 7, manager.get_allocator()};
};

TEST_F(string_key_store_test, UniqueKeysAreInsertedOnce) {
  EXPECT_TRUE(unique.unique());
  EXPECT_EQ(unique.hash_seed(), 7U);
  EXPECT_TRUE(unique.insert("a"));
  EXPECT_FALSE(unique.insert("a"));
  EXPECT_EQ(unique.value(unique.find("a")), 0);
  EXPECT_TRUE(unique.insert("a", 1));
  const int two = 2;
  EXPECT_TRUE(unique.insert("b", two));
  EXPECT_EQ(unique.size(), 2U);
  EXPECT_EQ(unique.count("a"), 1U);
  EXPECT_EQ(unique.count("c"), 0U);
  EXPECT_EQ(unique.find("c"), unique.end());
  unique.value(unique.find("a")) = 5;
  EXPECT_EQ(static_cast<const store_type&>(unique).value(unique.find("a")), 5);
  EXPECT_EQ(unique.key(unique.find("b")), "b");
}

TEST_F(string_key_store_test, KeysMayOccurAnyNumberOfTimes) {
  EXPECT_FALSE(multi.unique());
  for (int i = 0; i < 3; ++i) multi.insert("a", i);
  multi.insert("b");
  EXPECT_EQ(multi.count("a"), 3U);
  int sum = 0;
  for (auto [at, end] = multi.equal_range("a"); at != end; ++at) sum += multi.value(at);
  EXPECT_EQ(sum, 3);
  const auto [none, end_of_none] = multi.equal_range("c");
  EXPECT_EQ(none, end_of_none);
  std::map<std::string_view, int> keys;
  for (auto at = multi.begin(); at != multi.end(); at++) ++keys[multi.key(at)];
  EXPECT_EQ(keys, (std::map<std::string_view, int>{{"a", 3}, {"b", 1}}));
}

TEST_F(string_key_store_test, EraseOfManyDoesNotLookAtThoseThatAreGone) {
  // In ordinary memory, where AddressSanitizer sees them.
  metall::container::string_key_store<int, std::allocator<std::byte>> ordinary;
  for (int i = 0; i < 1000; ++i) ordinary.insert("a", i);
  ordinary.insert("b", 1);
  EXPECT_EQ(ordinary.erase("a"), 1000U);
  EXPECT_EQ(ordinary.size(), 1U);
  EXPECT_EQ(ordinary.count("b"), 1U);
}

TEST_F(string_key_store_test, DefaultValuesTakeTheAllocator) {
  using json_value = metall::json::value<metall::manager::allocator_type<std::byte>>;
  metall::container::string_key_store<json_value> values(manager.get_allocator());
  EXPECT_TRUE(values.insert("nothing"));
  EXPECT_TRUE(values.value(values.find("nothing")).is_null());
  values.value(values.find("nothing")).emplace_int64() = 3;
  EXPECT_EQ(values.value(values.find("nothing")).as_int64(), 3);
}

TEST_F(string_key_store_test, ErasedKeysAreGone) {
  for (int i = 0; i < 100; ++i) unique.insert(std::to_string(i), i);
  EXPECT_EQ(unique.erase("5"), 1U);
  EXPECT_EQ(unique.erase("5"), 0U);
  unique.erase(unique.find("6"));
  EXPECT_EQ(unique.erase(unique.end()), unique.end());
  EXPECT_EQ(unique.size(), 98U);
  unique.rehash();
  EXPECT_EQ(unique.size(), 98U);
  EXPECT_EQ(unique.value(unique.find("77")), 77);
  unique.clear();
  EXPECT_EQ(unique.size(), 0U);
  EXPECT_EQ(unique.max_id_probe_distance(), 0U);
}

TEST_F(string_key_store_test, KeysMayHaveAnyBytes) {
  using namespace std::string_view_literals;
  unique.insert("a\0b"sv, 1);
  unique.insert("a\0c"sv, 2);
  unique.insert("a"sv.substr(0, 1), 3);
  unique.insert("", 4);
  EXPECT_EQ(unique.value(unique.find("a\0c"sv)), 2);
  EXPECT_EQ(unique.value(unique.find("a")), 3);
  EXPECT_EQ(unique.value(unique.find("")), 4);
  EXPECT_EQ(unique.key(unique.find("a\0b"sv)).size(), 3U);
}

TEST_F(string_key_store_test, ValuesThatTakeAnAllocatorSurvive) {
  using values = metall::container::vector<metall::container::string>;
  using store = metall::container::string_key_store<values>;
  store* const made = manager.construct<store>("it")(true, 1U, manager.get_allocator());
  made->insert("key");
  made->value(made->find("key")).emplace_back("a text that is too long to lie in the string itself");
  manager = metall::manager(metall::create_only, path("other"));
  const metall::manager again(metall::open_read_only, path());
  const store* const found = again.find<store>("it").first;
  EXPECT_EQ(found->value(found->find("key")).front().size(), 51U);
}

TEST_F(string_key_store_test, CopiesAndMoves) {
  unique.insert("a", 1);
  store_type copy(unique);
  const store_type copy_elsewhere(unique, manager.get_allocator());
  EXPECT_TRUE(copy.unique() && copy_elsewhere.unique());
  copy.insert("b", 2);
  EXPECT_EQ(unique.size(), 1U);
  const store_type moved(std::move(copy));
  EXPECT_EQ(moved.size(), 2U);
  EXPECT_EQ(copy_elsewhere.value(copy_elsewhere.find("a")), 1);
  unique = moved;
  EXPECT_EQ(unique.size(), 2U);
  EXPECT_EQ(unique.get_allocator(), manager.get_allocator());
}

}  // namespace
