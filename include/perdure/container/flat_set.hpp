// An unordered set in one block of memory, found by a distance from the set itself: it can live in a store.
#pragma once

#include <initializer_list>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/flat_container.hpp>
#include <perdure/hash.hpp>
#include <perdure/perdure_fwd.hpp>
#include <type_traits>
#include <utility>

namespace perdure {

/// The interface of `std::unordered_set` without buckets and nodes; what `flat_map` says of differences,
/// guarantees and hashes holds here too. Elements cannot be changed through iterators.
///
/// All other members are those that `flat_map` lists.
template <class Key, class Hash, class KeyEqual, class Allocator>
class flat_set : public detail::flat_container<detail::set_policy<Key>, Hash, KeyEqual, Allocator> {
  using base = detail::flat_container<detail::set_policy<Key>, Hash, KeyEqual, Allocator>;

 public:
  using typename base::iterator;

  using base::base;
  /// Replaces all elements.
  flat_set& operator=(std::initializer_list<Key> values) {
    this->clear();
    insert(values);
    return *this;
  }

  using base::insert;
  /// Inserts a `Key` made of another type, which is made only when it is not there yet. Returns its place,
  /// and whether it was inserted.
  template <class K>
    requires detail::other_key<K, base>
  std::pair<iterator, bool> insert(K&& key) {
    return this->table_.find_or_construct(key, std::forward<K>(key));
  }
  /// Exchanges two sets: in constant time between equal allocators, by copies otherwise.
  friend void swap(flat_set& a, flat_set& b) { a.swap(b); }
  /// Moves those elements of the other set here that this one lacks; the rest stays there.
  ///@{
  template <class H2, class E2>
  void merge(flat_set<Key, H2, E2, Allocator>& other) {
    for (auto it = other.begin(); it != other.end();) {
      // An element that was moved from is erased next, which looks at nothing of it.
      it = this->emplace(std::move(const_cast<Key&>(*it))).second ? other.erase(it) : ++it;
    }
  }
  template <class H2, class E2>
  void merge(flat_set<Key, H2, E2, Allocator>&& other) {
    merge(other);
  }
  ///@}
};

/// Deduces the type of keys from a set or a list.
///@{
template <class Key, class Hash, class KeyEqual, class Allocator>
flat_set(const flat_set<Key, Hash, KeyEqual, Allocator>&, const std::type_identity_t<Allocator>&)
    -> flat_set<Key, Hash, KeyEqual, Allocator>;
template <class Key>
flat_set(std::initializer_list<Key>) -> flat_set<Key>;
template <class Key, class Allocator>
flat_set(std::initializer_list<Key>, const Allocator&) -> flat_set<Key, hash<Key>, equal_to, Allocator>;
///@}

template <class Key, class Hash, class KeyEqual, class Allocator>
  requires(detail::relocates_nothrow_v<Hash> && detail::relocates_nothrow_v<KeyEqual>)
struct relocator<flat_set<Key, Hash, KeyEqual, Allocator>>
    : relocator<detail::flat_container<detail::set_policy<Key>, Hash, KeyEqual, Allocator>> {};

}  // namespace perdure
