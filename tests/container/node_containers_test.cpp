// The containers taken from Boost, over the store's allocator: they work at all, nest, and leak nothing.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <perdure/container/deque.hpp>
#include <perdure/container/flat_map.hpp>
#include <perdure/container/flat_set.hpp>
#include <perdure/container/forward_list.hpp>
#include <perdure/container/list.hpp>
#include <perdure/container/map.hpp>
#include <perdure/container/queue.hpp>
#include <perdure/container/set.hpp>
#include <perdure/container/stable_vector.hpp>
#include <perdure/container/stack.hpp>
#include <perdure/container/string.hpp>
#include <perdure/container/unordered_map.hpp>
#include <perdure/container/unordered_set.hpp>
#include <perdure/container/vector.hpp>
#include <perdure/scoped_allocator.hpp>
#include <random>
#include <string>

#include "container/store_heap.hpp"

namespace {
using perdure::test::store_heap;

const std::string long_text = "a text too long to be kept inside the string object";

bool in_store(store_heap& heap, const void* p) {
  return perdure::heap::containing(p) == &*heap;
}

// Sequences -----------------------------------------------------------------------------------------------

template <class Sequence>
class SequenceOf : public testing::Test {};
template <template <class...> class Container>
struct of {
  using numbers = Container<int, perdure::allocator<int>>;
  using strings = Container<perdure::string, perdure::allocator<perdure::string>>;
};
using sequences =
    testing::Types<of<perdure::vector>, of<perdure::deque>, of<perdure::list>, of<perdure::stable_vector>>;
TYPED_TEST_SUITE(SequenceOf, sequences);

TYPED_TEST(SequenceOf, HoldsNumbers) {
  store_heap heap;
  const std::size_t before = heap.blocks();
  {
    typename TypeParam::numbers values{perdure::allocator<int>(*heap)};
    std::deque<int> model;
    std::mt19937 random(1);
    for (int i = 0; i < 5000; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(random() % (model.size() + 1));
      if (random() % 3 != 0 || model.empty()) {
        values.insert(std::next(values.begin(), at), i);
        model.insert(model.begin() + at, i);
      } else if (static_cast<std::size_t>(at) != model.size()) {
        values.erase(std::next(values.begin(), at));
        model.erase(model.begin() + at);
      }
    }
    ASSERT_TRUE(std::equal(values.begin(), values.end(), model.begin(), model.end()));
    auto copy = values;
    EXPECT_EQ(copy, values);
    auto moved = std::move(copy);
    EXPECT_EQ(moved, values);
    moved.clear();
    EXPECT_TRUE(moved.empty());
  }
  EXPECT_EQ(heap.blocks(), before);
}

TYPED_TEST(SequenceOf, PutsItsStringsIntoTheStore) {
  store_heap heap;
  const std::size_t before = heap.blocks();
  {
    typename TypeParam::strings values{perdure::allocator<perdure::string>(*heap)};
    values.emplace_back(long_text.c_str());
    values.emplace_back(long_text);
    values.emplace_back();
    values.push_back(perdure::string("short", perdure::allocator<char>(*heap)));
    values.emplace(values.begin(), 30U, 'x');
    values.resize(7);
    EXPECT_EQ(values.front(), std::string(30, 'x'));
    EXPECT_EQ(*std::next(values.begin(), 2), long_text);
    for (const auto& text : values) EXPECT_EQ(text.get_allocator().memory(), &*heap);
    EXPECT_TRUE(in_store(heap, values.front().data()));
  }
  EXPECT_EQ(heap.blocks(), before);
}

TEST(ForwardList, HoldsStrings) {
  store_heap heap;
  perdure::forward_list<perdure::string> values{perdure::allocator<perdure::string>(*heap)};
  values.emplace_front(long_text);
  values.emplace_after(values.begin(), "b");
  EXPECT_EQ(values.size(), 2U);
  EXPECT_EQ(values.front(), long_text);
}

// Maps ----------------------------------------------------------------------------------------------------

template <class Map>
class MapOf : public testing::Test {};
template <template <class...> class Map, class Order, bool Multi>
struct map_kind {
  template <class K, class V>
  using map = typename Order::template map<Map, K, V>;
  static constexpr bool multi = Multi;
};
struct ordered {
  template <template <class...> class Map, class K, class V>
  using map = Map<K, V, std::less<>, perdure::allocator<std::pair<const K, V>>>;
};
struct hashed {
  template <template <class...> class Map, class K, class V>
  using map = Map<K, V, perdure::hash<K>, perdure::equal_to, perdure::allocator<std::pair<const K, V>>>;
};
using maps =
    testing::Types<map_kind<perdure::map, ordered, false>, map_kind<perdure::unordered_map, hashed, false>,
                   map_kind<perdure::flat_map, hashed, false>>;
TYPED_TEST_SUITE(MapOf, maps);

TYPED_TEST(MapOf, HoldsNumbers) {
  store_heap heap;
  const std::size_t before = heap.blocks();
  {
    using map = typename TypeParam::template map<int, int>;
    map values{typename map::allocator_type(*heap)};
    std::map<int, int> model;
    std::mt19937 random(2);
    for (int i = 0; i < 20000; ++i) {
      const int key = static_cast<int>(random() % 500);
      switch (random() % 5) {
        case 0:
          ASSERT_EQ(values.erase(key), model.erase(key));
          break;
        case 1:
          ASSERT_EQ(values.insert_or_assign(key, i).second, model.insert_or_assign(key, i).second);
          break;
        case 2:
          ASSERT_EQ(values.try_emplace(key, i).second, model.try_emplace(key, i).second);
          break;
        case 3:
          ASSERT_EQ(values.emplace(key, i).second, model.emplace(key, i).second);
          break;
        default:
          ASSERT_EQ(values[key] += i, model[key] += i);
      }
    }
    ASSERT_EQ(values.size(), model.size());
    for (const auto& [key, value] : values) ASSERT_EQ(model.at(key), value);
    map copy = values;
    EXPECT_TRUE(copy == values);
    copy.clear();
  }
  EXPECT_EQ(heap.blocks(), before);
}

TYPED_TEST(MapOf, PutsKeysAndValuesIntoTheStore) {
  store_heap heap;
  const std::size_t before = heap.blocks();
  {
    using strings = perdure::vector<perdure::string>;
    using map = typename TypeParam::template map<perdure::string, strings>;
    map values{typename map::allocator_type(*heap)};
    const perdure::allocator<char> chars(*heap);
    values[perdure::string("first", chars)].emplace_back(long_text);
    values.try_emplace(perdure::string(long_text, chars)).first->second.emplace_back("x");
    values.try_emplace(perdure::string("third", chars), 3U);
    values.emplace(perdure::string("fourth", chars), strings(2, perdure::allocator<int>(*heap)));
    values.emplace(std::piecewise_construct, std::forward_as_tuple("fifth"), std::forward_as_tuple(5U));
    values.emplace("sixth", strings(perdure::allocator<int>(*heap)));
    values.insert_or_assign(perdure::string("third", chars), strings(4, chars));
    EXPECT_EQ(values.size(), 6U);
    for (const auto& [key, list] : values) {
      EXPECT_EQ(key.get_allocator().memory(), &*heap);
      EXPECT_EQ(list.get_allocator().memory(), &*heap);
    }
    EXPECT_EQ(values.find(std::string_view("third"))->second.size(), 4U);
    EXPECT_EQ(values.find("first")->second.front(), long_text);
    EXPECT_TRUE(in_store(heap, values.find("first")->second.front().data()));
    EXPECT_EQ(values.find("nothing"), values.end());
    EXPECT_EQ(values.erase(values.find("third")->first), 1U);
  }
  EXPECT_EQ(heap.blocks(), before);
}

TYPED_TEST(MapOf, TakesAStringViewForAKey) {
  store_heap heap;
  using map = typename TypeParam::template map<perdure::string, int>;
  map values{typename map::allocator_type(*heap)};
  const std::string_view key = long_text;
  values[key] = 1;
  EXPECT_EQ(++values[key], 2);
  EXPECT_EQ(values["short"], 0);
  EXPECT_EQ(values[perdure::string("short")] += 5, 5);
  EXPECT_EQ(values[std::string_view("short")], 5);
  EXPECT_EQ(values.size(), 2U);
  EXPECT_TRUE(in_store(heap, values.find(key)->first.data()));
}

TYPED_TEST(MapOf, NestsMaps) {
  store_heap heap;
  using inner = typename TypeParam::template map<int, perdure::string>;
  using outer = typename TypeParam::template map<int, inner>;
  outer values{typename outer::allocator_type(*heap)};
  for (int i = 0; i < 100; ++i) values[i % 10].try_emplace(i, long_text);
  for (auto& [key, in] : values) {
    EXPECT_EQ(in.size(), 10U) << key;
    for (auto& [k, text] : in) EXPECT_EQ(text, long_text) << k;
    EXPECT_EQ(in.get_allocator().memory(), &*heap);
  }
}

TEST(MultiContainers, KeepEqualKeys) {
  store_heap heap;
  const perdure::allocator<int> alloc(*heap);
  perdure::multimap<perdure::string, int> ordered_map(alloc);
  perdure::unordered_multimap<perdure::string, int> hashed_map(alloc);
  perdure::multiset<int> ordered_set(alloc);
  perdure::unordered_multiset<int> hashed_set(alloc);
  for (int i = 0; i < 3; ++i) {
    ordered_map.emplace("key", i);
    hashed_map.emplace("key", i);
    ordered_set.insert(7);
    hashed_set.insert(7);
  }
  EXPECT_EQ(ordered_map.count("key"), 3U);
  EXPECT_EQ(hashed_map.count(perdure::string("key", alloc)), 3U);
  EXPECT_EQ(ordered_set.count(7), 3U);
  EXPECT_EQ(hashed_set.count(7), 3U);
}

TEST(Sets, HoldStrings) {
  store_heap heap;
  const perdure::allocator<char> alloc(*heap);
  perdure::set<perdure::string> ordered_set(alloc);
  perdure::unordered_set<perdure::string> hashed_set(alloc);
  perdure::flat_set<perdure::string> flat(alloc);
  for (const char* text : {"b", "a", "b", long_text.c_str()}) {
    ordered_set.emplace(text);
    hashed_set.emplace(text);
    flat.emplace(text);
  }
  EXPECT_EQ(ordered_set.size(), 3U);
  EXPECT_EQ(hashed_set.size(), 3U);
  EXPECT_EQ(flat.size(), 3U);
  EXPECT_TRUE(ordered_set.contains(long_text));
  EXPECT_TRUE(hashed_set.contains(long_text));
  EXPECT_TRUE(flat.contains(long_text));
  EXPECT_EQ(ordered_set.begin()->get_allocator().memory(), &*heap);
  EXPECT_EQ(hashed_set.begin()->get_allocator().memory(), &*heap);
  EXPECT_EQ(flat.begin()->get_allocator().memory(), &*heap);
}

TEST(Adaptors, KeepTheirOrder) {
  store_heap heap;
  const perdure::allocator<int> alloc(*heap);
  perdure::stack<int> stack(alloc);
  perdure::queue<perdure::string> queue(alloc);
  perdure::priority_queue<int> largest_first(alloc);
  for (int i : {3, 9, 5}) {
    stack.push(i);
    queue.emplace(std::to_string(i));
    largest_first.push(i);
  }
  EXPECT_EQ(stack.top(), 5);
  EXPECT_EQ(queue.front(), "3");
  EXPECT_EQ(largest_first.top(), 9);
}

TEST(ScopedAllocator, ReachesInnerContainers) {
  store_heap heap;
  using inner = perdure::vector<int>;
  using alloc = perdure::scoped_allocator<perdure::allocator<inner>>;
  perdure::vector<inner, alloc> values{alloc(*heap)};
  values.emplace_back(3U, 7);
  EXPECT_EQ(values[0].get_allocator().memory(), &*heap);
  EXPECT_EQ(values[0][2], 7);
}

// Other allocators ----------------------------------------------------------------------------------------

TEST(FallbackAllocator, UsesOrdinaryMemoryUntilGivenAStore) {
  store_heap heap;
  using strings = perdure::basic_string<char, std::char_traits<char>, perdure::fallback_allocator<char>>;
  using list = perdure::vector<strings, perdure::fallback_allocator<strings>>;
  list outside;
  outside.emplace_back(long_text);
  EXPECT_EQ(outside.get_allocator().memory(), nullptr);
  list inside(outside, perdure::fallback_allocator<strings>(*heap));
  EXPECT_EQ(inside, outside);
  EXPECT_TRUE(in_store(heap, inside[0].data()));
  inside = std::move(outside);
  EXPECT_EQ(inside.get_allocator().memory(), &*heap);
  EXPECT_TRUE(in_store(heap, inside[0].data()));
  list other{long_text.c_str(), "b"};
  other.swap(inside);
  EXPECT_EQ(inside.size(), 2U);
  EXPECT_EQ(other.size(), 1U);
  EXPECT_TRUE(in_store(heap, inside[0].data()));
  EXPECT_FALSE(in_store(heap, other[0].data()));
}

TEST(PinnedAllocator, ServesStandardContainers) {
  store_heap heap;
  const std::size_t before = heap.blocks();
  {
    using text = std::basic_string<char, std::char_traits<char>, perdure::pinned_allocator<char>>;
    using element = std::pair<const text, int>;
    std::map<text, int, std::less<>, perdure::pinned_allocator<element>> values{
        perdure::pinned_allocator<element>(*heap)};
    values.emplace(long_text.c_str(), 1);
    values.try_emplace(text("k", perdure::pinned_allocator<char>(*heap)), 2);
    EXPECT_EQ(values.begin()->first.get_allocator().memory(), &*heap);
    perdure::vector<int, perdure::pinned_allocator<int>> numbers{perdure::pinned_allocator<int>(*heap)};
    for (int i = 0; i < 100000; ++i) numbers.push_back(i);
    EXPECT_EQ(numbers.back(), 99999);
  }
  EXPECT_EQ(heap.blocks(), before);
}

}  // namespace
