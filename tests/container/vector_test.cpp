// perdure::vector against std::vector: every operation, many element types and allocators, every point where
// an exception can come from.
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <list>
#include <memory>
#include <perdure/container/string.hpp>
#include <perdure/container/vector.hpp>
#include <random>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "container/arena.hpp"
#include "container/store_heap.hpp"
#include "container/tracked.hpp"

namespace {
using namespace perdure::test;
template <class T>
using plain = perdure::vector<T, std::allocator<T>>;
using std_string = std::string;
using perdure_string = perdure::basic_string<char, std::char_traits<char>, std::allocator<char>>;

// What the standard promises at compile time.
static_assert(sizeof(perdure::vector<int>) == 32);
static_assert(sizeof(plain<int>) == 24);
static_assert(std::contiguous_iterator<plain<int>::iterator>);
static_assert(std::contiguous_iterator<plain<int>::const_iterator>);
static_assert(std::is_same_v<std::iter_reference_t<plain<int>::const_iterator>, const int&>);
static_assert(std::is_nothrow_move_constructible_v<perdure::vector<int>>);
static_assert(std::is_nothrow_move_constructible_v<plain<int>>);
static_assert(std::is_nothrow_move_assignable_v<plain<int>>);
static_assert(std::is_nothrow_default_constructible_v<plain<int>>);
static_assert(std::is_nothrow_swappable_v<plain<int>>);
static_assert(std::is_nothrow_default_constructible_v<perdure::vector<int>>);
static_assert(std::uses_allocator_v<perdure::vector<int>, perdure::allocator<char>>);
static_assert(std::three_way_comparable<plain<int>, std::strong_ordering>);
static_assert(std::three_way_comparable<plain<double>, std::partial_ordering>);
static_assert(!perdure::is_trivially_relocatable_v<plain<int>>);
static_assert(perdure::detail::has_relocator<plain<int>>);
static_assert(perdure::detail::has_relocator<std::pair<const int, perdure::vector<int>>>);
static_assert(std::ranges::contiguous_range<plain<int>>);

template <class T>
T make(int i) {
  if constexpr (std::is_constructible_v<T, int>) {
    return T(i);
  } else if constexpr (std::is_same_v<T, std::unique_ptr<int>>) {
    return std::make_unique<int>(i);
  } else {
    // Short and long strings alternate.
    return T((i % 2 != 0 ? std::string(40, 'x') : std::string()) + std::to_string(i));
  }
}
template <>
plain<perdure_string> make(int i) {
  return plain<perdure_string>(static_cast<std::size_t>(i % 3), make<perdure_string>(i));
}

template <class T>
bool same(const plain<T>& values, const std::vector<T>& model) {
  return values.size() == model.size() && values.size() <= values.capacity() &&
         std::equal(values.begin(), values.end(), model.begin(), model.end());
}

template <class T>
class VectorOf : public testing::Test {};
using elements = testing::Types<int, std_string, plain<perdure_string>, over_aligned, tracked<moves::nothrow>,
                                tracked<moves::may_throw>>;
TYPED_TEST_SUITE(VectorOf, elements);

/// A vector and its model, changed alike by one operation at a time.
template <class T>
struct model_test {
  plain<T> values;
  std::vector<T> model;
  std::mt19937 random{7};
  std::ptrdiff_t at = 0;  // a random place for the next operation
  T value = make<T>(0);   // and a random value

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random() % n); }

  void push() { values.push_back(value), model.push_back(value); }
  void emplace_back() { values.emplace_back(T(value)), model.emplace_back(T(value)); }
  void insert_copy() {
    ASSERT_EQ(*values.insert(values.begin() + at, value), value);
    model.insert(model.begin() + at, value);
  }
  void insert_rvalue() {
    values.insert(values.cbegin() + at, T(value));
    model.insert(model.cbegin() + at, T(value));
  }
  void insert_copies() {
    const std::size_t n = below(8);
    ASSERT_EQ(values.insert(values.begin() + at, n, value) - values.begin(), at);
    model.insert(model.begin() + at, n, value);
  }
  void insert_range() {
    const std::list<T> more(below(8), value);
    ASSERT_EQ(values.insert(values.begin() + at, more.begin(), more.end()) - values.begin(), at);
    model.insert(model.begin() + at, more.begin(), more.end());
  }
  void insert_list() {
    values.insert(values.begin() + at, {value, value});
    model.insert(model.begin() + at, {value, value});
  }
  void erase_one() {
    if (static_cast<std::size_t>(at) == model.size()) return;
    ASSERT_EQ(values.erase(values.begin() + at) - values.begin(), at);
    model.erase(model.begin() + at);
  }
  void erase_range() {
    const auto last = at + static_cast<std::ptrdiff_t>(below(model.size() - at + 1));
    ASSERT_EQ(values.erase(values.begin() + at, values.begin() + last) - values.begin(), at);
    model.erase(model.begin() + at, model.begin() + last);
  }
  void pop() {
    if (model.empty()) return;
    values.pop_back(), model.pop_back();
  }
  void resize() {
    const std::size_t n = below(40);
    values.resize(n), model.resize(n);
  }
  void resize_with() {
    const std::size_t n = below(40);
    values.resize(n, value), model.resize(n, value);
  }
  void reserve() { values.reserve(below(80)); }
  void shrink() { values.shrink_to_fit(); }
  void assign_copies() {
    const std::size_t n = below(30);
    values.assign(n, value), model.assign(n, value);
  }
  void assign_range() {
    const std::vector<T> other(below(30), value);
    values.assign(other.begin(), other.end()), model.assign(other.begin(), other.end());
  }
  void copy_and_move() {
    plain<T> copy(values);
    ASSERT_TRUE(copy == values);
    values = std::move(copy);
    ASSERT_TRUE(copy.empty());  // NOLINT: the moved-from state is specified
  }
  void swap_and_assign() {
    plain<T> other{value, value, value};
    std::vector<T> model_other{value, value, value};
    swap(values, other), swap(model, model_other);
    ASSERT_TRUE(same(other, model_other));
    if (below(2) == 0) values = other, model = model_other;
  }
  void use_own_elements() {
    // arguments that live in the vector itself
    if (model.empty()) return;
    values.push_back(values.front()), model.push_back(T(model.front()));
    values.insert(values.begin() + at, values.back()), model.insert(model.begin() + at, T(model.back()));
    values.insert(values.begin() + at, 3, values.front());
    model.insert(model.begin() + at, 3, T(model.front()));
    values.emplace(values.begin(), values.back()), model.emplace(model.begin(), T(model.back()));
  }
  void clear_large() {
    if (model.size() > 100) values.clear(), model.clear();
  }

  using operation = void (model_test::*)();
  static constexpr operation operations[] = {&model_test::push,
                                             &model_test::push,
                                             &model_test::push,
                                             &model_test::emplace_back,
                                             &model_test::insert_copy,
                                             &model_test::insert_rvalue,
                                             &model_test::insert_copies,
                                             &model_test::insert_range,
                                             &model_test::insert_list,
                                             &model_test::erase_one,
                                             &model_test::erase_range,
                                             &model_test::pop,
                                             &model_test::resize,
                                             &model_test::resize_with,
                                             &model_test::reserve,
                                             &model_test::shrink,
                                             &model_test::assign_copies,
                                             &model_test::assign_range,
                                             &model_test::copy_and_move,
                                             &model_test::swap_and_assign,
                                             &model_test::use_own_elements,
                                             &model_test::clear_large};

  void run() {
    for (int round = 0; round < 20; ++round) {
      values.clear(), model.clear();
      for (int step = 0; step < 250; ++step) {
        at = static_cast<std::ptrdiff_t>(below(model.size() + 1));
        value = make<T>(static_cast<int>(below(100)));
        const std::size_t chosen = below(std::size(operations));
        (this->*operations[chosen])();
        ASSERT_TRUE(same(values, model)) << "round " << round << " step " << step << " operation " << chosen;
      }
      const T some = make<T>(5);
      ASSERT_EQ(erase(values, some), std::erase(model, some));
      ASSERT_TRUE(same(values, model));
    }
  }
};

