// What may live in a store is decided at compile time; these are the decisions.
#include <gtest/gtest.h>

#include <boost/container/map.hpp>
#include <boost/container/string.hpp>
#include <boost/container/vector.hpp>
#include <boost/optional.hpp>
#include <boost/tuple/tuple.hpp>
#include <boost/variant.hpp>
#include <boost/variant2/variant.hpp>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <forward_list>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <perdure/container/forward_list.hpp>
#include <perdure/container/list.hpp>
#include <perdure/container/map.hpp>
#include <perdure/container/string.hpp>
#include <perdure/container/unordered_map.hpp>
#include <perdure/manager.hpp>
#include <perdure/offset_ptr.hpp>
#include <perdure/persistable.hpp>
#include <regex>
#include <set>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "support/scratch_directory.hpp"

namespace {

using perdure::persistable;
using perdure::pinned;
using perdure::relocatable;

template <class T>
constexpr bool both = persistable<T, relocatable> && persistable<T, pinned>;
template <class T>
constexpr bool neither = !persistable<T, relocatable> && !persistable<T, pinned>;
template <class T>
constexpr bool only_pinned = !persistable<T, relocatable> && persistable<T, pinned>;

enum class colour : std::uint8_t { red, green };
struct empty {};
struct point {
  double x;
  float y;
  colour c;
};
struct segment_of_points {
  point from, to;
  char label[12];
  std::array<point, 3> more;
  const int id = 0;
  unsigned flags : 3;
};
struct with_pointer {
  int count;
  char name[20];
  int* values;
};
struct with_pointer_in_array {
  int* values[3];
};
struct with_nested_pointer {
  point p;
  with_pointer inner;
};
struct with_constant_reference {
  int count;
  const point& at;
};
struct with_constants {
  const point at;
  const perdure::string name;
  const perdure::offset_ptr<const int> number;
  const int numbers[2];
  const std::optional<point> perhaps;
};
struct with_reference {
  int n;
  int& target;
};
struct with_function {
  double x;
  int (*f)(int);
};
struct with_member_pointer {
  int point::*m;
};
struct abstract {
  virtual ~abstract() = default;
};
struct derived : abstract {};
struct holds_polymorphic {
  int n;
  derived d;
};
struct has_string {
  int n;
  std::string text;
};
struct has_optional_pointer {
  int n;
  std::optional<int*> p;
};
struct has_variant {
  std::optional<int> a;
  std::variant<int, double> b;
  std::tuple<int> c;
  int n;
};
struct pointer_after_variant {
  std::variant<int, double> b;
  std::optional<double> c;
  const char* text;
};
struct variant_of_pointer {
  std::variant<int, char*> b;
};
struct based : point {
  int z;
};
struct badly_based : with_pointer {
  int z;
};
struct has_mutex {
  int n;
  std::mutex m;
};
struct has_atomic {
  std::atomic<int> n;
  std::atomic<bool> b;
};
struct linked {
  perdure::offset_ptr<linked> next;
  int value;
};
template <class T>
using stored_vector = boost::container::vector<T, perdure::allocator<T>>;
using stored_string = boost::container::basic_string<char, std::char_traits<char>, perdure::allocator<char>>;
template <class T>
using pinned_vector = std::vector<T, perdure::pinned_allocator<T>>;
struct tree {
  int value;
  stored_vector<tree> children;
};
struct bad_tree {
  stored_vector<bad_tree> children;
  int* value;
};
struct pointer_before_container {
  int* value;
  stored_string name;
};
struct containers_all_through {
  stored_string name;
  stored_vector<int> a;
  int n;
  stored_vector<stored_string> b;
};
struct reference_before_container {
  int n;
  int& r;
  stored_string name;
};
struct opaque_pointer_holder {
  explicit opaque_pointer_holder(int* p) : p_(p) {}
  int* p_;
};
struct vouched_for {
  int* cache_that_is_rebuilt;
};
struct refused_type {
  int n;
};
struct holds_refused {
  int n;
  refused_type r;
};

}  // namespace

template <>
inline constexpr bool perdure::enable_persistable<vouched_for> = true;
template <>
inline constexpr bool perdure::enable_persistable<refused_type> = false;

