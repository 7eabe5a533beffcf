// PERDURE_METALL_BOOST_OFFSET_PTR: metall::offset_ptr is Boost's, for those who have templates of their own
// for it.
#include <boost/interprocess/offset_ptr.hpp>
#include <metall/container/map.hpp>
#include <metall/container/string.hpp>
#include <metall/container/unordered_map.hpp>
#include <metall/container/vector.hpp>

#include "compat/metall/metall_test.hpp"

namespace {

// As in libraries whose containers take fancy pointers.
template <class Pointer>
struct without_const;
template <class T, class Difference, class Offset, std::size_t alignment>
struct without_const<boost::interprocess::offset_ptr<const T, Difference, Offset, alignment>> {
  using type = boost::interprocess::offset_ptr<T, Difference, Offset, alignment>;
};

using allocator = metall::manager::allocator_type<int>;
using traits = std::allocator_traits<allocator>;
static_assert(std::is_same_v<metall::offset_ptr<int>, boost::interprocess::offset_ptr<int>>);
static_assert(std::is_same_v<traits::pointer, boost::interprocess::offset_ptr<int>>);
static_assert(std::is_same_v<without_const<traits::const_pointer>::type, traits::pointer>);

struct node {
  int value;
  metall::offset_ptr<node> next;
};

struct boost_offset_ptr : metall_test {};

// A store that was written with the other pointer knows its containers by other names.
TEST_F(boost_offset_ptr, IsPartOfTheNamesOfTypes) {
  const std::string name = typeid(metall::container::vector<int>).name();
  EXPECT_NE(name.find("with_boost_offset_ptr"), std::string::npos) << name;
}

TEST_F(boost_offset_ptr, IsThatOfContainersAndNodesInAStore) {
  namespace mc = metall::container;
  {
    metall::manager store(metall::create_only, path());
    auto& words = *store.construct<mc::map<mc::string, mc::vector<int>>>("words")(store.get_allocator());
    auto& squares = *store.construct<mc::unordered_map<int, int>>("squares")(store.get_allocator());
    metall::offset_ptr<node>& head = *store.construct<metall::offset_ptr<node>>("head")(nullptr);
    for (int i = 0; i < 100; ++i) {
      const std::string word = "a word that is not kept in place " + std::to_string(i % 10);
      words[mc::string(word.c_str(), store.get_allocator())].push_back(i);
      squares[i] = i * i;
      head = store.construct<node>(metall::anonymous_instance)(node{i, head});
    }
  }
  metall::manager store(metall::open_only, path());
  const auto& words = *store.find<mc::map<mc::string, mc::vector<int>>>("words").first;
  EXPECT_EQ(words.size(), 10U);
  for (const auto& [word, numbers] : words) EXPECT_EQ(numbers.size(), 10U) << word;
  EXPECT_EQ((store.find<mc::unordered_map<int, int>>("squares").first->at(9)), 81);
  int sum = 0;
  for (auto p = *store.find<metall::offset_ptr<node>>("head").first; p; p = p->next) sum += p->value;
  EXPECT_EQ(sum, 4950);
}

}  // namespace