TYPED_TEST(VectorOf, AgreesWithTheStandards) {
  model_test<TypeParam>().run();
  EXPECT_EQ(census::of_tracked().alive(), 0U);
}

TYPED_TEST(VectorOf, ComparesAsTheStandards) {
  using T = TypeParam;
  std::mt19937 random(8);
  for (int i = 0; i < 300; ++i) {
    std::vector<T> a;
    std::vector<T> b;
    for (auto n = random() % 4; n != 0; --n) a.push_back(make<T>(static_cast<int>(random() % 2)));
    for (auto n = random() % 4; n != 0; --n) b.push_back(make<T>(static_cast<int>(random() % 2)));
    const plain<T> x(a.begin(), a.end());
    const plain<T> y(b.begin(), b.end());
    EXPECT_EQ(x == y, a == b);
    EXPECT_EQ(x < y, a < b);
    EXPECT_EQ(x >= y, a >= b);
    EXPECT_EQ((x <=> y) == 0, (a <=> b) == 0);
  }
}

TEST(Vector, HasEveryConstructor) {
  const std::allocator<std::string> alloc;
  EXPECT_EQ(plain<std::string>(3).size(), 3U);
  EXPECT_EQ(plain<std::string>(3, alloc).back(), "");
  EXPECT_EQ(plain<std::string>(3, "x", alloc).back(), "x");
  EXPECT_EQ(plain<std::string>({"a", "b"}, alloc).back(), "b");
  std::istringstream words("one two three");
  const plain<std::string> read(std::istream_iterator<std::string>(words),
                                std::istream_iterator<std::string>{});
  EXPECT_EQ(read, (plain<std::string>{"one", "two", "three"}));
  EXPECT_EQ(plain<std::string>(read, alloc), read);
  const perdure::vector deduced(read.begin(), read.end());
  static_assert(std::is_same_v<decltype(deduced), const perdure::vector<std::string>>);
  EXPECT_TRUE(std::ranges::equal(deduced, read));
  EXPECT_EQ(std::vector<std::string>(read.rbegin(), read.rend()),
            (std::vector<std::string>{"three", "two", "one"}));
}

