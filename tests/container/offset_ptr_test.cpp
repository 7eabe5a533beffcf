// offset_ptr behaves as a raw pointer does, wherever it and its target are.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/intrusive/pointer_traits.hpp>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <perdure/offset_ptr.hpp>
#include <perdure/relocation.hpp>
#include <type_traits>

namespace {
using perdure::offset_ptr;

struct base {
  virtual ~base() = default;
  int b = 1;
};
struct other_base {
  virtual ~other_base() = default;
  int o = 2;
};
struct derived : other_base, base {
  int d = 3;
};

static_assert(sizeof(offset_ptr<int>) == 8);
static_assert(std::random_access_iterator<offset_ptr<int>>);
static_assert(
    std::is_same_v<std::pointer_traits<offset_ptr<int>>::rebind<const char>, offset_ptr<const char>>);
static_assert(std::is_same_v<offset_ptr<int>::rebind<const char>, offset_ptr<const char>>);
static_assert(std::is_same_v<offset_ptr<int>::rebind<const char>::other, offset_ptr<const char>>);
static_assert(std::is_same_v<std::iterator_traits<offset_ptr<int>>::pointer, int*>);
static_assert(sizeof(offset_ptr<int>::offset_type) == sizeof(void*));
static_assert(std::is_convertible_v<offset_ptr<derived>, offset_ptr<base>>);
static_assert(std::is_convertible_v<offset_ptr<int>, offset_ptr<const int>>);
static_assert(std::is_convertible_v<offset_ptr<int>, offset_ptr<void>>);
static_assert(!std::is_convertible_v<offset_ptr<const int>, offset_ptr<int>>);
static_assert(!std::is_convertible_v<offset_ptr<base>, offset_ptr<derived>>);
static_assert(!std::is_convertible_v<offset_ptr<int>, int*>);
static_assert(!perdure::is_trivially_relocatable_v<offset_ptr<int>>);

TEST(OffsetPtr, NullIsAllZero) {
  offset_ptr<int> p;
  EXPECT_FALSE(p);
  EXPECT_TRUE(!p);
  EXPECT_EQ(p.get(), nullptr);
  EXPECT_TRUE(p == nullptr);
  EXPECT_TRUE(nullptr == p);
  EXPECT_TRUE(p == 0);
  EXPECT_FALSE(p != 0);
  const char zero[sizeof(p)] = {};
  EXPECT_EQ(std::memcmp(static_cast<const void*>(&p), zero, sizeof(p)), 0);
  int x = 0;
  p = &x;
  EXPECT_TRUE(p);
  EXPECT_TRUE(p != nullptr);
  EXPECT_TRUE(p != 0);
  p = nullptr;
  EXPECT_FALSE(p);
  p = &x;
  p = 0;
  EXPECT_FALSE(p);
  const offset_ptr<int> copy(p);
  EXPECT_EQ(copy.get(), nullptr);
  alignas(offset_ptr<int>) unsigned char zeroed[sizeof(offset_ptr<int>)] = {};
  EXPECT_EQ(reinterpret_cast<offset_ptr<int>*>(zeroed)->get(), nullptr);
}

TEST(OffsetPtr, MayPointToItself) {
  struct node {
    offset_ptr<node> next;
  };
  node sentinel;
  sentinel.next = &sentinel;
  EXPECT_TRUE(sentinel.next);
  EXPECT_EQ(sentinel.next.get(), &sentinel);
  EXPECT_EQ(sentinel.next->next->next.get(), &sentinel);
}

TEST(OffsetPtr, CopiesKeepTheirTarget) {
  int x = 5;
  offset_ptr<int> p(&x);
  auto on_heap = std::make_unique<offset_ptr<int>>(p);
  EXPECT_EQ(on_heap->get(), &x);
  offset_ptr<int> assigned;
  assigned = *on_heap;
  EXPECT_EQ(*assigned, 5);
  EXPECT_EQ(assigned, p);
  EXPECT_EQ(std::to_address(assigned), &x);
  EXPECT_EQ(offset_ptr<int>::pointer_to(x), p);
}

TEST(OffsetPtr, IsSwappedWithoutQualification) {
  int x = 1;
  int y = 2;
  offset_ptr<int> a(&x);
  offset_ptr<int> b(&y);
  swap(a, b);
  EXPECT_EQ(a.get(), &y);
  EXPECT_EQ(b.get(), &x);
  swap(a, a);
  EXPECT_EQ(a.get(), &y);
  b = nullptr;
  swap(a, b);
  EXPECT_FALSE(a);
  EXPECT_EQ(b.get(), &y);
}

TEST(OffsetPtr, ConvertsBetweenRelatedTypes) {
  derived object;
  const offset_ptr<derived> d(&object);
  const offset_ptr<base> b(d);
  EXPECT_EQ(b.get(), static_cast<base*>(&object));
  EXPECT_NE(static_cast<void*>(b.get()), static_cast<void*>(d.get()));
  EXPECT_EQ(b->b, 1);
  EXPECT_TRUE(b == d);
  const offset_ptr<derived> back(b);  // explicit: a static_cast
  EXPECT_EQ(back, d);
  const offset_ptr<const derived> constant = d;
  EXPECT_EQ(constant->d, 3);
  const offset_ptr<void> nothing_known = d;
  EXPECT_EQ(nothing_known.get(), &object);
  const offset_ptr<derived> null;
  EXPECT_EQ(offset_ptr<base>(null).get(), nullptr);  // no adjustment of null
}

TEST(OffsetPtr, CastsThroughBoostPointerTraits) {
  derived object;
  const offset_ptr<base> b(&object);
  using derived_traits = boost::intrusive::pointer_traits<offset_ptr<derived>>;
  EXPECT_EQ(derived_traits::static_cast_from(b).get(), &object);
  EXPECT_EQ(derived_traits::dynamic_cast_from(b).get(), &object);
  const offset_ptr<const derived> constant(&object);
  EXPECT_EQ(derived_traits::const_cast_from(constant).get(), &object);
  EXPECT_EQ(derived_traits::pointer_to(object).get(), &object);
  using other_traits = boost::intrusive::pointer_traits<offset_ptr<other_base>>;
  EXPECT_EQ(other_traits::dynamic_cast_from(b).get(), static_cast<other_base*>(&object));
}

TEST(OffsetPtr, CastsAsSharedPointersDo) {
  derived object;
  const offset_ptr<base> up(&object);
  EXPECT_EQ(static_pointer_cast<derived>(up), &object);
  EXPECT_EQ(dynamic_pointer_cast<other_base>(up), static_cast<other_base*>(&object));
  EXPECT_EQ(const_pointer_cast<const base>(up), up);
  EXPECT_EQ(static_pointer_cast<int>(offset_ptr<void>(&object.d)), &object.d);
  EXPECT_EQ(reinterpret_pointer_cast<unsigned>(offset_ptr<int>(&object.d)),
            reinterpret_cast<unsigned*>(&object.d));
  EXPECT_EQ(static_pointer_cast<derived>(offset_ptr<base>()), nullptr);
}

TEST(OffsetPtr, IsARandomAccessIterator) {
  int values[10];
  const offset_ptr<int> first(values);
  const offset_ptr<int> last(values + 10);
  std::iota(first, last, 0);
  std::reverse(first, last);
  EXPECT_EQ(values[0], 9);
  std::sort(first, last);
  EXPECT_TRUE(std::is_sorted(values, values + 10));
  EXPECT_EQ(last - first, 10);
  EXPECT_EQ(first[3], 3);
  EXPECT_EQ(*(first + 4), 4);
  EXPECT_EQ(*(4 + first), 4);
  EXPECT_EQ(*(last - 1), 9);
  offset_ptr<int> p = first;
  EXPECT_EQ(*p++, 0);
  EXPECT_EQ(*p--, 1);
  EXPECT_EQ(*++p, 1);
  p += 5;
  p -= 2;
  EXPECT_EQ(*p, 4);
  EXPECT_LT(first, p);
  EXPECT_GE(last, p);
  EXPECT_GT(p, values + 3);
  EXPECT_EQ(p, values + 4);
  EXPECT_EQ(values + 4, p);
}

TEST(OffsetPtr, HashesAsItsTarget) {
  int x = 0;
  const offset_ptr<int> p(&x);
  const auto q = std::make_unique<offset_ptr<int>>(&x);
  EXPECT_EQ(std::hash<offset_ptr<int>>{}(p), std::hash<offset_ptr<int>>{}(*q));
  EXPECT_EQ(std::hash<offset_ptr<int>>{}(p), std::hash<int*>{}(&x));
}

TEST(OffsetPtr, Relocates) {
  int x = 0;
  offset_ptr<int> pointers[4] = {offset_ptr<int>(&x), offset_ptr<int>(), offset_ptr<int>(&x),
                                 offset_ptr<int>()};
  alignas(offset_ptr<int>) std::byte memory[2 * sizeof(offset_ptr<int>)];
  auto* moved = reinterpret_cast<offset_ptr<int>*>(memory);
  perdure::relocate_at(moved, pointers);
  perdure::relocate_at(moved + 1, pointers + 1);
  EXPECT_EQ(moved[0].get(), &x);
  EXPECT_EQ(moved[1].get(), nullptr);
}

// What a store is about: the bytes reappear at another address.
TEST(OffsetPtr, SurvivesMovingWithItsTarget) {
  struct pair {
    offset_ptr<int> pointer;
    int target = 42;
  };
  const auto a = std::make_unique<pair>();
  a->pointer = &a->target;
  const auto b = std::make_unique<pair>();
  std::memcpy(static_cast<void*>(b.get()), static_cast<const void*>(a.get()), sizeof(pair));
  EXPECT_EQ(b->pointer.get(), &b->target);
}

}  // namespace
