// Objects that need the store's allocator get it without being asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/container/map.hpp>
#include <boost/container/scoped_allocator.hpp>
#include <boost/container/vector.hpp>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "perdure/container/deque.hpp"
#include "perdure/container/forward_list.hpp"
#include "perdure/container/list.hpp"
#include "perdure/container/map.hpp"
#include "perdure/container/set.hpp"
#include "perdure/container/stable_vector.hpp"
#include "perdure/container/unordered_map.hpp"
#include "perdure/container/unordered_set.hpp"
#include "perdure/perdure.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

struct uses_allocator_test : testing::Test {
  scratch_directory scratch;
  manager store{create_only, scratch.path()};

  bool inside(const void* address) const { return store.belongs_to_segment(address); }
};

TEST_F(uses_allocator_test, ContainersOfOurOwnGetTheAllocator) {
  auto* const numbers = store.construct<vector<int>>("numbers")();
  for (int i = 0; i < 1000; ++i) numbers->push_back(i);
  EXPECT_TRUE(inside(numbers->data()));
  auto* const sevens = store.construct<vector<int>>("sevens")(5u, 7);
  EXPECT_EQ(sevens->size(), 5U);
  auto* const text = store.construct<string>("text")("a text too long to be held inside the object itself");
  EXPECT_TRUE(inside(text->data()));
  auto* const map = store.construct<flat_map<string, vector<string>>>("map")();
  (*map)["a key that is long enough to be allocated"].emplace_back(
      "a value that is long enough, too, I think");
  EXPECT_TRUE(inside(map->begin()->second.front().data()));
  auto* const copy = store.construct<vector<int>>("copy")(*numbers);
  EXPECT_EQ(*copy, *numbers);
  EXPECT_TRUE(store.check().empty());
}

TEST_F(uses_allocator_test, AnAllocatorAmongTheArgumentsIsTaken) {
  auto* const a = store.construct<vector<int>>("a")(store.get_allocator<int>());
  auto* const b = store.construct<vector<int>>("b")(store.get_allocator());
  auto* const c = store.construct<vector<int>>("c")(3u, 1, store.get_allocator<int>());
  a->push_back(1);
  b->push_back(1);
  EXPECT_EQ(c->size(), 3U);
  EXPECT_TRUE(inside(a->data()) && inside(b->data()) && inside(c->data()));
}

TEST_F(uses_allocator_test, ElementsOfArraysGetTheAllocator) {
  auto* const vectors = store.construct<vector<int>>("vectors")[3](4u, 9);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(vectors[i].size(), 4U);
  const std::vector<std::string> words = {"one", "two", "three and then some more to make it long"};
  auto* const strings = store.construct_it<string>("strings")[3](words.begin());
  EXPECT_EQ(strings[2], words[2]);
  EXPECT_TRUE(inside(strings[2].data()));
  // What the arguments hold goes to the last element, not to the first.
  vector<int> source(store.get_allocator<int>());
  source.assign(10, 5);
  auto* const moved = store.construct<vector<int>>("moved")[3](std::move(source));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(moved[i].size(), 10U);
}

TEST_F(uses_allocator_test, MembersOfPairsGetTheAllocator) {
  auto* const pair = store.construct<std::pair<int, vector<int>>>("pair")(1, 3u);
  EXPECT_EQ(pair->first, 1);
  EXPECT_EQ(pair->second.size(), 3U);
  auto* const empty = store.construct<std::pair<string, vector<int>>>("empty")();
  empty->second.resize(100);
  EXPECT_TRUE(inside(empty->second.data()));
}

TEST_F(uses_allocator_test, BoostsContainersGetTheAllocator) {
  namespace bc = boost::container;
  using numbers = bc::vector<int, allocator<int>>;
  using table = bc::map<int, numbers, std::less<>, allocator<std::pair<const int, numbers>>>;
  auto* const map = store.construct<table>("map")();
  (*map)[3].push_back(4);
  EXPECT_TRUE(inside(map->at(3).data()));
  using scoped = bc::vector<numbers, scoped_allocator<allocator<numbers>>>;
  auto* const vectors = store.construct<scoped>("scoped")();
  vectors->emplace_back();
  vectors->back().push_back(1);
  EXPECT_TRUE(inside(vectors->back().data()));
}

TEST_F(uses_allocator_test, FallbackAllocatorsGoInside) {
  using either = vector<int, fallback_allocator<int>>;
  either outside;
  outside.assign(100, 1);
  EXPECT_FALSE(inside(outside.data()));
  auto* const stored = store.construct<either>("stored")(outside);
  EXPECT_TRUE(inside(stored->data()));
  EXPECT_EQ(*stored, outside);
}