TEST(Vector, IsMadeOfRangesAndStandardVectorsAndBecomesOne) {
  const std::vector<int> numbers{3, 1, 2};
  plain<int> values(numbers);
  EXPECT_EQ(values, numbers);
  EXPECT_EQ(numbers, values);
  EXPECT_NE(values, (std::vector<int>{3, 1}));
  EXPECT_NE(values, (std::vector<int>{3, 1, 1}));
  const std::vector<int> back = values;
  EXPECT_EQ(back, numbers);

  const auto doubled = numbers | std::views::transform([](int n) { return 2 * n; });
  EXPECT_EQ(plain<long>(doubled), (std::vector<long>{6, 2, 4}));
  EXPECT_EQ(plain<long>(doubled, std::allocator<long>()), (std::vector<long>{6, 2, 4}));
  values = std::list<short>{7, 8, 9, 10};
  EXPECT_EQ(values, (std::vector<int>{7, 8, 9, 10}));
  // A range whose end is of another type, and one that can be walked once.
  values = std::views::iota(1) | std::views::take_while([](int n) { return n < 4; });
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3}));
  std::istringstream words("4 5");
  values = std::views::istream<int>(words);
  EXPECT_EQ(values, (std::vector<int>{4, 5}));

  const std::vector<std::string> texts{"a", "one that is too long to be kept inside"};
  EXPECT_EQ(plain<perdure_string>(texts).back(), texts.back());
  // Nothing else became a vector by this.
  static_assert(!std::is_constructible_v<plain<int>, std::vector<std::string>>);
  static_assert(!std::is_convertible_v<std::vector<int>, plain<int>>);
  static_assert(!std::is_constructible_v<plain<std::string>, std::string>);
  static_assert(!std::is_convertible_v<plain<int>, std::vector<long>>);
}

TEST(Vector, ChecksBounds) {
  plain<int> values{1, 2};
  EXPECT_EQ(values.at(1), 2);
  EXPECT_THROW(values.at(2), std::out_of_range);
  EXPECT_THROW(std::as_const(values).at(2), std::out_of_range);
  EXPECT_THROW(values.reserve(values.max_size() + 1), std::length_error);
  EXPECT_THROW(values.resize(values.max_size() + 1), std::length_error);
  EXPECT_THROW(values.insert(values.begin(), values.max_size(), 7), std::length_error);
  EXPECT_THROW(plain<int>(values.max_size() + 1), std::length_error);
  EXPECT_EQ(values, (plain<int>{1, 2}));
}

TEST(Vector, StartsSmall) {
  plain<std::uint64_t> values;
  EXPECT_EQ(values.capacity(), 0U);
  EXPECT_EQ(values.data(), nullptr);
  EXPECT_TRUE(values.begin() == values.end());
  values.push_back(1);
  EXPECT_EQ(values.capacity(), 1U);
  plain<char> text;
  text.push_back('x');
  EXPECT_EQ(text.capacity(), 8U);
  values.clear();
  values.shrink_to_fit();
  EXPECT_EQ(values.capacity(), 0U);
}

