// Objects that need the store's allocator get it without being asked.
#include <gtest/gtest.h>

#include <boost/container/map.hpp>
#include <boost/container/scoped_allocator.hpp>
#include <boost/container/vector.hpp>
#include <string>
#include <utility>
#include <vector>

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

TEST_F(uses_allocator_test, ContainersOfOurOwn) {
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

TEST_F(uses_allocator_test, Arrays) {
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

TEST_F(uses_allocator_test, Pairs) {
  auto* const pair = store.construct<std::pair<int, vector<int>>>("pair")(1, 3u);
  EXPECT_EQ(pair->first, 1);
  EXPECT_EQ(pair->second.size(), 3U);
  auto* const empty = store.construct<std::pair<string, vector<int>>>("empty")();
  empty->second.resize(100);
  EXPECT_TRUE(inside(empty->second.data()));
}

TEST_F(uses_allocator_test, BoostContainers) {
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

TEST_F(uses_allocator_test, OtherShapes) {
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

/// Swapped with the contents of a store that has no room for its own, a container keeps them, and so does the
/// other.
template <class Container, class Fill>
void swap_without_room(Fill fill) {
  const scratch_directory roomy;
  const scratch_directory cramped;
  store_options options = small_store();
  manager large(create_only, roomy.path(), options);
  options.capacity = std::size_t{8} << 20;
  manager small(create_only, cramped.path(), options);
  auto& much = *large.construct<Container>("c")();
  auto& little = *small.construct<Container>("c")();
  fill(much, 3'000);
  fill(little, 10);
  void* const reserve = small.allocate(std::size_t{256} << 10);
  for (const std::size_t size : {std::size_t{8} << 20, std::size_t{1} << 20, std::size_t{16} << 10})
    while (small.allocate(size, std::nothrow) != nullptr) {
    }
  const Container much_before(much, large.get_allocator());
  const Container little_before(little, large.get_allocator());
  EXPECT_THROW(much.swap(little), std::bad_alloc);
  EXPECT_EQ(much, much_before);
  EXPECT_EQ(little, little_before);
  EXPECT_THROW(little.swap(much), std::bad_alloc);
  EXPECT_EQ(much, much_before);
  EXPECT_EQ(little, little_before);
  EXPECT_TRUE(large.check().empty() && small.check().empty());
  much.clear();
  fill(much, 20);
  small.deallocate(reserve);
  const Container now(much, large.get_allocator());
  much.swap(little);
  EXPECT_EQ(much, little_before);
  EXPECT_EQ(little, now);
  EXPECT_EQ(little.get_allocator().memory(), &small.memory());
}

TEST(uses_allocator, SwapBetweenStoresLosesNothingWhenOneIsFull) {
  swap_without_room<vector<string>>([](auto& v, int n) {
    for (int i = 0; i < n; ++i) v.emplace_back(std::string(60, static_cast<char>('a' + i % 26)));
  });
  swap_without_room<flat_map<int, string>>([](auto& m, int n) {
    for (int i = 0; i < n; ++i) m.try_emplace(i, std::string(60, static_cast<char>('a' + i % 26)));
  });
  swap_without_room<flat_set<string>>([](auto& m, int n) {
    for (int i = 0; i < n; ++i) m.emplace(std::string(50, 'x') + std::to_string(i));
  });
  swap_without_room<string>([](auto& s, int n) { s.assign(static_cast<std::size_t>(n) * 60, 'x'); });
}

}  // namespace
}  // namespace perdure
