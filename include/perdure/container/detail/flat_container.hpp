// The common interface of flat_map and flat_set: all but what a map's mapped values add.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/copy_moved.hpp>
#include <perdure/container/detail/flat_node.hpp>
#include <perdure/container/detail/flat_table.hpp>
#include <perdure/stored_form.hpp>
#include <type_traits>
#include <utility>

namespace perdure {

namespace detail {

/// Other types than a container's own that its hash and equality take for keys.
template <class K, class Container>
inline constexpr bool other_key =
    transparent<typename Container::hasher> && transparent<typename Container::key_equal> &&
    !std::is_same_v<std::remove_cvref_t<K>, typename Container::key_type> &&
    !std::disjunction_v<std::is_convertible<K, typename Container::const_iterator>,
                        std::is_convertible<K, typename Container::iterator>> &&
    requires(const typename Container::hasher& hash, const std::remove_cvref_t<K>& key) { hash(key); };

/// The base of `flat_map` and `flat_set`: each function is as the standard's unordered containers have it,
/// but for what `flat_map` says of differences and guarantees. `Policy` is the table's.
template <class Policy, class Hash, class KeyEqual, class Allocator>
class flat_container {
  using table = flat_table<Policy, Hash, KeyEqual, Allocator>;

 public:
  using key_type = typename Policy::key_type;
  using value_type = typename Policy::value_type;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using hasher = Hash;
  using key_equal = KeyEqual;
  using allocator_type = Allocator;
  using iterator = flat_iterator<typename Policy::shown_type>;
  using const_iterator = flat_iterator<const value_type>;
  using reference = typename iterator::reference;
  using const_reference = const value_type&;
  using pointer = typename iterator::pointer;
  using const_pointer = const value_type*;
  using node_type = flat_node<Policy>;
  using insert_return_type = flat_insert_return<iterator, node_type>;

  /// Without an allocator: one made from nothing, or the memory in which it lies itself (see `allocator`).
  flat_container()
    requires made_without_a_store<Allocator>
      : flat_container(allocator_without_a_store<Allocator>()) {}
  explicit flat_container(const Allocator& alloc) : table_(Hash(), KeyEqual(), alloc) {}
  explicit flat_container(size_type n, const Hash& hash, const KeyEqual& equal, const Allocator& alloc)
      : table_(hash, equal, alloc) {
    reserve(n);
  }
  flat_container(size_type n, const Hash& hash, const Allocator& alloc)
      : flat_container(n, hash, KeyEqual(), alloc) {}
  flat_container(size_type n, const Allocator& alloc) : flat_container(n, Hash(), KeyEqual(), alloc) {}
  explicit flat_container(size_type n, const Hash& hash = Hash(), const KeyEqual& equal = KeyEqual())
    requires made_without_a_store<Allocator>
      : flat_container(n, hash, equal, allocator_without_a_store<Allocator>()) {}
  template <std::input_iterator It>
  flat_container(It first, It last, size_type n, const Hash& hash, const KeyEqual& equal,
                 const Allocator& alloc)
      : flat_container(n, hash, equal, alloc) {
    insert(first, last);
  }
  template <std::input_iterator It>
  flat_container(It first, It last, const Allocator& alloc)
      : flat_container(first, last, 0, Hash(), KeyEqual(), alloc) {}
  template <std::input_iterator It>
    requires made_without_a_store<Allocator>
  flat_container(It first, It last, size_type n = 0, const Hash& hash = Hash(),
                 const KeyEqual& equal = KeyEqual())
      : flat_container(first, last, n, hash, equal, allocator_without_a_store<Allocator>()) {}
  flat_container(std::initializer_list<value_type> values, const Allocator& alloc)
      : flat_container(values.begin(), values.end(), alloc) {}
  flat_container(std::initializer_list<value_type> values)
    requires made_without_a_store<Allocator>
      : flat_container(values, allocator_without_a_store<Allocator>()) {}
  flat_container(const flat_container& other)
      : table_(other.table_, std::allocator_traits<Allocator>::select_on_container_copy_construction(
                                 other.table_.allocator())) {}
  flat_container(const flat_container& other, const std::type_identity_t<Allocator>& alloc)
      : table_(other.table_, alloc) {}
  /// Constant time, and the allocator goes along; into a store from elsewhere the elements are copied.
  flat_container(flat_container&& other) noexcept
      : table_(other.hash_function(), other.key_eq(),
               allocator_after_move(other.table_.allocator(), std::addressof(other), this)) {
    if (!self_locating<Allocator> || table_.allocator() == other.table_.allocator()) {
      table_.take(other.table_);
    } else {
      copy_moved(*this, other, [this](flat_container& copy) { table_.take(copy.table_); });
    }
  }
  flat_container(flat_container&& other, const std::type_identity_t<Allocator>& alloc)
      : table_(std::move(other.table_), alloc) {}
  ~flat_container() = default;