namespace {

static_assert(both<int> && both<const double> && both<colour> && both<std::nullptr_t> && both<std::byte>);
static_assert(both<empty> && both<point> && both<segment_of_points> && both<based> && both<has_atomic>);
static_assert(both<int[4]> && both<point[2][3]> && both<std::array<point, 4>>);
static_assert(both<std::pair<int, point>> && both<std::tuple<>> && both<std::tuple<int, point>>);
static_assert(both<std::optional<point>> && both<std::variant<int, point>> && both<has_variant>);
static_assert(both<linked> && both<perdure::offset_ptr<linked>>);
static_assert(both<stored_vector<int>> && both<stored_string> && both<stored_vector<stored_string>>);
static_assert(both<boost::container::map<int, stored_string, std::less<>,
                                         perdure::allocator<std::pair<const int, stored_string>>>>);
static_assert(both<tree> && both<vouched_for> && both<std::vector<point, perdure::allocator<point>>>);

static_assert(only_pinned<int*> && only_pinned<const void*> && only_pinned<with_pointer>);
static_assert(only_pinned<with_pointer_in_array> && only_pinned<with_nested_pointer> &&
              only_pinned<badly_based>);
static_assert(only_pinned<with_constant_reference> && both<with_constants>);
static_assert(only_pinned<with_reference> && only_pinned<std::reference_wrapper<int>>);
static_assert(only_pinned<std::pair<int, int*>> && only_pinned<std::tuple<int, char*>>);
static_assert(only_pinned<std::optional<int*>> && only_pinned<has_optional_pointer>);
static_assert(only_pinned<pointer_after_variant> && only_pinned<variant_of_pointer>);
static_assert(only_pinned<std::string_view> && only_pinned<std::span<int>>);
static_assert(only_pinned<pinned_vector<int>> && only_pinned<pinned_vector<int*>>);
static_assert(only_pinned<stored_vector<int*>> && only_pinned<bad_tree>);
static_assert(only_pinned<std::map<int, pinned_vector<int>, std::less<>,
                                   perdure::pinned_allocator<std::pair<const int, pinned_vector<int>>>>>);

// Their allocator's pointers are not what they keep.
template <template <class> class Allocator>
using std_unordered_map =
    std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, Allocator<std::pair<const int, int>>>;
struct own_unordered_map : std_unordered_map<perdure::allocator> {};
struct has_forward_list {
  int count;
  std::forward_list<int, perdure::allocator<int>> list;
};
static_assert(only_pinned<std_unordered_map<perdure::pinned_allocator>>);
static_assert(!persistable<std_unordered_map<perdure::allocator>> && !persistable<own_unordered_map>);
static_assert(
    !persistable<std::unordered_set<int, std::hash<int>, std::equal_to<int>, perdure::allocator<int>>>);
static_assert(!persistable<std::forward_list<int, perdure::allocator<int>>> &&
              !persistable<has_forward_list>);
static_assert(!persistable<std::vector<bool, perdure::allocator<bool>>>);
static_assert(persistable<std::vector<int, perdure::allocator<int>>>);
static_assert(persistable<perdure::unordered_map<int, int>> && persistable<perdure::forward_list<int>>);
static_assert(persistable<perdure::list<int>> && persistable<perdure::map<int, int>>);

static_assert(both<containers_all_through>);
static_assert(only_pinned<pointer_before_container> && only_pinned<reference_before_container>);
static_assert(neither<abstract> && neither<derived> && neither<holds_polymorphic>);
static_assert(neither<int (*)(int)> && neither<with_function>);
static_assert(neither<int point::*> && neither<with_member_pointer>);
static_assert(neither<std::string> && neither<std::vector<int>> && neither<has_string>);
static_assert(neither<std::map<int, int>> && neither<std::list<int>> && neither<std::deque<int>>);
static_assert(neither<std::unordered_map<int, int>> && neither<std::set<int>>);
static_assert(neither<stored_vector<std::string>> && neither<pinned_vector<std::string>>);
static_assert(neither<std::shared_ptr<int>> && neither<std::unique_ptr<int>> && neither<std::weak_ptr<int>>);
static_assert(neither<std::unique_ptr<int[]>> && neither<std::function<void()>> && neither<std::any>);
static_assert(neither<std::mutex> && neither<std::recursive_mutex> && neither<std::shared_mutex>);
static_assert(neither<std::condition_variable> && neither<std::thread> && neither<has_mutex>);
static_assert(neither<std::unique_lock<std::mutex>> && neither<refused_type> && neither<holds_refused>);

template <class T>
struct member {
  int before;
  T held;
  int after;
};
template <class T>
constexpr bool neither_it_nor_a_member = neither<T> && neither<member<T>> && neither<std::optional<T>>;
static_assert(neither_it_nor_a_member<std::filesystem::path> && neither_it_nor_a_member<std::any>);
static_assert(neither_it_nor_a_member<std::regex> && neither_it_nor_a_member<std::wregex>);
static_assert(neither_it_nor_a_member<std::exception_ptr> && neither_it_nor_a_member<std::error_code>);
static_assert(neither_it_nor_a_member<std::error_condition> && neither_it_nor_a_member<std::future<int>>);
static_assert(neither_it_nor_a_member<std::shared_future<void>> &&
              neither_it_nor_a_member<std::promise<int&>>);
static_assert(neither_it_nor_a_member<std::packaged_task<int()>> && only_pinned<member<std::string_view>>);
static_assert(only_pinned<member<std::span<const int>>> && only_pinned<member<std::span<int, 3>>>);

// Boost's, of which a program may know no more than their names.
template <class T>
constexpr bool as_what_it_holds_is = both<T> && both<member<T>>;
template <class T>
constexpr bool only_pinned_and_so_is_a_member = only_pinned<T> && only_pinned<member<T>>;
static_assert(as_what_it_holds_is<boost::optional<point>> && as_what_it_holds_is<boost::variant<int, point>>);
static_assert(as_what_it_holds_is<boost::variant2::variant<int, point>> &&
              as_what_it_holds_is<boost::tuple<int, point>> && as_what_it_holds_is<boost::tuple<>>);
static_assert(only_pinned_and_so_is_a_member<boost::optional<int*>> && only_pinned<boost::optional<int&>>);
static_assert(only_pinned_and_so_is_a_member<boost::variant<int, int*>>);
static_assert(only_pinned_and_so_is_a_member<boost::variant2::variant<int, int*>>);
static_assert(only_pinned_and_so_is_a_member<boost::tuple<int, int*>>);
static_assert(only_pinned<boost::tuple<int, int, int, int, int, int, int, int, int, int*>>);
static_assert(neither<boost::variant<int, boost::recursive_wrapper<point>>>);

// Of a union the language shows the first member.
union pointer_first {
  int* pointer;
  long number;
};
union pointer_last {
  long number;
  int* pointer;
};
static_assert(only_pinned_and_so_is_a_member<pointer_first> && as_what_it_holds_is<pointer_last>);

// Behind a constructor the check cannot see; that is the author's word.
static_assert(both<opaque_pointer_holder>);

// A placement may be less strict.
struct takes_anything : relocatable {
  static constexpr bool stores_any_type = true;
};
struct takes_mutexes : relocatable {
  static constexpr bool stores_locks = true;
};
static_assert(perdure::persistable<has_mutex, takes_mutexes> &&
              perdure::persistable<std::shared_mutex, takes_mutexes>);
static_assert(!perdure::persistable<with_pointer, takes_mutexes>);

struct destroyed_loudly {
  int* victim;
  ~destroyed_loudly() noexcept(false) { throw std::runtime_error("destroyed"); }
};

TEST(Persistable, APlacementMayTakeAnyType) {
  const perdure::scratch_directory scratch;
  perdure::basic_manager<takes_anything> store(perdure::create_only, scratch.path());
  int victim = 0;
  store.construct<destroyed_loudly>("it")(&victim);
  EXPECT_THROW(store.destroy<destroyed_loudly>("it"), std::runtime_error);
  EXPECT_EQ(store.find<destroyed_loudly>("it").first, nullptr);
}

TEST(Persistable, NamesTheObstacleOfAMember) {
  using perdure::detail::find_obstacle;
  using perdure::detail::obstacle;
  EXPECT_EQ((find_obstacle<with_pointer, relocatable>()), obstacle::raw_pointer);
  EXPECT_EQ((find_obstacle<with_reference, relocatable>()), obstacle::reference);
  EXPECT_EQ((find_obstacle<with_function, pinned>()), obstacle::function_pointer);
  EXPECT_EQ((find_obstacle<holds_polymorphic, pinned>()), obstacle::polymorphic);
  EXPECT_EQ((find_obstacle<has_string, relocatable>()), obstacle::raw_pointer_container);
  EXPECT_EQ((find_obstacle<has_string, pinned>()), obstacle::foreign_allocator);
  EXPECT_EQ((find_obstacle<has_mutex, pinned>()), obstacle::system_object);
  EXPECT_EQ((find_obstacle<holds_refused, pinned>()), obstacle::refused);
  EXPECT_EQ((find_obstacle<member<std::any>, pinned>()), obstacle::any);
  EXPECT_EQ((find_obstacle<member<std::string_view>, relocatable>()), obstacle::view);
  EXPECT_EQ((find_obstacle<member<std::filesystem::path>, relocatable>()), obstacle::path);
  EXPECT_EQ((find_obstacle<member<std::regex>, pinned>()), obstacle::regular_expression);
  EXPECT_EQ((find_obstacle<member<std::error_code>, pinned>()), obstacle::error_category);
  EXPECT_EQ((find_obstacle<member<std::promise<int>>, relocatable>()), obstacle::shared_state);
  EXPECT_EQ((find_obstacle<member<std::exception_ptr>, relocatable>()), obstacle::shared_state);
}

}  // namespace
