// Boost's and the standard containers through the allocator, kept between runs.
#include <boost/container/scoped_allocator.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/container/vector.hpp>
#include <boost/unordered_map.hpp>
#include <functional>
#include <numeric>
#include <perdure_interprocess/allocators/adaptive_pool.hpp>
#include <perdure_interprocess/allocators/node_allocator.hpp>
#include <perdure_interprocess/containers/deque.hpp>
#include <perdure_interprocess/containers/flat_map.hpp>
#include <perdure_interprocess/containers/flat_set.hpp>
#include <perdure_interprocess/containers/list.hpp>
#include <perdure_interprocess/containers/map.hpp>
#include <perdure_interprocess/containers/set.hpp>
#include <perdure_interprocess/containers/slist.hpp>
#include <perdure_interprocess/containers/stable_vector.hpp>
#include <perdure_interprocess/containers/string.hpp>
#include <perdure_interprocess/containers/vector.hpp>
#include <perdure_interprocess/streams/vectorstream.hpp>

#include "compat/interprocess/interprocess_fixture.hpp"

#if __has_include(<boost/multi_index_container.hpp>)
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index_container.hpp>
#endif

namespace perdure {
namespace {

template <class T>
using alloc = bip::allocator<T, segment_manager>;
using string = bip::basic_string<char, std::char_traits<char>, alloc<char>>;

struct containers_test : empty_path_test {
  /// Fills a container in one run and looks at it in the next two, the first of which has it elsewhere.
  template <class C, class Fill, class Check>
  void keeps(Fill fill, Check check) {
    {
      bip::managed_mapped_file file(bip::create_only, path.c_str(), 64 << 20);
      C* const made = file.construct<C>("c")(typename C::allocator_type(file.get_segment_manager()));
      fill(*made);
    }
    for (int run = 0; run < 2; ++run) {
      bip::managed_mapped_file file(bip::open_only, path.c_str());
      C* const found = file.find<C>("c").first;
      ASSERT_NE(found, nullptr);
      check(*found);
      if (run == 0) continue;
      EXPECT_TRUE(file.destroy<C>("c"));
      EXPECT_TRUE(file.all_memory_deallocated());
      EXPECT_TRUE(file.check_sanity());
    }
    EXPECT_TRUE(manager::remove(path));
  }

