// An unordered map in one block of memory, found by a distance from the map itself: it can live in a store.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/flat_container.hpp>
#include <perdure/hash.hpp>
#include <perdure/perdure_fwd.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace perdure {

/// The interface of `std::unordered_map` without buckets and nodes: elements lie side by side in an
/// open-addressed table, and move when it grows.
///
/// Differences from `std::unordered_map`: insertion may invalidate references, pointers and iterators
/// (erasing invalidates only those of the erased element); `extract` moves the element; no bucket interface;
/// the maximum load factor is fixed (7/8, and 1 below 16 elements). With the default hash and equality,
/// look-up, insertion and erasure also take keys of other types, as a string view for a string.
/// Exception guarantees as the standard's; insertion of one element is strong also when the table grows.
/// The hash decides where elements are in the store: it must give the same values in every run, which
/// `std::hash` does not promise. Iterators hold raw pointers: do not store them.
///
/// Construction, iteration, erasing, look-up and capacity, which a set has too, are those of
/// `std::unordered_map`:
///
/// - constructors from nothing, a size, a range or a list, each with or without an allocator,
///   and `operator=`;
/// - `begin`, `end`, `empty`, `size`, `max_size`, `get_allocator`, `hash_function`, `key_eq`;
/// - `insert`, `emplace`, `emplace_hint`, `extract`, `erase`, `erase_if`, `clear`, `swap`, `==`;
/// - `find`, `contains`, `count`, `equal_range`, in constant time on average;
/// - `reserve(n)`, after which insertion up to `n` elements moves none, and `rehash(n)`, which gives
///   memory back for 0;
/// - `bucket_count` (slots of the table), `load_factor`, `max_load_factor`.
///
/// Members throw `std::bad_alloc` where memory or the store's capacity is exhausted, and what keys, values,
/// hash and equality throw. Thread safety is that of `std::unordered_map`.
template <class Key, class Mapped, class Hash, class KeyEqual, class Allocator>
class flat_map : public detail::flat_container<detail::map_policy<Key, Mapped>, Hash, KeyEqual, Allocator> {
  using base = detail::flat_container<detail::map_policy<Key, Mapped>, Hash, KeyEqual, Allocator>;

 public:
  /// The type of values.
  using mapped_type = Mapped;
  using typename base::const_iterator;
  using typename base::iterator;
  using typename base::value_type;

  using base::base;
  /// Replaces all elements.
  flat_map& operator=(std::initializer_list<value_type> values) {
    this->clear();
    insert(values);
    return *this;
  }

  /// Inserts a key with a value made of `args`, unless the key is there: then nothing is made or moved from.
  /// Returns the place of the key, and whether it was inserted. A hint is not used.
  ///@{
  template <class... Args>
  std::pair<iterator, bool> try_emplace(const Key& key, Args&&... args) {
    return try_emplace_key(key, std::forward<Args>(args)...);
  }
  template <class... Args>
  std::pair<iterator, bool> try_emplace(Key&& key, Args&&... args) {
    return try_emplace_key(std::move(key), std::forward<Args>(args)...);
  }
  template <class K, class... Args>
    requires detail::other_key<K, base>
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
  ///@}

  /// Inserts a key with a value, or assigns the value where the key is there. Returns the place of the key,
  /// and whether it was inserted. A hint is not used.
  ///@{
  template <class M>
  std::pair<iterator, bool> insert_or_assign(const Key& key, M&& value) {
    return insert_or_assign_key(key, std::forward<M>(value));
  }
  template <class M>
  std::pair<iterator, bool> insert_or_assign(Key&& key, M&& value) {
    return insert_or_assign_key(std::move(key), std::forward<M>(value));
  }
  template <class K, class M>
    requires detail::other_key<K, base>
  std::pair<iterator, bool> insert_or_assign(K&& key, M&& value) {
    return insert_or_assign_key(std::forward<K>(key), std::forward<M>(value));
  }
  ///@}

  /// Inserts as without a hint, which is not used, and returns the place of the key.
  template <class K, class... Args>
    requires detail::other_key<K, base>
  iterator try_emplace(const_iterator, K&& key, Args&&... args) {
    return try_emplace_key(std::forward<K>(key), std::forward<Args>(args)...).first;
  }
  /// Inserts or assigns as without a hint, which is not used, and returns the place of the key.
  ///@{
  template <class M>
  iterator insert_or_assign(const_iterator, const Key& key, M&& value) {
    return insert_or_assign_key(key, std::forward<M>(value)).first;
  }
  template <class M>
  iterator insert_or_assign(const_iterator, Key&& key, M&& value) {
    return insert_or_assign_key(std::move(key), std::forward<M>(value)).first;
  }
  template <class K, class M>
    requires detail::other_key<K, base>
  iterator insert_or_assign(const_iterator, K&& key, M&& value) {
    return insert_or_assign_key(std::forward<K>(key), std::forward<M>(value)).first;
  }
  ///@}

