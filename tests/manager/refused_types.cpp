// What the library's own interface refuses: compiling this must fail at the lines that say so, with the
// message quoted there, and at no others. The errors name the members behind `at:`.
#include <any>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <perdure/perdure.hpp>
#include <queue>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

template <class T>
struct holds {
  int before;
  T held;
};
template <class T>
using stored = perdure::allocator<T>;
using pairs = stored<std::pair<const int, int>>;

struct street {
  perdure::string town;
  std::string name;
};
struct house {
  int number;
  char storeys[4];
  street in;
};
struct route {
  perdure::vector<house> stops;
  double length;
};
class parcel {
 public:
  PERDURE_MEMBERS(weight_, recipient_)

 private:
  int weight_;
  std::string recipient_;
};
class unnamed_parcel {
 private:
  std::string recipient_;
};
class listed_parcel {
 public:
  static auto stored_form() {
    return perdure::stored_members(perdure::stored_member("weight", &listed_parcel::weight_),
                                   perdure::stored_member("recipient", &listed_parcel::recipient_));
  }

 private:
  std::int64_t weight_;
  std::string recipient_;
};
struct van {
  virtual ~van() = default;
  virtual int capacity() const = 0;
};
struct driver {
  int* shift;
};
struct substitute : driver {
  int days;
};
struct view_of_route {
  char label[3];
  int numbers[2][2];
  const route& of;
};
struct queue_of_parcels {
  std::queue<int> waiting;
};
struct tour {
  perdure::vector<tour> parts;
  std::unique_ptr<int> next;
};
struct flags {
  unsigned urgent : 1;
  int* owner;
};
union either {
  int* pointer;
  int number;
};
struct with_many_a_part {
  std::tuple<int, std::optional<int>> sound;
  std::array<std::variant<int, std::pair<int, char*>>, 3> parts;
};
struct long_names {
  perdure::flat_map<perdure::string, perdure::vector<route>> routes_by_the_name_of_the_district;
};
struct loud {
  ~loud() noexcept(false);
};
struct declared_unfit {};

}  // namespace

template <>
inline constexpr bool perdure::enable_persistable<declared_unfit> = false;