  flat_container& operator=(const flat_container& other) {
    table_.copy_assign(other.table_);
    return *this;
  }
  flat_container& operator=(flat_container&& other) noexcept(
      noexcept(std::declval<table&>().move_assign(other.table_))) {
    table_.move_assign(other.table_);
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

  std::pair<iterator, bool> insert(const value_type& value) {
    return table_.find_or_construct(Policy::key(value), value);
  }
  std::pair<iterator, bool> insert(value_type&& value) {
    return table_.find_or_construct(Policy::key(value), std::move(value));
  }
  iterator insert(const_iterator, const value_type& value) { return insert(value).first; }
  iterator insert(const_iterator, value_type&& value) { return insert(std::move(value)).first; }
  template <std::input_iterator It>
  void insert(It first, It last) {
    if constexpr (multipass<It>) {
      if (empty()) reserve(static_cast<size_type>(std::distance(first, last)));
    }
    for (; first != last; ++first) emplace(*first);
  }
  void insert(std::initializer_list<value_type> values) { insert(values.begin(), values.end()); }
  /// Looks the key up before building anything where it can be seen among the arguments.
  template <class... Args>
  std::pair<iterator, bool> emplace(Args&&... args) {
    if constexpr (requires { Policy::key_among(args...); }) {
      return table_.find_or_construct(Policy::key_among(args...), std::forward<Args>(args)...);
    } else {
      return table_.emplace(std::forward<Args>(args)...);
    }
  }
  template <class... Args>
  iterator emplace_hint(const_iterator, Args&&... args) {
    return emplace(std::forward<Args>(args)...).first;
  }

  /// Inserts an element that was taken out of a container; where its key is there already it stays in the
  /// node.
  insert_return_type insert(node_type&& node) {
    if (node.empty()) return {end(), false, {}};
    if (const iterator found = find(node.key_to_find()); found != end())
      return {found, false, std::move(node)};
    const iterator place = node.build_with(
        [this](auto&&... parts) { return table_.emplace(std::forward<decltype(parts)>(parts)...).first; });
    node.reset();
    return {place, true, {}};
  }
  iterator insert(const_iterator, node_type&& node) {
    insert_return_type result = insert(std::move(node));
    if (!result.inserted) node = std::move(result.node);
    return result.position;
  }
  /// Takes an element out, which moves; nothing where there is none of that key.
  node_type extract(const_iterator position) {
    node_type taken(std::move(*position.element()));
    table_.erase_at(position);
    return taken;
  }
  node_type extract(const key_type& key) { return extract_found(table_.find(key)); }
  template <class K>
    requires other_key<K, flat_container>
  node_type extract(K&& key) {
    return extract_found(table_.find(key));
  }

  iterator erase(const_iterator position) noexcept { return table_.erase(position); }
  iterator erase(const_iterator first, const_iterator last) noexcept { return table_.erase(first, last); }
  size_type erase(const key_type& key) { return table_.erase_key(key); }
  template <class K>
    requires other_key<K, flat_container>
  size_type erase(K&& key) {
    return table_.erase_key(key);
  }
  void clear() noexcept { table_.clear(); }
  void swap(flat_container& other) { table_.swap(other.table_); }

  iterator find(const key_type& key) { return table_.find(key); }
  const_iterator find(const key_type& key) const { return table_.find(key); }
  bool contains(const key_type& key) const { return table_.contains(key); }
  size_type count(const key_type& key) const { return table_.contains(key) ? 1 : 0; }
  std::pair<iterator, iterator> equal_range(const key_type& key) { return range_of(find(key)); }
  std::pair<const_iterator, const_iterator> equal_range(const key_type& key) const {
    return range_of(find(key));
  }
  template <class K>
    requires other_key<K, flat_container>
  iterator find(const K& key) {
    return table_.find(key);
  }
  template <class K>
    requires other_key<K, flat_container>
  const_iterator find(const K& key) const {
    return table_.find(key);
  }
  template <class K>
    requires other_key<K, flat_container>
  bool contains(const K& key) const {
    return table_.contains(key);
  }
  template <class K>
    requires other_key<K, flat_container>
  size_type count(const K& key) const {
    return table_.contains(key) ? 1 : 0;
  }
  template <class K>
    requires other_key<K, flat_container>
  std::pair<iterator, iterator> equal_range(const K& key) {
    return range_of(find(key));
  }
  template <class K>
    requires other_key<K, flat_container>
  std::pair<const_iterator, const_iterator> equal_range(const K& key) const {
    return range_of(find(key));
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

  friend bool operator==(const flat_container& a, const flat_container& b) {
    return a.table_.equals(b.table_, Policy::same_besides_key);
  }

  /// Says where a store finds the elements; see stored_form.hpp.
  static auto stored_form() {
    return table::stored_form().template inside<flat_container>(offset_of(&flat_container::table_));
  }

 private:
  friend struct relocator<flat_container>;
  node_type extract_found(const_iterator found) {
    return found == const_iterator() ? node_type() : extract(found);
  }
  template <class It>
  static std::pair<It, It> range_of(It found) {
    It next = found;
    if (found != It()) ++next;
    return {found, next};
  }

 protected:
  table table_;
};

}  // namespace detail

template <class Policy, class Hash, class KeyEqual, class Allocator, class Predicate>
std::size_t erase_if(detail::flat_container<Policy, Hash, KeyEqual, Allocator>& container,
                     Predicate predicate) {
  const std::size_t before = container.size();
  for (auto it = container.begin(); it != container.end();) {
    it = predicate(*it) ? container.erase(it) : ++it;
  }
  return before - container.size();
}

/// Serves what is derived too: a map or a set is no more than this.
template <class Policy, class Hash, class KeyEqual, class Allocator>
  requires(detail::relocates_nothrow_v<Hash> && detail::relocates_nothrow_v<KeyEqual>)
struct relocator<detail::flat_container<Policy, Hash, KeyEqual, Allocator>> {
  using container = detail::flat_container<Policy, Hash, KeyEqual, Allocator>;
  static void relocate(container* to, container* from) noexcept {
    detail::relocate_at(std::addressof(to->table_), std::addressof(from->table_));
  }
};

}  // namespace perdure