  using base::insert;
  /// Inserts an element made of `value`, unless its key is there. Returns the place of the key, and whether
  /// it was inserted.
  template <class P>
    requires std::is_constructible_v<value_type, P&&>
  std::pair<iterator, bool> insert(P&& value) {
    return this->emplace(std::forward<P>(value));
  }

  using base::erase;
  /// Removes an element, and returns an iterator to the next one. Constant time on average.
  iterator erase(iterator position) noexcept { return this->table_.erase(position); }
  /// Exchanges two maps: in constant time between equal allocators, by copies otherwise.
  friend void swap(flat_map& a, flat_map& b) { a.swap(b); }
  /// Moves those elements of the other map here whose keys this one lacks; the rest stays there.
  ///@{
  template <class H2, class E2>
  void merge(flat_map<Key, Mapped, H2, E2, Allocator>& other) {
    for (auto it = other.begin(); it != other.end();) {
      it = this->emplace(std::move(*it)).second ? other.erase(it) : ++it;
    }
  }
  template <class H2, class E2>
  void merge(flat_map<Key, Mapped, H2, E2, Allocator>&& other) {
    merge(other);
  }
  ///@}

  /// Returns the value of a key, which is inserted with a value-initialised value where it is not there.
  ///@{
  Mapped& operator[](const Key& key) { return try_emplace_key(key).first->second; }
  Mapped& operator[](Key&& key) { return try_emplace_key(std::move(key)).first->second; }
  template <class K>
    requires detail::other_key<K, base>
  Mapped& operator[](K&& key) {
    return try_emplace_key(std::forward<K>(key)).first->second;
  }
  ///@}
  /// Returns the value of a key that is there. Throws `std::out_of_range` otherwise.
  ///@{
  Mapped& at(const Key& key) { return existing(key); }
  const Mapped& at(const Key& key) const { return existing(key); }
  template <class K>
    requires detail::other_key<K, base>
  Mapped& at(const K& key) {
    return existing(key);
  }
  template <class K>
    requires detail::other_key<K, base>
  const Mapped& at(const K& key) const {
    return existing(key);
  }
  ///@}

 private:
  template <class K, class... Args>
  std::pair<iterator, bool> try_emplace_key(K&& key, Args&&... args) {
    return this->table_.find_or_construct(key, std::piecewise_construct,
                                          std::forward_as_tuple(std::forward<K>(key)),
                                          std::forward_as_tuple(std::forward<Args>(args)...));
  }
  template <class K, class M>
  std::pair<iterator, bool> insert_or_assign_key(K&& key, M&& value) {
    const auto result = try_emplace_key(std::forward<K>(key), std::forward<M>(value));
    if (!result.second) result.first->second = std::forward<M>(value);
    return result;
  }
  template <class K>
  Mapped& existing(const K& key) const {
    const iterator found = this->table_.find(key);
    if (found == this->table_.end()) detail::throw_out_of_range("perdure::flat_map::at: no such key");
    return found->second;
  }
};

/// Deduces the types of key and value from a map or a list.
///@{
template <class Key, class Mapped, class Hash, class KeyEqual, class Allocator>
flat_map(const flat_map<Key, Mapped, Hash, KeyEqual, Allocator>&, const std::type_identity_t<Allocator>&)
    -> flat_map<Key, Mapped, Hash, KeyEqual, Allocator>;
template <class Key, class Mapped>
flat_map(std::initializer_list<std::pair<const Key, Mapped>>) -> flat_map<Key, Mapped>;
template <class Key, class Mapped, class Allocator>
flat_map(std::initializer_list<std::pair<const Key, Mapped>>, const Allocator&)
    -> flat_map<Key, Mapped, hash<Key>, equal_to, Allocator>;
///@}

template <class Key, class Mapped, class Hash, class KeyEqual, class Allocator>
  requires(detail::relocates_nothrow_v<Hash> && detail::relocates_nothrow_v<KeyEqual>)
struct relocator<flat_map<Key, Mapped, Hash, KeyEqual, Allocator>>
    : relocator<detail::flat_container<detail::map_policy<Key, Mapped>, Hash, KeyEqual, Allocator>> {};

}  // namespace perdure