// clang-format off
void refused(perdure::manager& store, perdure::pinned_manager& pinned) {
  store.construct<holds<std::string>>("string")();  // refused: std::string keeps its text outside the store: use perdure::string // at: holds.held
  store.construct<holds<int*>>("pointer")();  // refused: a plain pointer cannot live in a relocatable store // at: holds.held
  store.construct<van>("van")(4, "arguments that fit nothing");  // refused: a type with virtual functions cannot live in a store // at: van
  store.construct<perdure::vector<van>>("vans")();  // refused: a type with virtual functions cannot live in a store // at: vector[]
  store.construct<std::vector<int>>("vector")();  // refused: std::vector keeps its elements outside the store: use perdure::vector // at: vector
  store.construct<perdure::flat_map<int, std::map<int, int>>>("map")();  // refused: std::map keeps its elements outside the store: use perdure::map, or perdure::flat_map // at: flat_map[].second
  store.construct<holds<std::unique_ptr<house>>>("unique_ptr")();  // refused: a smart pointer cannot live in a store: what it points to is outside; use perdure::offset_ptr // at: holds.held
  store.construct<perdure::vector<std::string>>("strings")();  // refused: std::string keeps its text outside the store: use perdure::string // at: vector[]
  store.construct<perdure::vector<holds<std::string_view>>>("views")();  // refused: a view (std::string_view, std::span) cannot live in a relocatable store // at: vector[].held
  store.construct<holds<std::function<void()>>>("function")();  // refused: a std::function cannot live in a store // at: holds.held
  store.construct<holds<std::mutex>>("mutex")();  // refused: a mutex, lock, condition variable or thread cannot live in a store // at: holds.held
  (*store.find_or_construct<perdure::flat_map<int, std::shared_ptr<int>>>("shared_ptr")())[1] = nullptr;  // refused: a smart pointer cannot live in a store // at: flat_map[].second
  store.find_or_construct<std::pmr::vector<int>>("pmr")()->push_back(1);  // refused: std::vector keeps its elements outside the store: use perdure::vector // at: vector
  store.construct<parcel>("parcel")();  // refused: std::string keeps its text outside the store: use perdure::string // at: parcel.recipient_
  store.construct<listed_parcel>("listed")();  // refused: std::string keeps its text outside the store // at: listed_parcel.1
  store.construct<unnamed_parcel>("unnamed")();
  store.construct<perdure::flat_map<int, route>>("routes")();  // refused: std::string keeps its text outside the store: use perdure::string // at: flat_map[].second.stops[].in.name
  store.construct<route>("array")[3]();  // refused: std::string keeps its text outside the store: use perdure::string // at: route.stops[].in.name
  store.construct<long_names>("long")();  // refused: std::string keeps its text outside the store // at: long_names.routes_by_the_name_of_the_district[].second[].stops[].in.name
  store.construct<view_of_route>("reference")();  // refused: a reference cannot live in a relocatable store // at: view_of_route.2
  store.construct<substitute>("base")();  // refused: a plain pointer cannot live in a relocatable store // at: substitute.0
  store.construct<queue_of_parcels>("queue")();  // refused: std::deque keeps its elements outside the store: use perdure::deque // at: queue_of_parcels.waiting
  store.construct<perdure::queue<house>>("adapter")();  // refused: std::string keeps its text outside the store // at: queue[].in.name
  store.construct<tour>("tour")();  // refused: a smart pointer cannot live in a store // at: tour.next
  store.construct<flags>("flags")();  // refused: a plain pointer cannot live in a relocatable store // at: flags.1
  store.construct<either>("union")();  // refused: a plain pointer cannot live in a relocatable store // at: either.0
  store.construct<with_many_a_part>("parts")();  // refused: a plain pointer cannot live in a relocatable store // at: with_many_a_part.parts[].<1>.second
  store.construct<holds<void (*)()>>("code")();  // refused: a pointer to a function cannot live in a store // at: holds.held
  store.construct<holds<int house::*>>("member")();  // refused: a pointer to member cannot live in a store // at: holds.held
  store.construct<holds<declared_unfit>>("unfit")();  // refused: this type was declared unfit for a store by enable_persistable // at: holds.held
  store.construct<loud>("loud")();  // refused: an object in a store must have a destructor that does not throw // at: loud
  store.construct<const int>("const")(1);  // refused: construct takes a plain object type // at: int
  store.construct<std::map<int, int>>("one map")();  // refused: std::map keeps its elements outside the store // at: map
  store.construct<std::map<int, char>>("another")();  // refused: std::map keeps its elements outside the store // at: map
  store.construct<std::multimap<int, int>>("multimap")();  // refused: std::multimap keeps its elements outside the store: use perdure::multimap // at: multimap
  store.construct<std::set<int>>("set")();  // refused: std::set keeps its elements outside the store: use perdure::set, or perdure::flat_set // at: set
  store.construct<std::multiset<int>>("multiset")();  // refused: std::multiset keeps its elements outside the store: use perdure::multiset // at: multiset
  store.construct<std::list<int>>("list")();  // refused: std::list keeps its elements outside the store: use perdure::list // at: list
  store.construct<std::deque<int>>("deque")();  // refused: std::deque keeps its elements outside the store: use perdure::deque // at: deque
  store.construct<std::wstring>("wstring")();  // refused: std::basic_string keeps its text outside the store: use perdure::basic_string // at: basic_string
  store.construct<std::forward_list<int>>("std::forward_list")();  // refused: std::forward_list keeps its elements outside the store: use perdure::forward_list // at: forward_list
  store.construct<std::unordered_map<int, int>>("std::unordered_map")();  // refused: std::unordered_map keeps its elements outside the store: use perdure::flat_map, or perdure::unordered_map // at: unordered_map
  store.construct<std::unordered_multimap<int, int>>("std::unordered_multimap")();  // refused: std::unordered_multimap keeps its elements outside the store: use perdure::unordered_multimap // at: unordered_multimap
  store.construct<std::unordered_set<int>>("std::unordered_set")();  // refused: std::unordered_set keeps its elements outside the store: use perdure::flat_set, or perdure::unordered_set // at: unordered_set
  store.construct<std::unordered_multiset<int>>("std::unordered_multiset")();  // refused: std::unordered_multiset keeps its elements outside the store: use perdure::unordered_multiset // at: unordered_multiset
  store.construct<holds<std::string_view>>("view")();  // refused: a view (std::string_view, std::span) cannot live in a relocatable store
  store.construct<perdure::vector<std::span<int>>>("spans")();  // refused: a view (std::string_view, std::span) cannot live in a relocatable store
  store.construct<holds<std::filesystem::path>>("path")();  // refused: a std::filesystem::path cannot live in a store, as its text is outside: use perdure::string // at: holds.held
  store.construct<holds<std::regex>>("pattern")();  // refused: a std::basic_regex cannot live in a store
  store.construct<holds<std::any>>("any")();  // refused: a std::any cannot live in a store
  store.construct<holds<std::error_code>>("code")();  // refused: a std::error_code cannot live in a store
  store.construct<holds<std::future<int>>>("future")();  // refused: a future, promise or exception_ptr cannot live in a store
  store.construct<holds<std::exception_ptr>>("exception")();  // refused: a future, promise or exception_ptr cannot live in a store
  store.construct<std::forward_list<int, stored<int>>>("forward_list");  // refused: this container of the standard library keeps plain pointers whatever its allocator, so it cannot live in a relocatable store: use the one of the same name in perdure/container/, or a pinned_manager
  store.construct<std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, pairs>>("unordered_map");  // refused: this container of the standard library keeps plain pointers whatever its allocator, so it cannot live in a relocatable store: use the one of the same name in perdure/container/, or a pinned_manager
  store.construct<std::unordered_multimap<int, int, std::hash<int>, std::equal_to<int>, pairs>>("unordered_multimap");  // refused: this container of the standard library keeps plain pointers whatever its allocator, so it cannot live in a relocatable store: use the one of the same name in perdure/container/, or a pinned_manager
  store.construct<std::unordered_set<int, std::hash<int>, std::equal_to<int>, stored<int>>>("unordered_set");  // refused: this container of the standard library keeps plain pointers whatever its allocator, so it cannot live in a relocatable store: use the one of the same name in perdure/container/, or a pinned_manager
  store.construct<std::unordered_multiset<int, std::hash<int>, std::equal_to<int>, stored<int>>>("unordered_multiset");  // refused: this container of the standard library keeps plain pointers whatever its allocator, so it cannot live in a relocatable store: use the one of the same name in perdure/container/, or a pinned_manager
  store.construct<std::vector<bool, stored<bool>>>("vector<bool>");  // refused: this container of the standard library keeps plain pointers whatever its allocator, so it cannot live in a relocatable store: use the one of the same name in perdure/container/, or a pinned_manager
  store.construct<holds<std::forward_list<int, stored<int>>>>("member");  // refused: this container of the standard library keeps plain pointers whatever its allocator, so it cannot live in a relocatable store: use the one of the same name in perdure/container/, or a pinned_manager
  store.construct<perdure::vector<std::forward_list<int, stored<int>>>>("element");  // refused: this container of the standard library keeps plain pointers whatever its allocator, so it cannot live in a relocatable store: use the one of the same name in perdure/container/, or a pinned_manager
  pinned.construct<std::filesystem::path>("path")();  // refused: a std::filesystem::path cannot live in a store
  pinned.construct<std::map<std::string, int>>("map")();  // refused: this container allocates outside the store: give containers and strings of the standard library perdure::pinned_allocator
  pinned.construct<perdure::vector<holds<std::string>>>("strings")();  // refused: this container allocates outside the store // at: vector[].held
  pinned.construct<holds<std::string_view>>("view")();
  auto& words = *store.find_or_construct<perdure::vector<perdure::string>>("words");  // refused: there is no object before its constructor's arguments: write construct<T>(name)(), find_or_construct<T>(name)()
  words.push_back("word");
  store.construct<perdure::vector<int>>("numbers")[3]->clear();  // refused: there is no object before its constructor's arguments
}
