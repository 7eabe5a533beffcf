// An unordered set in one block of memory, found by a distance from the set itself: it can live in a store.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/copy_moved.hpp>
#include <perdure/container/detail/flat_table.hpp>
#include <perdure/hash.hpp>
#include <type_traits>
#include <utility>

namespace perdure {

/// The interface of `std::unordered_set` without buckets and nodes; what `flat_map` says of differences,
/// guarantees and hashes holds here too. Elements cannot be changed through iterators.
template <class Key, class Hash = hash<Key>, class KeyEqual = equal_to, class Allocator = allocator<Key>>
class flat_set {
  using table = detail::flat_table<detail::set_policy<Key>, Hash, KeyEqual, Allocator>;
  static constexpr bool allocator_by_default = detail::made_without_a_store<Allocator>;

 public:
  using key_type = Key;
  using value_type = Key;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using hasher = Hash;
  using key_equal = KeyEqual;
  using allocator_type = Allocator;
  using reference = const Key&;
  using const_reference = const Key&;
  using pointer = const Key*;
  using const_pointer = const Key*;
  using iterator = typename table::const_iterator;
  using const_iterator = typename table::const_iterator;

 private:
  /// Other key types, where hash and equality take them.
  template <class K>
  static constexpr bool other_key =
      detail::transparent<Hash> && detail::transparent<KeyEqual> &&
      !std::is_same_v<std::remove_cvref_t<K>, Key> && !std::is_convertible_v<K, const_iterator> &&
      requires(const Hash& hash, const std::remove_cvref_t<K>& key) { hash(key); };

 public:
  /// Without an allocator: one made from nothing, or the memory in which it lies itself (see `allocator`).
  flat_set()
    requires allocator_by_default
      : flat_set(detail::allocator_without_a_store<Allocator>()) {}
  explicit flat_set(const Allocator& alloc) : table_(Hash(), KeyEqual(), alloc) {}
  explicit flat_set(size_type n, const Hash& hash, const KeyEqual& equal, const Allocator& alloc)
      : table_(hash, equal, alloc) {
    reserve(n);
  }
  flat_set(size_type n, const Hash& hash, const Allocator& alloc) : flat_set(n, hash, KeyEqual(), alloc) {}
  flat_set(size_type n, const Allocator& alloc) : flat_set(n, Hash(), KeyEqual(), alloc) {}
  explicit flat_set(size_type n, const Hash& hash = Hash(), const KeyEqual& equal = KeyEqual())
    requires allocator_by_default
      : flat_set(n, hash, equal, detail::allocator_without_a_store<Allocator>()) {}
  template <std::input_iterator It>
  flat_set(It first, It last, size_type n, const Hash& hash, const KeyEqual& equal, const Allocator& alloc)
      : flat_set(n, hash, equal, alloc) {
    insert(first, last);
  }
  template <std::input_iterator It>
  flat_set(It first, It last, const Allocator& alloc) : flat_set(first, last, 0, Hash(), KeyEqual(), alloc) {}
  template <std::input_iterator It>
    requires allocator_by_default
  flat_set(It first, It last, size_type n = 0, const Hash& hash = Hash(), const KeyEqual& equal = KeyEqual())
      : flat_set(first, last, n, hash, equal, detail::allocator_without_a_store<Allocator>()) {}
  flat_set(std::initializer_list<Key> values, const Allocator& alloc)
      : flat_set(values.begin(), values.end(), alloc) {}
  flat_set(std::initializer_list<Key> values)
    requires allocator_by_default
      : flat_set(values, detail::allocator_without_a_store<Allocator>()) {}
  flat_set(const flat_set& other)
      : table_(other.table_, std::allocator_traits<Allocator>::select_on_container_copy_construction(
                                 other.table_.allocator())) {}
  flat_set(const flat_set& other, const std::type_identity_t<Allocator>& alloc)
      : table_(other.table_, alloc) {}
  /// Constant time, and the allocator goes along; into a store from elsewhere the elements are copied.
  flat_set(flat_set&& other) noexcept
      : table_(other.hash_function(), other.key_eq(),
               detail::allocator_after_move(other.table_.allocator(), std::addressof(other), this)) {
    if (!detail::self_locating<Allocator> || table_.allocator() == other.table_.allocator()) {
      table_.take(other.table_);
    } else {
      detail::copy_moved(*this, other, [this](flat_set& copy) { table_.take(copy.table_); });
    }
  }
  flat_set(flat_set&& other, const std::type_identity_t<Allocator>& alloc)
      : table_(std::move(other.table_), alloc) {}
  ~flat_set() = default;

  flat_set& operator=(const flat_set& other) {
    table_.copy_assign(other.table_);
    return *this;
  }
  flat_set& operator=(flat_set&& other) noexcept(noexcept(std::declval<table&>().move_assign(other.table_))) {
    table_.move_assign(other.table_);
    return *this;
  }
  flat_set& operator=(std::initializer_list<Key> values) {
    clear();
    insert(values.begin(), values.end());
    return *this;
  }

  allocator_type get_allocator() const noexcept { return table_.allocator(); }
  hasher hash_function() const { return table_.hash_function(); }
  key_equal key_eq() const { return table_.key_eq(); }

