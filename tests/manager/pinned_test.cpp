// Pinned stores: plain pointers and the standard library's containers survive.
#include <gtest/gtest.h>

#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "perdure/manager.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

template <class T>
using pinned_vector = std::vector<T, pinned_allocator<T>>;
using pinned_string = std::basic_string<char, std::char_traits<char>, pinned_allocator<char>>;
template <class K, class V>
using pinned_map = std::map<K, V, std::less<>, pinned_allocator<std::pair<const K, V>>>;
template <class K, class V>
using pinned_unordered_map =
    std::unordered_map<K, V, std::hash<K>, std::equal_to<K>, pinned_allocator<std::pair<const K, V>>>;

struct node {
  int value;
  node* next;
};

TEST(pinned_store, StandardContainersSurvive) {
  const scratch_directory scratch;
  const char* const text = "a text that is longer than the string's own room";
  ASSERT_TRUE(in_another_process([&] {
    pinned_manager store(create_only, scratch.path(), small_store());
    auto* const map = store.construct<pinned_map<int, pinned_vector<pinned_string>>>("map")();
    for (int i = 0; i < 1000; ++i) (*map)[i % 10].emplace_back(text);
    auto* const hashed = store.construct<pinned_unordered_map<int, double>>("hashed")();
    for (int i = 0; i < 1000; ++i) (*hashed)[i] = i * 0.5;
    auto* const list = store.construct<std::list<int, pinned_allocator<int>>>("list")();
    for (int i = 0; i < 100; ++i) list->push_back(i);
    node* first = nullptr;
    for (int i = 0; i < 10; ++i) first = store.construct<node>(anonymous_instance)(i, first);
    store.construct<node*>("first")(first);
    store.close();
    return 0;
  }));
  pinned_manager store(open_only, scratch.path());
  auto* const map = store.find<pinned_map<int, pinned_vector<pinned_string>>>("map").first;
  ASSERT_NE(map, nullptr);
  ASSERT_EQ(map->size(), 10U);
  for (const auto& [key, strings] : *map) {
    EXPECT_EQ(strings.size(), 100U);
    EXPECT_EQ(std::string_view(strings.back()), text);
  }
  // They go on growing, inside the store.
  (*map)[11].emplace_back(text);
  EXPECT_TRUE(store.belongs_to_segment(map->at(11).front().data()));
  auto* const hashed = store.find<pinned_unordered_map<int, double>>("hashed").first;
  EXPECT_EQ(hashed->at(999), 499.5);
  EXPECT_EQ((store.find<std::list<int, pinned_allocator<int>>>("list").first->back()), 99);
  int sum = 0;
  for (const node* at = *store.find<node*>("first").first; at != nullptr; at = at->next) sum += at->value;
  EXPECT_EQ(sum, 45);
  EXPECT_EQ(store.get_num_anonymous_objects(), 10U);
  EXPECT_TRUE((store.destroy<pinned_map<int, pinned_vector<pinned_string>>>("map")));
  EXPECT_TRUE(store.check().empty());
}

TEST(pinned_store, TheAddressIsTheSame) {
  const scratch_directory scratch;
  void* address = nullptr;
  {
    pinned_manager store(create_only, scratch.path(), small_store());
    address = store.get_address();
  }
  pinned_manager store(open_only, scratch.path());
  EXPECT_EQ(store.get_address(), address);
}

TEST(pinned_store, RelocatableStoresAreRefused) {
  const scratch_directory scratch;
  { manager store(create_only, scratch.path(), small_store()); }
  EXPECT_EQ(code_of([&] { pinned_manager store(open_only, scratch.path()); }), errc::incompatible);
  EXPECT_EQ(code_of([&] { pinned_manager store(open_read_only, scratch.path()); }), errc::incompatible);
  EXPECT_EQ(code_of([&] { pinned_manager store(open_or_create, scratch.path(), small_store()); }),
            errc::incompatible);
  // It is not left locked.
  manager store(open_only, scratch.path());
}

TEST(pinned_store, AManagerMayLookIntoIt) {
  const scratch_directory scratch;
  {
    pinned_manager store(create_only, scratch.path(), small_store());
    store.construct<int>("x")(5);
  }
  manager store(open_only, scratch.path());
  EXPECT_EQ(*store.find<int>("x").first, 5);
}

}  // namespace
}  // namespace perdure
