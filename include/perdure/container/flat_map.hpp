// An unordered map in one block of memory, found by a distance from the map itself: it can live in a store.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/copy_moved.hpp>
#include <perdure/container/detail/flat_table.hpp>
#include <perdure/hash.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace perdure {

/// The interface of `std::unordered_map` without buckets and nodes: elements lie side by side in an
/// open-addressed table, and move when it grows.
///
/// Differences from `std::unordered_map`: insertion may invalidate references, pointers and iterators
/// (erasing invalidates only those of the erased element); no `extract` and no bucket interface; the
/// maximum load factor is fixed (7/8, and 1 below 16 elements). With the default hash and equality,
/// look-up, insertion and erasure also take keys of other types, as a string view for a string.
/// Exception guarantees as the standard's; insertion of one element is strong also when the table grows.
/// The hash decides where elements are in the store: it must give the same values in every run, which
/// `std::hash` does not promise. Iterators hold raw pointers: do not store them.
template <class Key, class Mapped, class Hash = hash<Key>, class KeyEqual = equal_to,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
class flat_map {
  using table = detail::flat_table<detail::map_policy<Key, Mapped>, Hash, KeyEqual, Allocator>;
  static constexpr bool allocator_by_default = detail::made_without_a_store<Allocator>;

 public:
  using key_type = Key;
  using mapped_type = Mapped;
  using value_type = std::pair<const Key, Mapped>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using hasher = Hash;
  using key_equal = KeyEqual;
  using allocator_type = Allocator;
  using reference = value_type&;
  using const_reference = const value_type&;
  using pointer = value_type*;
  using const_pointer = const value_type*;
  using iterator = typename table::iterator;
  using const_iterator = typename table::const_iterator;

 private:
  /// Other key types, where hash and equality take them.
  template <class K>
  static constexpr bool other_key =
      detail::transparent<Hash> && detail::transparent<KeyEqual> &&
      !std::is_same_v<std::remove_cvref_t<K>, Key> && !std::is_convertible_v<K, const_iterator> &&
      !std::is_convertible_v<K, iterator> &&
      requires(const Hash& hash, const std::remove_cvref_t<K>& key) { hash(key); };

 public:
  /// Without an allocator: one made from nothing, or the memory in which it lies itself (see `allocator`).
  flat_map()
    requires allocator_by_default
      : flat_map(detail::allocator_without_a_store<Allocator>()) {}
  explicit flat_map(const Allocator& alloc) : table_(Hash(), KeyEqual(), alloc) {}
  explicit flat_map(size_type n, const Hash& hash, const KeyEqual& equal, const Allocator& alloc)
      : table_(hash, equal, alloc) {
    reserve(n);
  }
  flat_map(size_type n, const Hash& hash, const Allocator& alloc) : flat_map(n, hash, KeyEqual(), alloc) {}
  flat_map(size_type n, const Allocator& alloc) : flat_map(n, Hash(), KeyEqual(), alloc) {}
  explicit flat_map(size_type n, const Hash& hash = Hash(), const KeyEqual& equal = KeyEqual())
    requires allocator_by_default
      : flat_map(n, hash, equal, detail::allocator_without_a_store<Allocator>()) {}
  template <std::input_iterator It>
  flat_map(It first, It last, size_type n, const Hash& hash, const KeyEqual& equal, const Allocator& alloc)
      : flat_map(n, hash, equal, alloc) {
    insert(first, last);
  }
  template <std::input_iterator It>
  flat_map(It first, It last, const Allocator& alloc) : flat_map(first, last, 0, Hash(), KeyEqual(), alloc) {}
  template <std::input_iterator It>
    requires allocator_by_default
  flat_map(It first, It last, size_type n = 0, const Hash& hash = Hash(), const KeyEqual& equal = KeyEqual())
      : flat_map(first, last, n, hash, equal, detail::allocator_without_a_store<Allocator>()) {}
  flat_map(std::initializer_list<value_type> values, const Allocator& alloc)
      : flat_map(values.begin(), values.end(), alloc) {}
  flat_map(std::initializer_list<value_type> values)
    requires allocator_by_default
      : flat_map(values, detail::allocator_without_a_store<Allocator>()) {}
  flat_map(const flat_map& other)
      : table_(other.table_, std::allocator_traits<Allocator>::select_on_container_copy_construction(
                                 other.table_.allocator())) {}
  flat_map(const flat_map& other, const std::type_identity_t<Allocator>& alloc)
      : table_(other.table_, alloc) {}
  /// Constant time, and the allocator goes along; into a store from elsewhere the elements are copied.
  flat_map(flat_map&& other) noexcept
      : table_(other.hash_function(), other.key_eq(),
               detail::allocator_after_move(other.table_.allocator(), std::addressof(other), this)) {
    if (!detail::self_locating<Allocator> || table_.allocator() == other.table_.allocator()) {
      table_.take(other.table_);
    } else {
      detail::copy_moved(*this, other, [this](flat_map& copy) { table_.take(copy.table_); });
    }
  }
  flat_map(flat_map&& other, const std::type_identity_t<Allocator>& alloc)
      : table_(std::move(other.table_), alloc) {}
  ~flat_map() = default;