TEST(Vector, TakesMoveOnlyElements) {
  plain<std::unique_ptr<int>> values;
  std::vector<int> model;
  std::mt19937 random(9);
  for (int i = 0; i < 500; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(random() % (model.size() + 1));
    values.insert(values.begin() + at, std::make_unique<int>(i));
    model.insert(model.begin() + at, i);
    if (i % 3 == 0) {
      const auto gone = static_cast<std::ptrdiff_t>(random() % model.size());
      values.erase(values.begin() + gone), model.erase(model.begin() + gone);
    }
  }
  ASSERT_EQ(values.size(), model.size());
  for (std::size_t i = 0; i < model.size(); ++i) ASSERT_EQ(*values[i], model[i]);
  {
    plain<tracked_move_only> tracked_values;
    for (int i = 0; i < 100; ++i) tracked_values.emplace(tracked_values.begin() + i / 2, i);
    tracked_values.erase(tracked_values.begin() + 3, tracked_values.begin() + 90);
    EXPECT_EQ(census::of_tracked().alive(), tracked_values.size());
  }
  EXPECT_EQ(census::of_tracked().alive(), 0U);
}

TEST(Vector, ConvertsToSpanAndRanges) {
  plain<int> values{3, 1, 2};
  std::ranges::sort(values);
  const std::span<const int> span(values);
  EXPECT_EQ(span[0], 1);
  EXPECT_EQ(erase_if(values, [](int x) { return x > 1; }), 2U);
}

// Exceptions ----------------------------------------------------------------------------------------------

/// Runs the operation failing at each point in turn. After a failure the vector must hold what it held
/// (strong) or anything valid (basic); elements must be neither lost nor doubled.
template <class T, class Operation>
void fail_everywhere(bool strong, std::size_t spare, Operation operation) {
  census& counts = census::of_tracked();
  for (std::uint64_t point = 1;; ++point) {
    plain<T> values;
    values.reserve(8 + spare);
    for (int i = 0; i < 8; ++i) values.emplace_back(i);
    const std::vector<int> before{0, 1, 2, 3, 4, 5, 6, 7};
    const bool failed = fails_at(point, [&] { operation(values); });
    std::vector<int> after;
    for (const T& value : values) after.push_back(value.value());
    ASSERT_EQ(counts.alive(), values.size()) << "at point " << point;
    if (!failed) {
      ASSERT_GT(point, 1U) << "nothing could fail";
      break;
    }
    if (strong) {
      ASSERT_EQ(after, before) << "at point " << point;
    }
    values.push_back(T(9));  // still usable
    values.clear();
    ASSERT_EQ(counts.alive(), 0U);
  }
  EXPECT_EQ(counts.alive(), 0U);
}

template <class T>
class ThrowingElements : public testing::Test {};
using throwing = testing::Types<tracked<moves::nothrow>, tracked<moves::may_throw>>;
TYPED_TEST_SUITE(ThrowingElements, throwing);

TYPED_TEST(ThrowingElements, LeaveTheVectorAsItWas) {
  using T = TypeParam;
  using V = plain<T>;
  const bool shifts_nothrow = std::is_nothrow_move_constructible_v<T>;
  for (const std::size_t spare : {0U, 20U}) {
    SCOPED_TRACE(spare);
    fail_everywhere<T>(true, spare, [](V& v) { v.emplace_back(100); });
    fail_everywhere<T>(true, spare, [](V& v) { v.push_back(v.front()); });
    fail_everywhere<T>(true, spare, [](V& v) { v.resize(12); });
    fail_everywhere<T>(true, spare, [](V& v) { v.resize(12, v.front()); });
    fail_everywhere<T>(true, spare, [](V& v) { v.insert(v.end(), 4, v.front()); });
    fail_everywhere<T>(shifts_nothrow, spare, [](V& v) { v.emplace(v.begin() + 2, 100); });
    fail_everywhere<T>(shifts_nothrow, spare, [](V& v) { v.insert(v.begin() + 2, 4, v.back()); });
    fail_everywhere<T>(shifts_nothrow, spare, [](V& v) {
      const int more[] = {100, 101, 102};
      v.insert(v.begin() + 3, std::begin(more), std::end(more));
    });
    fail_everywhere<T>(false, spare, [](V& v) { v.assign(10, v[3]); });
    fail_everywhere<T>(false, spare, [](V& v) {
      const std::list<T> more(10, T(3));
      v = V(more.begin(), more.end());
      v.assign(more.begin(), more.end());
    });
    fail_everywhere<T>(true, spare, [](V& v) { const V copy(v); });
  }
  if (!shifts_nothrow) {
    fail_everywhere<T>(true, 0, [](V& v) { v.reserve(100); });
    fail_everywhere<T>(false, 0, [](V& v) { v.erase(v.begin() + 1); });
  }
}

// Allocators ----------------------------------------------------------------------------------------------

