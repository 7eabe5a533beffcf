// Values under text keys, in a store.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <metall/container/scoped_allocator.hpp>
#include <metall/container/string.hpp>
#include <metall/container/string_key_store_locator.hpp>
#include <metall/container/unordered_map.hpp>
#include <metall/metall.hpp>
#include <metall/utility/hash.hpp>
#include <perdure/hash.hpp>
#include <string_view>
#include <tuple>
#include <utility>

namespace metall::container {

/// Maps keys (any bytes) to values; each key once, or any number of times.
///
/// A key is hashed once, to an id; ids of different keys that collide are told apart by counting up. Elements
/// are addressed by locators. Not thread-safe.
template <typename Value, typename Allocator = manager::allocator_type<std::byte>>
class string_key_store {
  template <typename T>
  using rebound = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;
  using id_type = std::uint64_t;
  using string_type = basic_string<char, std::char_traits<char>, rebound<char>>;
  using element_type = std::tuple<string_type, Value>;
  using map_type =
      unordered_multimap<id_type, element_type, perdure::hash<id_type>, std::equal_to<id_type>,
                         scoped_allocator_adaptor<rebound<std::pair<const id_type, element_type>>>>;

 public:
  using key_type = std::string_view;
  using value_type = Value;
  using allocator_type = Allocator;
  using locator_type = string_key_store_locator<typename map_type::const_iterator>;

  /// Takes a key any number of times.
  explicit string_key_store(const Allocator& allocator = Allocator()) : map_(allocator) {}
  /// `unique`: takes each key once.
  string_key_store(const bool unique, const std::uint64_t hash_seed, const Allocator& allocator = Allocator())
      : unique_(unique), hash_seed_(hash_seed), map_(allocator) {}
  string_key_store(const string_key_store&) = default;
  string_key_store(const string_key_store& other, const Allocator& allocator)
      : unique_(other.unique_),
        hash_seed_(other.hash_seed_),
        map_(other.map_, allocator),
        longest_probe_(other.longest_probe_) {}
  string_key_store(string_key_store&&) = default;
  string_key_store(string_key_store&& other, const Allocator& allocator)
      : unique_(other.unique_),
        hash_seed_(other.hash_seed_),
        map_(std::move(other.map_), allocator),
        longest_probe_(other.longest_probe_) {}
  string_key_store& operator=(const string_key_store&) = default;
  string_key_store& operator=(string_key_store&&) = default;

  /// Adds the key with a default value. False, and nothing is changed, if the keys are unique and it is
  /// there.
  bool insert(const key_type& key) {
    if (unique_ && count(key) != 0) return false;
    const Allocator allocator = get_allocator();
    add(key, element_type(std::allocator_arg, allocator, string_type(key.data(), key.size(), allocator),
                          std::make_obj_using_allocator<Value>(allocator)));
    return true;
  }
  /// Adds the key with the value; if the keys are unique and it is there, replaces its value. True.
  bool insert(const key_type& key, const value_type& value) { return insert_value(key, value); }
  bool insert(const key_type& key, value_type&& value) { return insert_value(key, std::move(value)); }

  /// Keeps the memory of the table.
  void clear() {
    map_.clear();
    longest_probe_ = 0;
  }
  std::size_t count(const key_type& key) const {
    const auto range = map_.equal_range(id_of(key));
    return holds(range.first, key) ? static_cast<std::size_t>(std::distance(range.first, range.second)) : 0;
  }
  std::size_t size() const { return map_.size(); }

  key_type key(const locator_type& position) const {
    return text_of(std::get<0>(position.iterator_->second));
  }
  value_type& value(const locator_type& position) {
    // An empty erasure turns a position that may not be written through into one that may.
    return std::get<1>(map_.erase(position.iterator_, position.iterator_)->second);
  }
  const value_type& value(const locator_type& position) const {
    return std::get<1>(position.iterator_->second);
  }

  /// The first element with the key, or `end()`.
  locator_type find(const key_type& key) const { return equal_range(key).first; }
  /// All elements with the key.
  std::pair<locator_type, locator_type> equal_range(const key_type& key) const {
    const auto range = map_.equal_range(id_of(key));
    if (!holds(range.first, key)) return {end(), end()};
    return {locator_type(range.first), locator_type(range.second)};
  }
  locator_type begin() const { return locator_type(map_.begin()); }
  locator_type end() const { return locator_type(map_.end()); }

  /// The number of elements removed.
  std::size_t erase(const key_type& key) {
    const auto range = map_.equal_range(id_of(key));
    if (!holds(range.first, key)) return 0;
    // Not by a reference into an element that goes.
    const id_type id = range.first->first;
    return map_.erase(id);
  }
  /// The position behind the one removed; nothing is removed at `end()`.
  locator_type erase(const locator_type& position) {
    if (position == end()) return end();
    return locator_type(map_.erase(position.iterator_));
  }

  /// The most that was counted up to tell keys apart.
  std::size_t max_id_probe_distance() const { return longest_probe_; }
  /// Gives ids anew: look-ups are shorter after much was erased.
  void rehash() {
    map_type old(map_.get_allocator());
    old.swap(map_);
    longest_probe_ = 0;
    for (auto& [id, element] : old) {
      const key_type text = text_of(std::get<0>(element));
      add(text, std::move(element));
    }
  }

  allocator_type get_allocator() const { return allocator_type(map_.get_allocator().outer_allocator()); }
  bool unique() const { return unique_; }
  std::uint64_t hash_seed() const { return hash_seed_; }

 private:
  static key_type text_of(const string_type& text) { return {text.data(), text.size()}; }
  bool holds(const typename map_type::const_iterator& at, const key_type& key) const {
    return at != map_.end() && text_of(std::get<0>(at->second)) == key;
  }

  /// Returns the id of the key, or if it is not there, the id it would get. An erased id between may be met:
  /// then ids further on are looked at, up to the longest distance there was.
  id_type id_of(const key_type& key) const {
    const id_type first = utility::detail::seeded(key, hash_seed_);
    id_type free = 0;
    bool found_free = false;
    for (std::size_t distance = 0; distance <= longest_probe_; ++distance) {
      const id_type id = first + distance;
      const auto at = map_.find(id);
      if (holds(at, key)) return id;
      if (at == map_.end() && !found_free) {
        free = id;
        found_free = true;
      }
    }
    return found_free ? free : first + longest_probe_ + 1;
  }
  void add(const key_type& key, element_type&& element) {
    const id_type id = id_of(key);
    const std::size_t distance = static_cast<std::size_t>(id - utility::detail::seeded(key, hash_seed_));
    map_.emplace(id, std::move(element));
    longest_probe_ = std::max(longest_probe_, distance);
  }
  template <typename V>
  bool insert_value(const key_type& key, V&& value) {
    if (unique_) {
      const auto at = map_.find(id_of(key));
      if (holds(at, key)) {
        std::get<1>(at->second) = std::forward<V>(value);
        return true;
      }
    }
    const Allocator allocator = get_allocator();
    add(key, element_type(std::allocator_arg, allocator, string_type(key.data(), key.size(), allocator),
                          std::forward<V>(value)));
    return true;
  }

  bool unique_ = false;
  std::uint64_t hash_seed_ = 123;
  map_type map_;
  std::size_t longest_probe_ = 0;
};

}  // namespace metall::container
