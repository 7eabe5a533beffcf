// The map that many threads fill.
#include <metall/container/concurrent_map.hpp>
#include <metall/container/string.hpp>
#include <metall/utility/hash.hpp>
#include <set>
#include <thread>
#include <vector>

#include "compat/metall/metall_test.hpp"

namespace {

using map_type =
    metall::container::concurrent_map<int, int, std::less<int>, std::hash<int>,
                                      metall::manager::allocator_type<std::pair<const int, int>>, 16>;

struct concurrent_map_test : metall_test {};

TEST_F(concurrent_map_test, EntriesAreInsertedFoundAndEdited) {
  {
    metall::manager manager(metall::create_only, path());
    map_type* const map = manager.construct<map_type>("map")(manager.get_allocator());
    EXPECT_EQ(map->cbegin(), map->cend());
    EXPECT_TRUE(map->insert({1, 10}));
    EXPECT_FALSE(map->insert({1, 11}));
    const map_type::value_type pair(2, 20);
    EXPECT_TRUE(map->insert(pair));
    map->edit(1, [](int& value) { ++value; });
    map->edit(3, [](int& value) { value = 30; });
    {
      auto [value, lock] = map->scoped_edit(4);
      value = 40;
      EXPECT_TRUE(lock.owns_lock());
    }
    EXPECT_EQ(map->size(), 4U);
    EXPECT_EQ(map->get_allocator(), manager.get_allocator());
  }
  metall::manager manager(metall::open_read_only, path());
  const map_type* const map = manager.find<map_type>("map").first;
  EXPECT_EQ(map->size(), 4U);
  EXPECT_EQ(map->count(1), 1U);
  EXPECT_EQ(map->count(5), 0U);
  EXPECT_EQ(map->find(1)->second, 11);
  EXPECT_EQ((*map->find(4)).second, 40);
  EXPECT_EQ(map->find(5), map->cend());
  std::set<int> keys;
  for (auto it = map->cbegin(); it != map->cend(); ++it) keys.insert(it->first);
  EXPECT_EQ(keys, (std::set<int>{1, 2, 3, 4}));
  int behind = 0;
  for (auto it = map->find(1); it != map->cend(); it++) ++behind;
  EXPECT_GE(behind, 1);
}

TEST_F(concurrent_map_test, ManyThreadsInsertAndEdit) {
  metall::manager manager(metall::create_only, path());
  map_type* const map = manager.construct<map_type>("map")(manager.get_allocator());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([map, t] {
      for (int i = 0; i < 500; ++i) {
        map->insert({i * 4 + t, 0});
        map->edit(i, [](int& value) { ++value; });
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(map->size(), 2000U);
  for (int i = 0; i < 500; ++i) EXPECT_GE(map->find(i)->second, 1);
}

TEST_F(concurrent_map_test, TextKeysServeInOrdinaryMemory) {
  metall::container::concurrent_map<std::string, int> map;
  EXPECT_TRUE(map.insert({"a", 1}));
  EXPECT_EQ(map.find("a")->second, 1);
}

}  // namespace
