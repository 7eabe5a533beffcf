// The allocators of a store, alone and in containers of many makes.
#include <boost/container/list.hpp>
#include <boost/container/map.hpp>
#include <boost/container/scoped_allocator.hpp>
#include <boost/container/string.hpp>
#include <boost/container/vector.hpp>
#include <boost/interprocess/containers/vector.hpp>
#include <boost/intrusive/pointer_traits.hpp>
#include <boost/unordered_map.hpp>
#include <list>
#include <map>
#include <memory>
#include <metall/container/fallback_allocator.hpp>
#include <metall/container/string.hpp>
#include <metall/container/vector.hpp>
#include <metall/utility/fallback_allocator_adaptor.hpp>
#include <new>
#include <scoped_allocator>
#include <type_traits>
#include <utility>
#include <vector>

#include "compat/metall/metall_test.hpp"

namespace {

template <class T>
using allocator = metall::manager::allocator_type<T>;
template <class T>
using fallback = metall::manager::fallback_allocator<T>;

struct allocator_test : metall_test {
  metall::manager manager{metall::create_only, path()};

  template <class T>
  bool in_store(const T* object) const {
    const char* const byte = reinterpret_cast<const char*>(object);
    const char* const first = static_cast<const char*>(manager.get_address());
    return first <= byte && byte < first + manager.get_size();
  }
};

template <class A, class T>
constexpr bool has_the_types_of_metall() {
  using traits = std::allocator_traits<A>;
  return std::is_same_v<typename traits::value_type, T> &&
         std::is_same_v<typename traits::pointer, metall::offset_ptr<T>> &&
         std::is_same_v<typename traits::const_pointer, metall::offset_ptr<const T>> &&
         std::is_same_v<typename traits::void_pointer, metall::offset_ptr<void>> &&
         std::is_same_v<typename traits::const_void_pointer, metall::offset_ptr<const void>> &&
         std::is_same_v<typename traits::difference_type, std::ptrdiff_t> &&
         std::is_same_v<typename traits::size_type, std::size_t>;
}
static_assert(has_the_types_of_metall<allocator<int>, int>() &&
              has_the_types_of_metall<fallback<int>, int>());
static_assert(std::is_same_v<std::allocator_traits<allocator<int>>::rebind_alloc<char>, allocator<char>>);
static_assert(std::is_same_v<std::allocator_traits<fallback<int>>::rebind_alloc<char>, fallback<char>>);
static_assert(!std::is_default_constructible_v<allocator<int>> &&
              std::is_default_constructible_v<fallback<int>>);
static_assert(std::is_convertible_v<allocator<char>, allocator<int>> &&
              std::is_convertible_v<allocator<char>, fallback<int>> &&
              std::is_convertible_v<fallback<char>, fallback<int>>);
static_assert(std::is_same_v<metall::utility::fallback_allocator_adaptor<allocator<int>>, fallback<int>>);
static_assert(std::is_same_v<metall::container::fallback_allocator<allocator<int>>, fallback<int>>);
static_assert(
    std::is_same_v<decltype(std::declval<fallback<int>&>().get_stateful_allocator()), allocator<int>&>);

struct two {
  int a;
  double b;
  two(int first, double second) : a(first), b(second) {}
};

TEST_F(allocator_test, AllocatedElementsLieInTheStore) {
  allocator<two> a = manager.get_allocator<two>();
  using traits = std::allocator_traits<allocator<two>>;
  metall::offset_ptr<two> p = traits::allocate(a, 3);
  EXPECT_TRUE(in_store(p.get()));
  traits::construct(a, metall::to_raw_pointer(p), 10, 20.0);
  a.construct(p + 1, 30, 40.0);
  EXPECT_EQ(p->a, 10);
  EXPECT_EQ(p[1].b, 40.0);
  traits::destroy(a, p.get());
  a.destroy(p + 1);
  traits::deallocate(a, p, 3);
  EXPECT_EQ(traits::max_size(a), a.max_size());
  EXPECT_THROW(a.allocate(a.max_size() + 1), std::bad_array_new_length);
  EXPECT_THROW(a.allocate(manager.get_size()), std::bad_alloc);
  EXPECT_EQ(traits::select_on_container_copy_construction(a), a);
  EXPECT_TRUE(manager.all_memory_deallocated());
}

TEST_F(allocator_test, AllocatorsOfOneStoreAreEqual) {
  metall::manager other(metall::create_only, path("other"));
  const allocator<int> a = manager.get_allocator<int>();
  allocator<char> b = other.get_allocator<char>();
  EXPECT_EQ(a, manager.get_allocator<int>());
  EXPECT_NE(a, b);
  b = a;
  EXPECT_EQ(a, b);
}

TEST_F(allocator_test, FallbackTakesOrdinaryMemory) {
  fallback<two> none;
  const fallback<two> stored = manager.get_allocator<two>();
  EXPECT_FALSE(none.stateful_allocator_available());
  EXPECT_TRUE(stored.stateful_allocator_available());
  EXPECT_EQ(stored.primary_allocator(), manager.get_allocator<int>());
  EXPECT_NE(none, stored);
  EXPECT_EQ(none, fallback<two>());
  auto p = none.allocate(1);
  EXPECT_FALSE(in_store(p.get()));
  std::allocator_traits<fallback<two>>::construct(none, metall::to_raw_pointer(p), 10, 20.0);
  EXPECT_EQ(p->b, 20.0);
  none.destroy(p);
  none.deallocate(p, 1);
  EXPECT_THROW(none.allocate(none.max_size() + 1), std::bad_array_new_length);
}

TEST_F(allocator_test, OneContainerTypeServesInTheStoreAndOutside) {
  using vector = boost::interprocess::vector<int, fallback<int>>;
  vector local;
  local.assign({1, 2, 3});
  EXPECT_FALSE(in_store(local.data()));
  vector* const stored = manager.construct<vector>("stored")(manager.get_allocator());
  *stored = local;  // is copied into the store
  EXPECT_TRUE(in_store(stored->data()));
  *stored = std::move(local);
  EXPECT_TRUE(in_store(stored->data()));
  EXPECT_EQ((*stored)[2], 3);
}

TEST_F(allocator_test, NestedContainersFallBackToo) {
  using vector = boost::container::vector<int, fallback<int>>;
  using map = boost::unordered_map<
      int, vector, std::hash<int>, std::equal_to<>,
      boost::container::scoped_allocator_adaptor<fallback<std::pair<const int, vector>>>>;
  map local;
  map* const stored = manager.construct<map>("map")(manager.get_allocator<>());
  for (int i = 0; i < 1000; ++i) {
    local[i % 8].push_back(i);
    (*stored)[i % 8].push_back(i);
  }
  EXPECT_FALSE(in_store(local.at(3).data()));
  EXPECT_TRUE(in_store(stored->at(3).data()));
  EXPECT_EQ(stored->at(3)[5], local.at(3)[5]);
}

template <class Vector>
void fill_and_check(Vector& vectors) {
  for (int i = 0; i < 20; ++i) {
    vectors.emplace_back();
    for (int j = 0; j < i; ++j) vectors.back().push_back(j);
  }
  EXPECT_EQ(vectors[19][18], 18);
}

TEST_F(allocator_test, ContainersOfContainersLieInTheStore) {
  using inner = boost::container::vector<int, allocator<int>>;
  {
    using scoped = boost::container::vector<inner, metall::manager::scoped_allocator_type<inner>>;
    fill_and_check(*manager.construct<scoped>("boost, scoped")(manager.get_allocator()));
  }
  {
    using scoped = std::vector<inner, boost::container::scoped_allocator_adaptor<allocator<inner>>>;
    fill_and_check(*manager.construct<scoped>("std, scoped by boost")(manager.get_allocator<inner>()));
  }
  {
    using scoped = std::vector<inner, std::scoped_allocator_adaptor<allocator<inner>>>;
    fill_and_check(*manager.construct<scoped>("std, scoped by std")(manager.get_allocator<inner>()));
  }
  {
    using plain = boost::container::vector<inner, allocator<inner>>;
    fill_and_check(*manager.construct<plain>("not scoped")(manager.get_allocator<>()));
  }
  using string = boost::container::basic_string<char, std::char_traits<char>, allocator<char>>;
  using lists = boost::container::list<string, metall::manager::scoped_allocator_type<string>>;
  using map = boost::container::map<string, lists, std::less<string>,
                                    metall::manager::scoped_allocator_type<std::pair<const string, lists>>>;
  map* const deep = manager.construct<map>("deep")(manager.get_allocator());
  const string key("a key that is too long to lie in the string itself", manager.get_allocator<char>());
  (*deep)[key].emplace_back("a text that is too long to lie in the string itself");
  EXPECT_TRUE(in_store(deep->at(key).front().data()));
}

TEST_F(allocator_test, AnUnmodifiedStandardVectorLiesInTheStore) {
  using vector = std::vector<int, allocator<int>>;
  vector* const numbers = manager.construct<vector>("numbers")(3, 1, manager.get_allocator<int>());
  numbers->resize(1000, 2);
  numbers->insert(numbers->begin(), 5);
  EXPECT_EQ(numbers->front(), 5);
  const vector copy(*numbers);
  EXPECT_TRUE(in_store(&copy[0]));
}

TEST_F(allocator_test, AssignmentFromAnotherStoreCopies) {
  metall::manager other(metall::create_only, path("other"));
  using vector = metall::container::vector<metall::container::string>;
  vector* const mine = manager.construct<vector>("mine")(manager.get_allocator());
  vector* const theirs = other.construct<vector>("theirs")(other.get_allocator());
  theirs->emplace_back("a text that is too long to lie in the string itself");
  *mine = *theirs;
  EXPECT_TRUE(in_store(mine->data()) && in_store(mine->front().data()));
  *mine = std::move(*theirs);
  EXPECT_TRUE(in_store(mine->data()) && in_store(mine->front().data()));
}

/// A user's type that takes an allocator.
class named_list {
 public:
  using allocator_type = allocator<std::byte>;
  explicit named_list(const allocator_type& a) : name_(a), numbers_(a) {}
  named_list(const named_list& other, const allocator_type& a)
      : name_(other.name_, a), numbers_(other.numbers_, a) {}
  named_list(named_list&& other, const allocator_type& a)
      : name_(std::move(other.name_), a), numbers_(std::move(other.numbers_), a) {}
  named_list(const named_list&) = default;
  named_list(named_list&&) = default;
  named_list& operator=(const named_list&) = default;
  named_list& operator=(named_list&&) = default;
  void add(int n) { numbers_.push_back(n); }
  const int* data() const { return numbers_.data(); }