  flat_map& operator=(const flat_map& other) {
    table_.copy_assign(other.table_);
    return *this;
  }
  flat_map& operator=(flat_map&& other) noexcept(noexcept(std::declval<table&>().move_assign(other.table_))) {
    table_.move_assign(other.table_);
    return *this;
  }
  flat_map& operator=(std::initializer_list<value_type> values) {
    clear();
    insert(values.begin(), values.end());
    return *this;
  }

  allocator_type get_allocator() const noexcept { return table_.allocator(); }
  hasher hash_function() const { return table_.hash_function(); }
  key_equal key_eq() const { return table_.key_eq(); }

  iterator begin() noexcept { return table_.begin(); }
  iterator end() noexcept { return table_.end(); }
  const_iterator begin() const noexcept { return table_.begin(); }
  const_iterator end() const noexcept { return table_.end(); }
  const_iterator cbegin() const noexcept { return table_.begin(); }
  const_iterator cend() const noexcept { return table_.end(); }

  [[nodiscard]] bool empty() const noexcept { return table_.size() == 0; }
  size_type size() const noexcept { return table_.size(); }
  size_type max_size() const noexcept { return table_.max_size(); }

  template <class... Args>
  std::pair<iterator, bool> try_emplace(const Key& key, Args&&... args) {
    return try_emplace_key(key, std::forward<Args>(args)...);
  }
  template <class... Args>
  std::pair<iterator, bool> try_emplace(Key&& key, Args&&... args) {
    return try_emplace_key(std::move(key), std::forward<Args>(args)...);
  }
  template <class K, class... Args>
    requires other_key<K>
  std::pair<iterator, bool> try_emplace(K&& key, Args&&... args) {
    return try_emplace_key(std::forward<K>(key), std::forward<Args>(args)...);
  }
  template <class... Args>
  iterator try_emplace(const_iterator, const Key& key, Args&&... args) {
    return try_emplace_key(key, std::forward<Args>(args)...).first;
  }
  template <class... Args>
  iterator try_emplace(const_iterator, Key&& key, Args&&... args) {
    return try_emplace_key(std::move(key), std::forward<Args>(args)...).first;
  }

  template <class M>
  std::pair<iterator, bool> insert_or_assign(const Key& key, M&& value) {
    return insert_or_assign_key(key, std::forward<M>(value));
  }
  template <class M>
  std::pair<iterator, bool> insert_or_assign(Key&& key, M&& value) {
    return insert_or_assign_key(std::move(key), std::forward<M>(value));
  }
  template <class K, class M>
    requires other_key<K>
  std::pair<iterator, bool> insert_or_assign(K&& key, M&& value) {
    return insert_or_assign_key(std::forward<K>(key), std::forward<M>(value));
  }

  std::pair<iterator, bool> insert(const value_type& value) {
    return table_.find_or_construct(value.first, value);
  }
  std::pair<iterator, bool> insert(value_type&& value) {
    return table_.find_or_construct(value.first, std::move(value));
  }
  template <class P>
    requires std::is_constructible_v<value_type, P&&>
  std::pair<iterator, bool> insert(P&& value) {
    return emplace(std::forward<P>(value));
  }
  iterator insert(const_iterator, const value_type& value) { return insert(value).first; }
  iterator insert(const_iterator, value_type&& value) { return insert(std::move(value)).first; }
  template <std::input_iterator It>
  void insert(It first, It last) {
    if constexpr (detail::multipass<It>) {
      if (empty()) reserve(static_cast<size_type>(std::distance(first, last)));
    }
    for (; first != last; ++first) emplace(*first);
  }
  void insert(std::initializer_list<value_type> values) { insert(values.begin(), values.end()); }

  /// Looks the key up before building anything where it can be seen among the arguments.
  template <class... Args>
  std::pair<iterator, bool> emplace(Args&&... args) {
    return emplace_visible(std::forward<Args>(args)...);
  }
  template <class... Args>
  iterator emplace_hint(const_iterator, Args&&... args) {
    return emplace(std::forward<Args>(args)...).first;
  }