struct graph {
  vector<int> offsets;
  vector<int> targets;
};

struct allocator_first {
  using allocator_type = allocator<std::byte>;
  allocator_first(std::allocator_arg_t, const allocator_type& a, int n) : values(a), number(n) {}
  vector<int> values;
  int number;
};

struct plain_with_allocator {
  explicit plain_with_allocator(manager::allocator_type<> a) : values(a) {}
  vector<int> values;
};

TEST_F(uses_allocator_test, TypesOfOtherShapesGetTheAllocator) {
  // An aggregate does not say that it wants an allocator; its members come with theirs.
  auto* const g = store.construct<graph>("graph")(vector<int>(store.get_allocator<int>()),
                                                  vector<int>(store.get_allocator<int>()));
  g->offsets.push_back(1);
  EXPECT_TRUE(inside(g->offsets.data()));
  auto* const first = store.construct<allocator_first>("first")(5);
  first->values.push_back(first->number);
  EXPECT_TRUE(inside(first->values.data()));
  auto* const plain = store.construct<plain_with_allocator>("plain")(store.get_allocator());
  plain->values.push_back(1);
  EXPECT_TRUE(inside(plain->values.data()));
}

TEST_F(uses_allocator_test, DestroyingFreesWhatTheObjectHeld) {
  store.construct<vector<string>>("warm up")();
  store.destroy<vector<string>>("warm up");
  store.memory().flush_caches();
  const std::size_t blocks = store.memory().stats().blocks;
  auto* const strings = store.construct<vector<string>>("strings")();
  for (int i = 0; i < 100; ++i) strings->emplace_back(std::string(100, 'x'));
  store.destroy_ptr(strings);
  store.memory().flush_caches();
  EXPECT_EQ(store.memory().stats().blocks, blocks);
}

/// All of a store's memory, but for some that can be had back.
class hoard {
 public:
  explicit hoard(manager& store) : store_(store), reserve_(store.allocate(std::size_t{256} << 10)) {
    for (const std::size_t size : {std::size_t{8} << 20, std::size_t{1} << 20, std::size_t{16} << 10})
      while (void* const block = store.allocate(size, std::nothrow)) blocks_.push_back(block);
  }
  ~hoard() {
    for (void* const block : blocks_) store_.deallocate(block);
  }
  void give_reserve() { store_.deallocate(reserve_); }

 private:
  manager& store_;
  void* reserve_;
  std::vector<void*> blocks_;
};

struct two_stores : testing::Test {
  ~two_stores() override {
    large.discard();
    small.discard();
  }
  scratch_directory roomy;
  scratch_directory cramped;
  manager large{create_only, roomy.path(), small_store()};
  manager small{create_only, cramped.path(), of_capacity(std::size_t{64} << 20)};

  static store_options of_capacity(std::size_t bytes) {
    store_options options = small_store();
    options.capacity = bytes;
    return options;
  }

