// Each container, filled by one manager and found by the next.
#include <functional>
#include <metall/container/deque.hpp>
#include <metall/container/list.hpp>
#include <metall/container/map.hpp>
#include <metall/container/priority_queue.hpp>
#include <metall/container/queue.hpp>
#include <metall/container/scoped_allocator.hpp>
#include <metall/container/set.hpp>
#include <metall/container/stack.hpp>
#include <metall/container/string.hpp>
#include <metall/container/unordered_flat_map.hpp>
#include <metall/container/unordered_flat_set.hpp>
#include <metall/container/unordered_map.hpp>
#include <metall/container/unordered_node_map.hpp>
#include <metall/container/unordered_node_set.hpp>
#include <metall/container/unordered_set.hpp>
#include <metall/container/vector.hpp>
#include <metall/utility/hash.hpp>
#include <string>

#include "compat/metall/metall_test.hpp"

namespace {

namespace mc = metall::container;

struct container_test : metall_test {
  /// `fill` gets a new container, `check` finds it in another manager.
  template <class Container, class Fill, class Check>
  void keep(Fill&& fill, Check&& check) const {
    {
      metall::manager manager(metall::create_only, path());
      Container* const made = manager.construct<Container>("it")(manager.get_allocator());
      ASSERT_NE(made, nullptr);
      fill(*made);
    }
    {
      metall::manager manager(metall::open_read_only, path());
      ASSERT_NE(manager.find<Container>("it").first, nullptr);
      check(static_cast<const Container&>(*manager.find<Container>("it").first));
    }
    metall::manager manager(metall::open_only, path());
    EXPECT_TRUE(manager.destroy<Container>("it"));
    EXPECT_TRUE(manager.all_memory_deallocated());
  }

  template <class Sequence>
  void keep_sequence() const {
    keep<Sequence>(
        [](Sequence& s) {
          for (int i = 0; i < 1000; ++i) s.push_back(i);
        },
        [](const Sequence& s) {
          ASSERT_EQ(s.size(), 1000U);
          int next = 0;
          for (const int i : s) EXPECT_EQ(i, next++);
        });
  }
  template <class Map>
  void keep_map() const {
    keep<Map>(
        [](Map& m) {
          for (int i = 0; i < 1000; ++i) m.emplace(i, i * 2);
        },
        [](const Map& m) {
          ASSERT_EQ(m.size(), 1000U);
          for (int i = 0; i < 1000; ++i) EXPECT_EQ(m.find(i)->second, i * 2);
          EXPECT_EQ(m.find(1000), m.end());
        });
  }
  template <class Set>
  void keep_set() const {
    keep<Set>(
        [](Set& s) {
          for (int i = 0; i < 1000; ++i) s.insert(i);
        },
        [](const Set& s) {
          ASSERT_EQ(s.size(), 1000U);
          for (int i = 0; i < 1000; ++i) EXPECT_EQ(s.count(i), 1U);
          EXPECT_EQ(s.count(1000), 0U);
        });
  }
};

TEST_F(container_test, AVectorIsKept) {
  keep_sequence<mc::vector<int>>();
}
TEST_F(container_test, ADequeIsKept) {
  keep_sequence<mc::deque<int>>();
}
TEST_F(container_test, AListIsKept) {
  keep_sequence<mc::list<int>>();
}
TEST_F(container_test, AMapIsKept) {
  keep_map<mc::map<int, int>>();
}
TEST_F(container_test, AMultimapIsKept) {
  keep_map<mc::multimap<int, int>>();
}
TEST_F(container_test, AnUnorderedMapIsKept) {
  keep_map<mc::unordered_map<int, int>>();
}
TEST_F(container_test, AnUnorderedMultimapIsKept) {
  keep_map<mc::unordered_multimap<int, int>>();
}
TEST_F(container_test, AnUnorderedFlatMapIsKept) {
  keep_map<mc::unordered_flat_map<int, int>>();
}
TEST_F(container_test, AnUnorderedNodeMapIsKept) {
  keep_map<mc::unordered_node_map<int, int>>();
}
TEST_F(container_test, ASetIsKept) {
  keep_set<mc::set<int>>();
}
TEST_F(container_test, AMultisetIsKept) {
  keep_set<mc::multiset<int>>();
}
TEST_F(container_test, AnUnorderedSetIsKept) {
  keep_set<mc::unordered_set<int>>();
}
TEST_F(container_test, AnUnorderedMultisetIsKept) {
  keep_set<mc::unordered_multiset<int>>();
}
TEST_F(container_test, AnUnorderedFlatSetIsKept) {
  keep_set<mc::unordered_flat_set<int>>();
}
TEST_F(container_test, AnUnorderedNodeSetIsKept) {
  keep_set<mc::unordered_node_set<int>>();
}

TEST_F(container_test, StringsAreKept) {
  const std::string text(1000, 'x');
  keep<mc::string>([&](mc::string& s) { s = text.c_str(); },
                   [&](const mc::string& s) {
                     EXPECT_EQ(s.size(), 1000U);
                     EXPECT_STREQ(s.c_str(), text.c_str());
                   });
  keep<mc::wstring>([](mc::wstring& s) { s = L"wide"; }, [](const mc::wstring& s) { EXPECT_EQ(s, L"wide"); });
}

TEST_F(container_test, AStackIsKept) {
  keep<mc::stack<int>>([](auto& s) { s.push(1), s.push(2); }, [](const auto& s) { EXPECT_EQ(s.top(), 2); });
}

TEST_F(container_test, AQueueIsKept) {
  keep<mc::queue<int>>([](auto& q) { q.push(1), q.push(2); }, [](const auto& q) { EXPECT_EQ(q.front(), 1); });
}

TEST_F(container_test, PriorityQueueHonoursItsOrder) {
  keep<mc::priority_queue<int>>([](auto& q) { q.push(1), q.push(3), q.push(2); },
                                [](const auto& q) { EXPECT_EQ(q.top(), 3); });
  keep<mc::priority_queue<int, mc::vector<int>, std::greater<int>>>(
      [](auto& q) { q.push(2), q.push(1), q.push(3); }, [](const auto& q) { EXPECT_EQ(q.top(), 1); });
}

TEST_F(container_test, StringKeysAreHashedByUtilitysHashes) {
  using map = mc::unordered_map<
      mc::string, mc::vector<mc::string>, metall::utility::string_hash<mc::string>, std::equal_to<mc::string>,
      metall::manager::scoped_allocator_type<std::pair<const mc::string, mc::vector<mc::string>>>>;
  keep<map>(
      [](map& m) {
        const mc::string key("a key that is too long to lie in the string itself",
                             m.get_allocator().outer_allocator());
        m[key].emplace_back("a text that is too long to lie in the string itself");
      },
      [](const map& m) {
        ASSERT_EQ(m.size(), 1U);
        EXPECT_EQ(m.begin()->second.front().size(), 51U);
      });
}

TEST_F(container_test, NestedFlatMapsAreKept) {
  using inner = mc::unordered_flat_map<int, mc::string>;
  using outer = mc::unordered_flat_map<int, inner>;
  keep<outer>(
      [](outer& m) {
        for (int i = 0; i < 100; ++i) m[i % 10][i] = "a text that is too long to lie in the string";
      },
      [](const outer& m) { EXPECT_EQ(m.at(3).at(93).size(), 44U); });
}

}  // namespace