 private:
  metall::container::string name_;
  metall::container::vector<int> numbers_;
};

TEST_F(allocator_test, TypesThatTakeAnAllocatorGetTheStores) {
  named_list* const one = manager.construct<named_list>("one")(manager.get_allocator());
  one->add(1);
  // The allocator may be left to the manager.
  named_list* const two_of_them = manager.construct<named_list>("two")[2]();
  two_of_them[1].add(1);
  EXPECT_TRUE(in_store(two_of_them[1].data()));
  using vector = boost::container::vector<named_list, metall::manager::scoped_allocator_type<named_list>>;
  vector* const many = manager.construct<vector>("many")(manager.get_allocator());
  many->resize(3);
  (*many)[2].add(7);
  EXPECT_TRUE(in_store((*many)[2].data()));
}

// ---- offset_ptr

struct node {
  int value = 0;
  metall::offset_ptr<node> next;
};

TEST_F(allocator_test, OffsetPointersInOnesOwnNodesSurvive) {
  metall::offset_ptr<node>* const head = manager.construct<metall::offset_ptr<node>>("head")(nullptr);
  for (int i = 0; i < 10; ++i) {
    auto* const added = static_cast<node*>(manager.allocate(sizeof(node)));
    ::new (added) node{i, *head};
    *head = added;
  }
  { const metall::manager closes = std::move(manager); }
  metall::manager again(metall::open_read_only, path());
  int sum = 0;
  for (auto p = *again.find<metall::offset_ptr<node>>("head").first; p; p = p->next) sum += p->value;
  EXPECT_EQ(sum, 45);
}

TEST_F(allocator_test, OffsetPointersCastAndCompare) {
  node nodes[3];
  metall::offset_ptr<node> p = &nodes[0];
  const metall::offset_ptr<const node> to_const = p;
  const metall::offset_ptr<void> to_void = p;
  EXPECT_EQ(static_pointer_cast<node>(to_void), p);
  EXPECT_EQ(const_pointer_cast<node>(to_const), p);
  EXPECT_EQ(metall::to_raw_pointer(p), &nodes[0]);
  EXPECT_EQ(metall::to_raw_pointer(&nodes[0]), &nodes[0]);
  EXPECT_TRUE(p != nullptr && p < p + 1 && p + 2 == &nodes[2] && (p + 2) - p == 2 && !!p);
  EXPECT_EQ(std::pointer_traits<decltype(p)>::pointer_to(nodes[1]), p + 1);
  EXPECT_EQ(boost::intrusive::pointer_traits<metall::offset_ptr<node>>::static_cast_from(to_void), p);
  ++p;
  EXPECT_EQ(p.get(), &nodes[1]);
  p = nullptr;
  EXPECT_EQ(p.get(), nullptr);
}

}  // namespace