  template <class C>
  void keeps_sequence() {
    keeps<C>(
        [](C& c) {
          for (int i = 0; i < 10000; ++i) c.insert(c.end(), i);
        },
        [](const C& c) {
          EXPECT_EQ(c.size(), 10000U);
          EXPECT_EQ(std::accumulate(c.begin(), c.end(), 0L), 49995000L);
        });
  }
  template <class C>
  void keeps_map() {
    keeps<C>(
        [](C& c) {
          for (int i = 0; i < 3000; ++i) c.emplace(i, 2 * i);
          for (int i = 0; i < 3000; i += 3) c.erase(i);
        },
        [](const C& c) {
          EXPECT_EQ(c.size(), 2000U);
          EXPECT_EQ(c.find(100)->second, 200);
          EXPECT_EQ(c.find(99), c.end());
        });
  }
};

TEST_F(containers_test, SequencesAreKept) {
  keeps_sequence<bip::vector<int, alloc<int>>>();
  keeps_sequence<boost::container::vector<int, alloc<int>>>();
  keeps_sequence<bip::deque<int, alloc<int>>>();
  keeps_sequence<bip::list<int, alloc<int>>>();
  keeps_sequence<bip::stable_vector<int, alloc<int>>>();
  keeps_sequence<bip::list<int, bip::node_allocator<int, segment_manager>>>();
  keeps_sequence<bip::list<int, bip::adaptive_pool<int, segment_manager>>>();
  keeps_sequence<boost::container::small_vector<int, 4, alloc<int>>>();
}

TEST_F(containers_test, ASinglyLinkedListIsKept) {
  using list = bip::slist<int, alloc<int>>;
  keeps<list>([](list& c) { c.assign(1000, 3); }, [](const list& c) { EXPECT_EQ(c.size(), 1000U); });
}

TEST_F(containers_test, SetsAreKept) {
  keeps_sequence<bip::set<int, std::less<int>, alloc<int>>>();
  keeps_sequence<bip::multiset<int, std::less<int>, alloc<int>>>();
  keeps_sequence<bip::flat_set<int, std::less<int>, alloc<int>>>();
  keeps_sequence<bip::flat_multiset<int, std::less<int>, alloc<int>>>();
}

TEST_F(containers_test, MapsAreKept) {
  using node = std::pair<const int, int>;
  keeps_map<bip::map<int, int, std::less<int>, alloc<node>>>();
  keeps_map<bip::multimap<int, int, std::less<int>, alloc<node>>>();
  keeps_map<bip::flat_map<int, int, std::less<int>, alloc<std::pair<int, int>>>>();
  keeps_map<bip::flat_multimap<int, int, std::less<int>, alloc<std::pair<int, int>>>>();
  keeps_map<boost::unordered_map<int, int, boost::hash<int>, std::equal_to<int>, alloc<node>>>();
}

TEST_F(containers_test, AVectorGrowsInPlace) {
  bip::managed_mapped_file file(bip::create_only, path.c_str(), 64 << 20);
  using vector = bip::vector<int, alloc<int>>;
  vector* const v = file.construct<vector>("v")(file.get_segment_manager());
  v->resize(100000);
  const int* const before = v->data();
  v->resize(10000000);
  EXPECT_EQ(v->data(), before);
}

TEST_F(containers_test, StringsAndNestedContainersAreKept) {
  using scoped = boost::container::scoped_allocator_adaptor<alloc<string>>;
  using words = bip::vector<string, scoped>;
  using inner_map =
      bip::map<string, words, std::less<string>,
               boost::container::scoped_allocator_adaptor<alloc<std::pair<const string, words>>>>;
  {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 64 << 20);
    inner_map* const m = file.construct<inner_map>("m")(std::less<string>(),
                                                        file.get_allocator<std::pair<const string, words>>());
    for (int i = 0; i < 100; ++i) {
      const string key(std::to_string(i).c_str(), file.get_segment_manager());
      for (int k = 0; k < i; ++k) (*m)[key].emplace_back("a text that does not fit into the string itself");
    }
  }
  bip::managed_mapped_file file(bip::open_read_only, path.c_str());
  const inner_map* const m = file.find<inner_map>("m").first;
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->size(), 99U);
  std::size_t texts = 0;
  for (const auto& [key, list] : *m)
    for (const string& text : list)
      texts += text == "a text that does not fit into the string itself" ? 1 : 0;
  EXPECT_EQ(texts, 4950U);
}

TEST_F(containers_test, AVectorStreamWritesIntoTheStore) {
  bip::managed_mapped_file file(bip::create_only, path.c_str(), 64 << 20);
  using characters = bip::vector<char, alloc<char>>;
  bip::basic_vectorstream<characters> stream(file.get_allocator<char>());
  stream << 12 << ' ' << 3.5;
  EXPECT_EQ(std::string(stream.vector().begin(), stream.vector().end()), "12 3.5");
}

#if __has_include(<boost/multi_index_container.hpp>)
struct employee {
  int id;
  int age;
};

TEST_F(containers_test, AMultiIndexContainerIsKept) {
  namespace mi = boost::multi_index;
  using staff = mi::multi_index_container<
      employee,
      mi::indexed_by<mi::ordered_unique<mi::member<employee, int, &employee::id>>,
                     mi::ordered_non_unique<mi::member<employee, int, &employee::age>>>,
      alloc<employee>>;
  {
    bip::managed_mapped_file file(bip::create_only, path.c_str(), 64 << 20);
    staff* const all =
        file.construct<staff>("staff")(staff::ctor_args_list(), file.get_allocator<employee>());
    for (int i = 0; i < 1000; ++i) all->insert({i, 20 + i % 40});
  }
  bip::managed_mapped_file file(bip::open_only, path.c_str());
  const staff* const all = file.find<staff>("staff").first;
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(all->get<1>().count(30), 25U);
  EXPECT_EQ(all->find(999)->age, 20 + 999 % 40);
}
#endif

}  // namespace
}  // namespace perdure
