// What is found out of aggregates at compile time; the same with every compiler, as stores record it.
#include <gtest/gtest.h>

#include <any>
#include <array>
#include <optional>
#include <perdure/detail/aggregate_members.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace perdure::detail {
namespace {

struct no_default {
  no_default(int given) : x(given) {}
  int x;
};
struct explicit_default {
  explicit explicit_default(int given = 0) : x(given) {}
  int x;
};
struct nothing {};
struct two {
  int a;
  double b;
};
struct long_array {
  char name[100];
  int x;
};
struct grid {
  int cells[4][5];
  bool full;
};
struct after_no_default {
  no_default n;
  int a;
};
struct array_and_no_default {
  int a[3];
  no_default n;
  int b;
};
struct array_of_no_default {
  no_default n[2];
  int a;
};
struct with_initialisers {
  int a = 1;
  no_default n = no_default(2);
  explicit_default e = explicit_default(3);
  int b = 4;
};
struct with_vocabulary {
  std::optional<int> o;
  std::variant<int, double> v;
  std::string s;
  std::pair<int, int> p;
  std::array<int, 4> a;
};
struct nested {
  two first;
  long_array second;
};
struct empty_member {
  [[no_unique_address]] nothing none;
  int z;
};
struct named_union {
  int which;
  union either {
    int a;
    float b;
  } value;
};
struct with_reference {
  const int constant;
  int& other;
};
struct with_bit_fields {
  int a;
  unsigned b : 3;
  unsigned : 5;
  unsigned c : 4;
};
struct with_operator {
  explicit operator bool() const { return l != 0; }
  long l;
};
struct no_default_after_long_array {
  char name[100];
  no_default n;
};
struct default_after_long_array {
  char name[100];
  no_default n = no_default(1);
};
struct anonymous_union {
  int which;
  union {
    int a;
    float b;
  };
};
struct anonymous_union_after_long_array {
  char name[100];
  int which;
  union {
    int a;
    float b;
  };
};
struct derived : two {
  int c;
};
class not_an_aggregate {
 public:
  int a() const { return a_; }

 private:
  int a_ = 0;
};
struct from_anything {
  from_anything() = default;
  template <class T>
  from_anything(T&&) {}
};
struct with_from_anything {
  double a;
  from_anything f;
};
struct array_with_from_anything {
  int a[3];
  no_default n;
  from_anything f;
};
struct from_anything_but_nothing {
  template <class T>
  from_anything_but_nothing(T&&) {}
};
struct array_with_from_anything_but_nothing {
  int a[3];
  no_default n;
  from_anything_but_nothing f = 1;
};
struct with_from_anything_but_nothing {
  int a;
  from_anything_but_nothing f = 1;
};
struct array_before_from_anything {
  char name[4];
  int a;
  from_anything f;
};
struct begins_with_from_anything {
  from_anything f;
  double a;
};
struct unnamed_after_from_anything {
  int a;
  from_anything f;
  struct {
    float a;
  } u;
};
struct member_of_unnamed_type {
  int a;
  struct {
    float b;
  } u;
};
struct immovable {
  immovable() = default;
  immovable(const immovable&) = delete;
  immovable& operator=(const immovable&) = delete;
};
struct with_immovable {
  immovable i;
  int a;
};
struct of_itself {
  std::vector<of_itself> children;
  int a;
};

template <class T, std::size_t Count>
constexpr bool has = aggregate_members<T>::known && aggregate_members<T>::count == Count;

static_assert(has<nothing, 0>);
static_assert(has<two, 2>);
static_assert(has<long_array, 2>);
static_assert(has<grid, 2>);
static_assert(has<after_no_default, 2>);
static_assert(has<array_and_no_default, 3>);
static_assert(has<array_of_no_default, 2>);
static_assert(has<with_initialisers, 4>);
static_assert(has<with_vocabulary, 5>);
static_assert(has<nested, 2>);
static_assert(has<empty_member, 2>);
static_assert(has<named_union, 2>);
static_assert(has<with_reference, 2>);
static_assert(has<with_bit_fields, 3>);
static_assert(has<with_operator, 1>);
static_assert(has<with_immovable, 2>);
static_assert(has<of_itself, 2>);
static_assert(has<with_from_anything, 2>);
static_assert(has<array_before_from_anything, 3>);

template <class T>
constexpr bool left_alone = !aggregate_members<T>::known;

static_assert(left_alone<no_default_after_long_array>);
static_assert(left_alone<default_after_long_array>);
static_assert(left_alone<anonymous_union>);
static_assert(left_alone<anonymous_union_after_long_array>);
static_assert(left_alone<begins_with_from_anything>);
static_assert(left_alone<with_from_anything_but_nothing>);
static_assert(left_alone<array_with_from_anything>);
static_assert(left_alone<array_with_from_anything_but_nothing>);
static_assert(left_alone<unnamed_after_from_anything>);
static_assert(left_alone<member_of_unnamed_type>);
static_assert(left_alone<derived>);
static_assert(left_alone<not_an_aggregate>);
static_assert(left_alone<std::string>);
static_assert(left_alone<std::array<int, 3>>);
static_assert(left_alone<int>);
static_assert(left_alone<int[3]>);
static_assert(left_alone<decltype(named_union::value)>);

static_assert(std::is_same_v<decltype(aggregate_members<nested>::types()), member_types<two, long_array>>);
static_assert(std::is_same_v<decltype(aggregate_members<grid>::types()), member_types<int[4][5], bool>>);

TEST(aggregate_members, TellsNames) {
  EXPECT_EQ((member_name<two, 0>()), "a");
  EXPECT_EQ((member_name<two, 1>()), "b");
  EXPECT_EQ((member_name<long_array, 0>()), "name");
  EXPECT_EQ((member_name<array_of_no_default, 0>()), "n");
  EXPECT_EQ((member_name<empty_member, 1>()), "z");
  EXPECT_EQ((member_name<named_union, 1>()), "value");
  EXPECT_EQ((member_name<with_immovable, 0>()), "i");
  EXPECT_EQ((member_name<of_itself, 0>()), "children");
  EXPECT_EQ((member_name<with_bit_fields, 0>()), "");
}

}  // namespace
}  // namespace perdure::detail
