// What the library's own interface refuses: compiling this must fail at the lines that say so, with the
// message quoted there, and at no others.
#include <any>
#include <filesystem>
#include <forward_list>
#include <future>
#include <list>
#include <map>
#include <perdure/perdure.hpp>
#include <regex>
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

}  // namespace

// clang-format off
void refused(perdure::manager& store, perdure::pinned_manager& pinned) {
  store.construct<holds<std::string_view>>("view")();  // refused: a view (std::string_view, std::span) cannot live in a relocatable store
  store.construct<perdure::vector<std::span<int>>>("spans")();  // refused: a view (std::string_view, std::span) cannot live in a relocatable store
  store.construct<holds<std::filesystem::path>>("path")();  // refused: a std::filesystem::path cannot live in a store, as its text is outside: use perdure::string
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
  pinned.construct<std::map<std::string, int>>("map")();  // refused: this type, or one inside it, allocates outside the store: give containers and strings of the standard library perdure::pinned_allocator
  pinned.construct<holds<std::string_view>>("view")();
  auto& words = *store.find_or_construct<perdure::vector<perdure::string>>("words");  // refused: there is no object before its constructor's arguments: write construct<T>(name)(), find_or_construct<T>(name)()
  words.push_back("word");
  store.construct<perdure::vector<int>>("numbers")[3]->clear();  // refused: there is no object before its constructor's arguments
}