  /// Swapped with the contents of a store that has no room for its own, a container keeps them, and so does
  /// the other.
  template <class Container, class Fill>
  void swap_without_room(Fill fill) {
    auto& much = *large.construct<Container>(unique_instance)();
    auto& little = *small.construct<Container>(unique_instance)();
    fill(much, 3'000);
    fill(little, 10);
    {
      hoard memory(small);
      const Container much_before(much);
      const Container little_before(little);
      const auto expect_refused = [&](auto swap_them) {
        EXPECT_THROW(swap_them(much, little), std::bad_alloc);
        EXPECT_TRUE(much == much_before && little == little_before);
        EXPECT_THROW(swap_them(little, much), std::bad_alloc);
        EXPECT_TRUE(much == much_before && little == little_before);
      };
      expect_refused([](Container& a, Container& b) { a.swap(b); });
      expect_refused([](Container& a, Container& b) {
        using std::swap;
        swap(a, b);
      });
      expect_refused([](Container& a, Container& b) { std::ranges::swap(a, b); });
      expect_refused([](Container& a, Container& b) { std::iter_swap(&a, &b); });
      much.clear();
      fill(much, 20);
      memory.give_reserve();
      const Container now(much);
      swap(much, little);
      EXPECT_TRUE(much == little_before && little == now);
      EXPECT_EQ(little.get_allocator().memory(), &small.memory());
    }
    EXPECT_TRUE(large.check().empty() && small.check().empty());
    small.destroy<Container>(unique_instance);
  }
};

/// Calls `test.template operator()<Container>(fill)` for each kind of container, where `fill(c, n)` puts `n`
/// texts of 60 bytes or so into `c`.
template <class Test>
void with_each_container(Test test) {
  const auto append = [](auto& sequence, int n) {
    for (int i = 0; i < n; ++i) sequence.emplace_back(std::string(60, static_cast<char>('a' + i % 26)));
  };
  test.template operator()<vector<string>>(append);
  test.template operator()<deque<string>>(append);
  test.template operator()<list<string>>(append);
  test.template operator()<stable_vector<string>>(append);
  test.template operator()<forward_list<string>>([](auto& sequence, int n) {
    for (int i = 0; i < n; ++i) sequence.emplace_front(std::string(60, static_cast<char>('a' + i % 26)));
  });
  const auto insert_pairs = [](auto& m, int n) {
    for (int i = 0; i < n; ++i) m.emplace(i, std::string(60, static_cast<char>('a' + i % 26)));
  };
  test.template operator()<flat_map<int, string>>(insert_pairs);
  test.template operator()<map<int, string>>(insert_pairs);
  test.template operator()<multimap<int, string>>(insert_pairs);
  test.template operator()<unordered_map<int, string>>(insert_pairs);
  test.template operator()<unordered_multimap<int, string>>(insert_pairs);
  const auto insert = [](auto& s, int n) {
    for (int i = 0; i < n; ++i) s.emplace(std::string(50, 'x') + std::to_string(i));
  };
  test.template operator()<flat_set<string>>(insert);
  test.template operator()<set<string>>(insert);
  test.template operator()<multiset<string>>(insert);
  test.template operator()<unordered_set<string>>(insert);
  test.template operator()<unordered_multiset<string>>(insert);
  test.template operator()<string>([](auto& s, int n) { s.assign(static_cast<std::size_t>(n) * 60, 'x'); });
}

TEST_F(two_stores, SwapLosesNothingWhenOneIsFull) {
  with_each_container([&]<class Container>(auto fill) { swap_without_room<Container>(fill); });
}

/// Called by that name std::swap moves three times, whatever containers have of their own.
TEST_F(two_stores, WhatAQualifiedSwapLosesIsNotCommitted) {
  const auto test = [&]<class T>(auto fill) {
    SCOPED_TRACE(type_stamp_of<T>().name);
    const auto expect_counted = [&](manager& store, auto swap_them) {
      auto& much = *large.construct<T>(unique_instance)();
      auto& little = *small.construct<T>(unique_instance)();
      T outside;
      fill(much, 3'000);
      fill(little, 10);
      fill(outside, 3'000);
      {
        const hoard memory(small);
        const unsigned before = store.memory().failed_moves();
        EXPECT_THROW(swap_them(much, little, outside), std::bad_alloc);
        EXPECT_GT(store.memory().failed_moves(), before);
      }
      large.destroy<T>(unique_instance);
      small.destroy<T>(unique_instance);
    };
    expect_counted(small, [](T& much, T& little, T&) { std::swap<T>(little, much); });
    expect_counted(large, [](T& much, T& little, T&) { std::swap<T>(much, little); });
    expect_counted(small, [](T&, T& little, T& outside) { std::swap<T>(outside, little); });
    expect_counted(small, [](T&, T& little, T& outside) { std::swap<T>(little, outside); });
  };
  with_each_container(test);
  struct several {
    int number = 0;
    string name;
    list<string> lines;
    flat_map<int, string> table;
    vector<string> row;
  };
  for (int which = 0; which < 3; ++which)
    test.operator()<several>([&](several& s, int n) {
      s.name = "a name that is too long for the string itself";
      if (which == 0) s.lines.resize(static_cast<std::size_t>(n), string(60, 'x'));
      for (int i = 0; i < n && which == 1; ++i) s.table[i] = string(60, 'x');
      if (which == 2) s.row.resize(static_cast<std::size_t>(n), string(60, 'x'));
    });
  for (manager* const store : {&large, &small})
    EXPECT_EQ(code_of([&] { store->checkpoint(); }), errc::out_of_capacity);
}

TEST_F(two_stores, AFailedAssignmentThatLosesNothingHoldsUpNoCheckpoint) {
  with_each_container([&]<class Container>(auto fill) {
    auto& little = *small.construct<Container>(unique_instance)();
    auto& empty = *small.construct<Container>(anonymous_instance)();
    fill(little, 10);
    Container outside;
    fill(outside, 3'000);
    const hoard memory(small);
    EXPECT_THROW(little = std::move(outside), std::bad_alloc);
    EXPECT_THROW(empty = std::move(outside), std::bad_alloc);
  });
  EXPECT_EQ(small.memory().failed_moves(), 0U);
  auto& text = *small.construct<string>("text")(std::string(60, 'x'));
  const string taken = std::move(text);
  text = string(std::string(60, 'y'));
  small.checkpoint();
}

}  // namespace
}  // namespace perdure
