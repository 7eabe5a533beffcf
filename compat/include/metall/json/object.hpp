// JSON values under keys.
#pragma once

#include <cstddef>
#include <metall/container/scoped_allocator.hpp>
#include <metall/container/vector.hpp>
#include <metall/json/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace metall::json {

/// Each key once, in the order of insertion. Small rather than fast: a key is looked for from the first on.
template <typename Allocator>
class object {
 public:
  using allocator_type = Allocator;
  using value_type = key_value_pair<char, std::char_traits<char>, Allocator>;
  using key_type = std::string_view;
  using mapped_type = value<Allocator>;

 private:
  using pairs =
      container::vector<value_type, container::scoped_allocator_adaptor<typename std::allocator_traits<
                                        Allocator>::template rebind_alloc<value_type>>>;

 public:
  using iterator = typename pairs::iterator;
  using const_iterator = typename pairs::const_iterator;

  object() : pairs_(Allocator()) {}
  explicit object(const Allocator& allocator) : pairs_(allocator) {}
  object(const object&) = default;
  object(const object& other, const Allocator& allocator) : pairs_(other.pairs_, allocator) {}
  object(object&&) noexcept = default;
  object(object&& other, const Allocator& allocator) : pairs_(std::move(other.pairs_), allocator) {}
  object& operator=(const object&) = default;
  object& operator=(object&&) = default;

  /// Both must have equal allocators.
  void swap(object& other) noexcept { pairs_.swap(other.pairs_); }
  friend void swap(object& a, object& b) noexcept { a.swap(b); }

  /// The key's value; null is added if the key is not there.
  mapped_type& operator[](const key_type& key) {
    const iterator found = find(key);
    if (found != end()) return found->value();
    pairs_.emplace_back(key, mapped_type(get_allocator()));
    return pairs_.back().value();
  }
  /// `std::out_of_range` if the key is not there.
  const mapped_type& operator[](const key_type& key) const { return at(key); }
  mapped_type& at(const key_type& key) { return found_or_throw(*this, key); }
  const mapped_type& at(const key_type& key) const { return found_or_throw(*this, key); }

  bool contains(const key_type& key) const { return find(key) != end(); }
  /// 1 or 0.
  std::size_t count(const key_type& key) const { return contains(key) ? 1 : 0; }
  iterator find(const key_type& key) { return find_in(*this, key); }
  const_iterator find(const key_type& key) const { return find_in(*this, key); }

  iterator begin() { return pairs_.begin(); }
  const_iterator begin() const { return pairs_.begin(); }
  iterator end() { return pairs_.end(); }
  const_iterator end() const { return pairs_.end(); }
  std::size_t size() const { return pairs_.size(); }
  bool empty() const { return pairs_.empty(); }
  void clear() { pairs_.clear(); }

  /// The position behind the one erased; `end()` may be given.
  iterator erase(const_iterator position) {
    return position == pairs_.cend() ? end() : pairs_.erase(position);
  }
  iterator erase(iterator position) { return erase(const_iterator(position)); }
  iterator erase(const key_type& key) { return erase(find(key)); }

  allocator_type get_allocator() const noexcept {
    return allocator_type(pairs_.get_allocator().outer_allocator());
  }

  /// The same keys with equal values, in any order.
  friend bool operator==(const object& a, const object& b) noexcept {
    if (a.size() != b.size()) return false;
    for (const value_type& pair : a) {
      const const_iterator other = b.find(pair.key());
      if (other == b.end() || !(pair.value() == other->value())) return false;
    }
    return true;
  }

 private:
  template <class Self>
  static auto find_in(Self& self, const key_type& key) -> decltype(self.begin()) {
    auto at = self.begin();
    while (at != self.end() && at->key() != key) ++at;
    return at;
  }
  template <class Self>
  static auto& found_or_throw(Self& self, const key_type& key) {
    const auto found = find_in(self, key);
    if (found == self.end()) throw std::out_of_range("a JSON object has no key \"" + std::string(key) + '"');
    return found->value();
  }

  pairs pairs_;
};

}  // namespace metall::json

// What it holds must be complete before it is used.
#include <metall/json/value.hpp>