  const_iterator begin() const noexcept { return table_.begin(); }
  const_iterator end() const noexcept { return table_.end(); }
  const_iterator cbegin() const noexcept { return table_.begin(); }
  const_iterator cend() const noexcept { return table_.end(); }

  [[nodiscard]] bool empty() const noexcept { return table_.size() == 0; }
  size_type size() const noexcept { return table_.size(); }
  size_type max_size() const noexcept { return table_.max_size(); }

  std::pair<iterator, bool> insert(const Key& key) { return table_.find_or_construct(key, key); }
  std::pair<iterator, bool> insert(Key&& key) { return table_.find_or_construct(key, std::move(key)); }
  /// Builds a `Key` from another type only when it is not there yet.
  template <class K>
    requires other_key<K>
  std::pair<iterator, bool> insert(K&& key) {
    return table_.find_or_construct(key, std::forward<K>(key));
  }
  iterator insert(const_iterator, const Key& key) { return insert(key).first; }
  iterator insert(const_iterator, Key&& key) { return insert(std::move(key)).first; }
  template <std::input_iterator It>
  void insert(It first, It last) {
    if constexpr (detail::multipass<It>) {
      if (empty()) reserve(static_cast<size_type>(std::distance(first, last)));
    }
    for (; first != last; ++first) emplace(*first);
  }
  void insert(std::initializer_list<Key> values) { insert(values.begin(), values.end()); }
  template <class... Args>
  std::pair<iterator, bool> emplace(Args&&... args) {
    if constexpr (sizeof...(Args) == 1 && (std::is_same_v<std::remove_cvref_t<Args>, Key> && ...)) {
      return insert(std::forward<Args>(args)...);
    } else {
      return table_.emplace(std::forward<Args>(args)...);
    }
  }
  template <class... Args>
  iterator emplace_hint(const_iterator, Args&&... args) {
    return emplace(std::forward<Args>(args)...).first;
  }

  iterator erase(const_iterator position) noexcept { return table_.erase(position); }
  iterator erase(const_iterator first, const_iterator last) noexcept { return table_.erase(first, last); }
  size_type erase(const Key& key) { return table_.erase_key(key); }
  template <class K>
    requires other_key<K>
  size_type erase(K&& key) {
    return table_.erase_key(key);
  }
  void clear() noexcept { table_.clear(); }
  void swap(flat_set& other) { table_.swap(other.table_); }
  friend void swap(flat_set& a, flat_set& b) { a.swap(b); }

  const_iterator find(const Key& key) const { return table_.find(key); }
  bool contains(const Key& key) const { return table_.contains(key); }
  size_type count(const Key& key) const { return table_.contains(key) ? 1 : 0; }
  std::pair<const_iterator, const_iterator> equal_range(const Key& key) const {
    const const_iterator found = find(key);
    const_iterator next = found;
    if (found != end()) ++next;
    return {found, next};
  }
  template <class K>
    requires other_key<K>
  const_iterator find(const K& key) const {
    return table_.find(key);
  }
  template <class K>
    requires other_key<K>
  bool contains(const K& key) const {
    return table_.contains(key);
  }
  template <class K>
    requires other_key<K>
  size_type count(const K& key) const {
    return table_.contains(key) ? 1 : 0;
  }

  /// Makes room for `n` elements in all, so that inserting up to there moves none.
  void reserve(size_type n) { table_.reserve(n); }
  /// Sets the number of slots, as far as the elements allow; `rehash(0)` gives unused memory back.
  void rehash(size_type n) { table_.rehash(n); }
  size_type bucket_count() const noexcept { return table_.slots(); }
  float load_factor() const noexcept {
    return empty() ? 0.0F : static_cast<float>(size()) / static_cast<float>(bucket_count());
  }
  float max_load_factor() const noexcept { return 0.875F; }
  /// Accepted for compatibility; the load factor is fixed.
  void max_load_factor(float) noexcept {}

  friend bool operator==(const flat_set& a, const flat_set& b) {
    return a.table_.equals(b.table_, [](const Key&, const Key&) { return true; });
  }

 private:
  friend struct relocator<flat_set>;
  table table_;
};

template <class Key, class Hash, class KeyEqual, class Allocator, class Predicate>
std::size_t erase_if(flat_set<Key, Hash, KeyEqual, Allocator>& set, Predicate predicate) {
  const std::size_t before = set.size();
  for (auto it = set.begin(); it != set.end();) {
    it = predicate(*it) ? set.erase(it) : ++it;
  }
  return before - set.size();
}

template <class Key, class Hash, class KeyEqual, class Allocator>
  requires(detail::relocates_nothrow_v<Hash> && detail::relocates_nothrow_v<KeyEqual>)
struct relocator<flat_set<Key, Hash, KeyEqual, Allocator>> {
  using set = flat_set<Key, Hash, KeyEqual, Allocator>;
  static void relocate(set* to, set* from) noexcept {
    detail::relocate_at(std::addressof(to->table_), std::addressof(from->table_));
  }
};

}  // namespace perdure