TEST(Vector, KeepsToItsAllocator) {
  store_heap heap_1;
  store_heap heap_2;
  using V = perdure::vector<perdure::string>;
  const perdure::allocator<perdure::string> in_1(*heap_1);
  const perdure::allocator<perdure::string> in_2(*heap_2);
  const std::size_t blocks_1 = heap_1.blocks();
  const std::size_t blocks_2 = heap_2.blocks();
  {
    V a(in_1);
    a.emplace_back("a string that does not fit inside");
    a.emplace_back("short");
    V b(a, in_2);
    EXPECT_EQ(b, a);
    EXPECT_EQ(b[0].get_allocator(), in_2);
    b = a;
    EXPECT_EQ(b.get_allocator(), in_2);
    EXPECT_EQ(b[0].get_allocator(), in_2);
    V c(std::move(a), in_2);
    EXPECT_EQ(c, b);
    EXPECT_EQ(c[0].get_allocator(), in_2);
    V d({perdure::string("x", in_1), perdure::string("y", in_1)}, in_1);
    d = std::move(c);
    EXPECT_EQ(d, b);
    EXPECT_EQ(d[0].get_allocator(), in_1);
    V e(2, in_2);
    e.swap(d);  // unequal allocators: element by element
    EXPECT_EQ(e, b);
    EXPECT_EQ(d.size(), 2U);
    EXPECT_EQ(e[0].get_allocator(), in_2);
    EXPECT_EQ(d[0].get_allocator(), in_1);
    const V f(std::move(e));
    EXPECT_EQ(f.get_allocator(), in_2);
  }
  EXPECT_EQ(heap_1.blocks(), blocks_1);
  EXPECT_EQ(heap_2.blocks(), blocks_2);
}

TEST(Vector, GrowsLargeInTheStore) {
  store_heap heap;
  perdure::vector<std::uint64_t> values{perdure::allocator<std::uint64_t>(*heap)};
  for (std::uint64_t i = 0; i < 3'000'000; ++i) values.push_back(i * i);
  for (std::uint64_t i = 0; i < 3'000'000; ++i) ASSERT_EQ(values[i], i * i);
  EXPECT_EQ(heap.blocks(), 1U);
}

TEST(Vector, LeavesTheStoreIntactWhenMemoryEnds) {
  store_heap heap;
  perdure::vector<char> values{perdure::allocator<char>(*heap)};
  values.push_back('x');
  EXPECT_THROW(values.reserve(std::size_t{8} << 30), std::bad_alloc);
  EXPECT_THROW(values.resize(std::size_t{8} << 30), std::bad_alloc);
  EXPECT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0], 'x');
}

/// An allocator that remembers being asked to grow blocks in place.
template <class T>
struct expanding_allocator {
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;
  explicit expanding_allocator(int* in_place) : expansions(in_place) {}
  template <class U>
  expanding_allocator(const expanding_allocator<U>& other) : expansions(other.expansions) {}
  static constexpr std::size_t room = std::size_t{1} << 20;
  T* allocate(std::size_t) { return static_cast<T*>(::operator new(room)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p); }
  bool try_expand(T*, std::size_t n) noexcept {
    if (n * sizeof(T) > room) return false;
    ++*expansions;
    return true;
  }
  template <class U>
  bool operator==(const expanding_allocator<U>& other) const {
    return expansions == other.expansions;
  }
  int* expansions;
};

TEST(Vector, GrowsInPlaceWhereItCan) {
  int expansions = 0;
  using V = perdure::vector<std::string, expanding_allocator<std::string>>;
  V values{expanding_allocator<std::string>(&expansions)};
  for (int i = 0; i < 600; ++i) values.push_back(std::to_string(i));
  const std::string* const first = values.data();
  EXPECT_EQ(expansions, 2);  // from 256 elements on, which are 8 KiB
  values.reserve(10000);
  values.insert(values.begin() + 300, 5000, "x");
  values.push_back(values.front());
  EXPECT_EQ(values.data(), first);
  EXPECT_GE(expansions, 3);
  EXPECT_EQ(values[5300], "300");

  int other_expansions = 0;  // this allocator propagates
  V other{expanding_allocator<std::string>(&other_expansions)};
  other = values;
  EXPECT_EQ(other.get_allocator(), values.get_allocator());
  EXPECT_EQ(other, values);
  V third{expanding_allocator<std::string>(&other_expansions)};
  third.swap(other);
  EXPECT_EQ(third.get_allocator(), values.get_allocator());
  other = std::move(third);
  EXPECT_EQ(other, values);
}

}  // namespace