  iterator erase(const_iterator position) noexcept { return table_.erase(position); }
  iterator erase(iterator position) noexcept { return table_.erase(position); }
  iterator erase(const_iterator first, const_iterator last) noexcept { return table_.erase(first, last); }
  size_type erase(const Key& key) { return table_.erase_key(key); }
  template <class K>
    requires other_key<K>
  size_type erase(K&& key) {
    return table_.erase_key(key);
  }
  void clear() noexcept { table_.clear(); }
  void swap(flat_map& other) { table_.swap(other.table_); }
  friend void swap(flat_map& a, flat_map& b) { a.swap(b); }
  /// Moves the elements of the other map whose keys this one lacks; the rest stays there.
  template <class H2, class E2>
  void merge(flat_map<Key, Mapped, H2, E2, Allocator>& other) {
    for (auto it = other.begin(); it != other.end();) {
      it = emplace(std::move(*it)).second ? other.erase(it) : ++it;
    }
  }

  Mapped& operator[](const Key& key) { return try_emplace_key(key).first->second; }
  Mapped& operator[](Key&& key) { return try_emplace_key(std::move(key)).first->second; }
  template <class K>
    requires other_key<K>
  Mapped& operator[](K&& key) {
    return try_emplace_key(std::forward<K>(key)).first->second;
  }
  Mapped& at(const Key& key) { return existing(key); }
  const Mapped& at(const Key& key) const { return existing(key); }
  template <class K>
    requires other_key<K>
  Mapped& at(const K& key) {
    return existing(key);
  }
  template <class K>
    requires other_key<K>
  const Mapped& at(const K& key) const {
    return existing(key);
  }

  iterator find(const Key& key) { return table_.find(key); }
  const_iterator find(const Key& key) const { return table_.find(key); }
  bool contains(const Key& key) const { return table_.contains(key); }
  size_type count(const Key& key) const { return table_.contains(key) ? 1 : 0; }
  std::pair<iterator, iterator> equal_range(const Key& key) { return range_of(find(key)); }
  std::pair<const_iterator, const_iterator> equal_range(const Key& key) const { return range_of(find(key)); }
  template <class K>
    requires other_key<K>
  iterator find(const K& key) {
    return table_.find(key);
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

  friend bool operator==(const flat_map& a, const flat_map& b) {
    return a.table_.equals(b.table_,
                           [](const value_type& x, const value_type& y) { return x.second == y.second; });
  }

 private:
  friend struct relocator<flat_map>;

  template <class K, class... Args>
  std::pair<iterator, bool> try_emplace_key(K&& key, Args&&... args) {
    return table_.find_or_construct(key, std::piecewise_construct,
                                    std::forward_as_tuple(std::forward<K>(key)),
                                    std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <class K, class M>
  std::pair<iterator, bool> insert_or_assign_key(K&& key, M&& value) {
    const auto result = try_emplace_key(std::forward<K>(key), std::forward<M>(value));
    if (!result.second) result.first->second = std::forward<M>(value);
    return result;
  }
  template <class First, class Second>
  std::pair<iterator, bool> emplace_visible(First&& first, Second&& second) {
    if constexpr (std::is_same_v<std::remove_cvref_t<First>, Key>) {
      return table_.find_or_construct(first, std::forward<First>(first), std::forward<Second>(second));
    } else {
      return table_.emplace(std::forward<First>(first), std::forward<Second>(second));
    }
  }
  template <class Pair>
  std::pair<iterator, bool> emplace_visible(Pair&& value) {
    if constexpr (requires { requires std::same_as<std::remove_cvref_t<decltype((value.first))>, Key>; }) {
      return table_.find_or_construct(value.first, std::forward<Pair>(value));
    } else {
      return table_.emplace(std::forward<Pair>(value));
    }
  }
  template <class... Args>
  std::pair<iterator, bool> emplace_visible(Args&&... args) {
    return table_.emplace(std::forward<Args>(args)...);
  }
  template <class K>
  Mapped& existing(const K& key) const {
    const iterator found = table_.find(key);
    if (found == table_.end()) detail::throw_out_of_range("perdure::flat_map::at: no such key");
    return found->second;
  }
  template <class It>
  static std::pair<It, It> range_of(It found) {
    It next = found;
    if (found != It()) ++next;
    return {found, next};
  }

  table table_;
};

template <class Key, class Mapped, class Hash, class KeyEqual, class Allocator, class Predicate>
std::size_t erase_if(flat_map<Key, Mapped, Hash, KeyEqual, Allocator>& map, Predicate predicate) {
  const std::size_t before = map.size();
  for (auto it = map.begin(); it != map.end();) {
    it = predicate(*it) ? map.erase(it) : ++it;
  }
  return before - map.size();
}

template <class Key, class Mapped, class Hash, class KeyEqual, class Allocator>
  requires(detail::relocates_nothrow_v<Hash> && detail::relocates_nothrow_v<KeyEqual>)
struct relocator<flat_map<Key, Mapped, Hash, KeyEqual, Allocator>> {
  using map = flat_map<Key, Mapped, Hash, KeyEqual, Allocator>;
  static void relocate(map* to, map* from) noexcept {
    detail::relocate_at(std::addressof(to->table_), std::addressof(from->table_));
  }
};

}  // namespace perdure
