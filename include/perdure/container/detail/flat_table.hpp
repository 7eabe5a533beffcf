// The hash table under flat_map and flat_set: open addressing, sixteen control bytes probed at once.
//
// One block of memory holds the slots and behind them the control bytes:
//
//     [padding] slot n-1 … slot 1  slot 0 | control 0  control 1 … control n-1  "absent"
//                                         ^ control bytes, 16-aligned; the table stores the distance to it
//
// n is 2^k - 1. Below 16 slots there is one group, padded with "absent"; above, n + 1 is a multiple of 16 and
// only the last byte is "absent". A hash's low bits (all but four) choose the first group, its top 7 are the
// tag. A search ends at a group with an empty slot: groups are probed as wholes, so an element went past a
// group only when that had no empty slot left, and erasing makes a slot empty again only where another one
// is.
//
// Who can choose the keys can choose many with one hash, since the hash is in this file's neighbour to read.
// So a table with a run of full groups that chance does not make begins to hash with a seed of its own. It
// stays in the mask's upper bits; until then, and in tables of before, it is 0 and hashes are the plain ones.
//
// A table has no room to remember where its first element is. While the first group has no element, its slots
// are raw memory, and the last sixteen bytes of it, before the control bytes, say from which group on the
// others may have one: so emptying a table from the front does not look at the groups it has emptied again
// and again. They are written whenever the first group loses its last element, and a check tells them from
// what else may be there.
//
// Without memory the distance is 0 and the control bytes read are `size_` and `growth_left_`, sixteen zero
// bytes: a group of empty slots. So no search has to ask whether there is memory.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <perdure/container/detail/control_group.hpp>
#include <perdure/container/detail/storage.hpp>
#include <perdure/detail/copyable.hpp>
#include <perdure/hash.hpp>
#include <perdure/relocation.hpp>
#include <perdure/stored_form.hpp>
#include <type_traits>
#include <utility>

namespace perdure::detail {

template <class Value>
class flat_iterator {
  using slot = std::remove_const_t<Value>;

 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = slot;
  using difference_type = std::ptrdiff_t;
  using reference = Value&;
  using pointer = Value*;

  flat_iterator() noexcept = default;
  flat_iterator(const std::uint8_t* control, slot* element) noexcept : control_(control), slot_(element) {}
  template <class Other>
    requires(std::is_const_v<Value> && std::is_same_v<Other, slot>)
  flat_iterator(const flat_iterator<Other>& other) noexcept
      : control_(other.control()), slot_(other.element()) {}

  reference operator*() const noexcept { return *slot_; }
  pointer operator->() const noexcept { return slot_; }
  flat_iterator& operator++() noexcept {
    const auto position = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(control_) % group_size);
    const std::uint8_t* group = control_ - position;
    if (position != group_size - 1) {
      if (const auto rest = control_group(group).full().from(position + 1))
        return step_to(group, rest.first());
    }
    skip_empty_groups(group);
    return *this;
  }
  flat_iterator operator++(int) noexcept {
    flat_iterator old(*this);
    ++*this;
    return old;
  }
  friend bool operator==(const flat_iterator& a, const flat_iterator& b) noexcept {
    return a.slot_ == b.slot_;
  }

  const std::uint8_t* control() const noexcept { return control_; }
  slot* element() const noexcept { return slot_; }

 private:
  flat_iterator& step_to(const std::uint8_t* group, unsigned index) noexcept {
    slot_ -= (group + index) - control_;
    control_ = group + index;
    return *this;
  }
  void skip_empty_groups(const std::uint8_t* group) noexcept {
    for (;;) {
      if (group[group_size - 1] == control_absent) {  // that was the last group
        control_ = nullptr;
        slot_ = nullptr;
        return;
      }
      group += group_size;
      if (const auto full = control_group(group).full()) {
        step_to(group, full.first());
        return;
      }
    }
  }

  const std::uint8_t* control_ = nullptr;
  slot* slot_ = nullptr;  // null at the end
};

/// How the table and the container over it see their elements: a set's element is its key. `shown_type` is
/// what iterators that are not constant refer to. `key_among` is the key that an element built of these
/// arguments would have, where it is one of them.
template <class Key>
struct set_policy {
  using key_type = Key;
  using value_type = Key;
  using shown_type = const Key;
  static const Key& key(const value_type& value) noexcept { return value; }
  template <std::same_as<Key> Argument>
  static const Key& key_among(const Argument& key) noexcept {
    return key;
  }
  static bool same_besides_key(const value_type&, const value_type&) noexcept { return true; }
};
template <class Key, class Mapped>
struct map_policy {
  using key_type = Key;
  using value_type = std::pair<const Key, Mapped>;
  using shown_type = value_type;
  static const Key& key(const value_type& value) noexcept { return value.first; }
  template <std::same_as<Key> First, class Second>
  static const Key& key_among(const First& key, const Second&) noexcept {
    return key;
  }
  template <class Pair>
    requires requires(const Pair& value) {
      requires std::same_as<std::remove_cvref_t<decltype((value.first))>, Key>;
    }
  static const Key& key_among(const Pair& value) noexcept {
    return value.first;
  }
  static bool same_besides_key(const value_type& a, const value_type& b) { return a.second == b.second; }
};

template <class Hash>
concept avalanching = requires { typename Hash::is_avalanching; };
/// Hashes that a seed makes others, also of keys that have the same. They say so by `seeded_hash`, their own
/// name: what is derived from one may have another `operator()`.
template <class Hash, class Key>
concept seedable = requires(const Hash& hash, const Key& key, std::uint16_t seed) {
  requires std::same_as<typename Hash::seeded_hash, Hash>;
  { hash.seeded(key, seed) } -> std::same_as<std::size_t>;
  requires noexcept(hash.seeded(key, seed)) || !noexcept(hash(key));
};
template <class Function>
concept transparent = requires { typename Function::is_transparent; };

template <class Policy, class Hash, class KeyEqual, class Allocator>
class flat_table {
 public:
  using key_type = typename Policy::key_type;
  using value_type = typename Policy::value_type;
  using size_type = std::size_t;
  using traits = std::allocator_traits<Allocator>;
  using iterator = flat_iterator<value_type>;
  using const_iterator = flat_iterator<const value_type>;
  static_assert(std::is_same_v<typename traits::value_type, value_type>,
                "the allocator allocates another type");

  flat_table(const Hash& hash, const KeyEqual& equal, const Allocator& alloc)
      : alloc_(alloc), hash_(hash), equal_(equal) {}
  flat_table(const flat_table& other, const Allocator& alloc) : flat_table(other.hash_, other.equal_, alloc) {
    copy_elements(other);
  }
  flat_table(flat_table&& other, const Allocator& alloc) : flat_table(other.hash_, other.equal_, alloc) {
    if (alloc_ == other.alloc_) {
      take_storage(other);
    } else {
      move_elements(other);
    }
  }
  flat_table(const flat_table&) = delete;
  ~flat_table() { free_storage(); }

  void copy_assign(const flat_table& other) {
    if (this == std::addressof(other)) return;
    constexpr bool propagate = traits::propagate_on_container_copy_assignment::value;
    flat_table copy(other, propagate ? other.alloc_ : alloc_);
    free_storage();
    forget_storage();
    if constexpr (propagate) alloc_ = other.alloc_;
    hash_ = other.hash_;
    equal_ = other.equal_;
    take_storage(copy);
  }
  void move_assign(flat_table& other) noexcept(traits::propagate_on_container_move_assignment::value ||
                                               traits::is_always_equal::value) {
    if (this == std::addressof(other)) return;
    constexpr bool propagate = traits::propagate_on_container_move_assignment::value;
    if (propagate || alloc_ == other.alloc_) {
      free_storage();
      forget_storage();
      if constexpr (propagate) alloc_ = std::move(other.alloc_);
      take_storage(other);
    } else {
      assign_elementwise(*this, other, store_of(other.alloc_), [&] {
        clear();
        hash_ = other.hash_;
        equal_ = other.equal_;
        move_elements(other);
      });
      return;
    }
    hash_ = other.hash_;
    equal_ = other.equal_;
  }
  /// Takes the content of the other into an empty table with an equal allocator.
  void take(flat_table& other) noexcept { take_storage(other); }
  void swap(flat_table& other) {
    if (this == std::addressof(other)) return;
    using std::swap;
    if constexpr (traits::propagate_on_container_swap::value) {
      swap(alloc_, other.alloc_);
    } else if (!(alloc_ == other.alloc_)) {
      // Both copies are made before either table changes; only elements that cannot be copied are moved.
      flat_table theirs(copied_if_possible(other), alloc_);
      flat_table mine(copied_if_possible(*this), other.alloc_);
      this->swap(theirs);
      other.swap(mine);
      return;
    }
    swap(hash_, other.hash_);
    swap(equal_, other.equal_);
    flat_storage mine = release_storage();
    take_storage(other);
    other.adopt(mine);
  }

  const Allocator& allocator() const noexcept { return alloc_; }
  const Hash& hash_function() const noexcept { return hash_; }
  const KeyEqual& key_eq() const noexcept { return equal_; }

  size_type size() const noexcept { return size_; }
  size_type max_size() const noexcept {
    constexpr size_type limit = size_type{1} << (seed_shift - 1);
    const size_type allowed = traits::max_size(alloc_) / 2;
    return allowed < limit ? allowed : limit;
  }
  /// Slots of the table; `max_load(slots())` elements fit without growing.
  size_type slots() const noexcept { return distance_ == 0 ? 0 : slots_of(controls(), mask()); }
  static constexpr size_type max_load(size_type slots) noexcept {
    return slots < group_size ? slots : slots - slots / 8;
  }

  iterator begin() const noexcept {
    if (size_ == 0) return end();
    for (size_type group = first_group();; group += group_size) {
      if (const auto full = control_group(controls() + group).full()) return at(group + full.first());
    }
  }
  iterator end() const noexcept { return iterator(); }

  /// Element with an equal key or `end()`.
  template <class K>
  iterator find(const K& key) const {
    return find_hashed(key, hash_of(key));
  }
  template <class K>
  bool contains(const K& key) const {
    return find(key) != end();
  }

  /// Finds the element of the key or builds one by `construct(args...)` in a new slot. Strong guarantee.
  template <class K, class... Args>
  std::pair<iterator, bool> find_or_construct(const K& key, Args&&... args) {
    const std::uint64_t hash = hash_of(key);
    if (const iterator found = find_hashed(key, hash); found != end()) return {found, false};
    return {construct_new(key, hash, std::forward<Args>(args)...), true};
  }
  /// Like the function above, for an element whose key is only known once it is built.
  template <class... Args>
  std::pair<iterator, bool> emplace(Args&&... args) {
    static_assert(sizeof...(Args) != 0 || std::is_default_constructible_v<value_type>);
    temporary<Allocator> value(alloc_, std::forward<Args>(args)...);
    const key_type& key = Policy::key(*value.get());
    const std::uint64_t hash = hash_of(key);
    if (const iterator found = find_hashed(key, hash); found != end()) return {found, false};
    if constexpr (relocates_nothrow) {
      const iterator place = insert_with(key, hash, [&](value_type* slot) {
        relocate_at(slot, value.get());
        value.release();
      });
      return {place, true};
    } else {
      return {construct_new(key, hash, std::move(*value.get())), true};
    }
  }

  iterator erase(const_iterator position) noexcept {
    iterator next(position.control(), position.element());
    ++next;
    erase_at(position);
    skip_emptied(position.control(), next.control());
    return next;
  }
  void erase_at(const_iterator position) noexcept {
    traits::destroy(alloc_, position.element());
    std::uint8_t* const control = const_cast<std::uint8_t*>(position.control());
    const std::uint8_t* const group = control - reinterpret_cast<std::uintptr_t>(control) % group_size;
    --size_;
    if (mask() == 0 || control_group(group).empty()) {
      *control = control_empty;
      ++growth_left_;
    } else {
      *control = control_erased;
    }
    if (group == controls() && mask() != 0 && !control_group(group).full()) write_first_group(0);
  }
  template <class K>
  size_type erase_key(const K& key) {
    const iterator found = find(key);
    if (found == end()) return 0;
    erase_at(found);
    return 1;
  }
  iterator erase(const_iterator first, const_iterator last) noexcept {
    while (first != last) first = erase(first);
    return iterator(last.control(), last.element());
  }
  /// Keeps the memory, as the standard's unordered containers keep their buckets.
  void clear() noexcept {
    if (distance_ == 0) return;
    destroy_elements();
    const size_type n = slots();
    reset_controls(controls(), n, mask());
    if (mask() != 0) write_first_group(0);
    size_ = 0;
    growth_left_ = max_load(n);
  }

  void reserve(size_type n) {
    if (n > size_ && n - size_ > growth_left_) resize_to(slots_for(n));
  }
  /// Makes the number of slots the smallest that holds both `n` slots and the elements.
  void rehash(size_type n) {
    if (n > max_size()) throw_too_long("perdure: a flat table cannot have that many slots");
    const size_type for_elements = size_ == 0 ? 0 : slots_for(size_);
    const size_type asked = n == 0 ? 0 : std::bit_ceil(n + 1) - 1;
    const size_type wanted = asked > for_elements ? asked : for_elements;
    if (wanted == slots()) return;
    if (wanted == 0) {
      free_storage();
      forget_storage();
      return;
    }
    resize_to(wanted);
  }

  template <class Other>
  bool equals(const flat_table& other, Other same) const {
    if (size_ != other.size_) return false;
    for (iterator it = begin(); it != end(); ++it) {
      const iterator match = other.find(Policy::key(*it));
      if (match == other.end() || !same(*it, *match)) return false;
    }
    return true;
  }

  /// Says where a store finds the elements; see stored_form.hpp.
  static auto stored_form() {
    static_assert(seed_shift == 48 && group_size == 16 && control_absent == 2 && control_full == 0x80,
                  "readers of stores know tables as they are here");
    return stored_flat_table<flat_table>(offset_of(&flat_table::size_), offset_of(&flat_table::distance_),
                                         offset_of(&flat_table::mask_and_seed_));
  }

 private:
  template <class>
  friend struct perdure::relocator;
  static constexpr bool relocates_nothrow = relocates_nothrow_v<value_type>;
  static constexpr bool hashes_nothrow =
      noexcept(std::declval<const Hash&>()(std::declval<const key_type&>()));

  static constexpr std::size_t block_alignment = alignof(value_type) > group_size ? alignof(value_type)
                                                                                  : group_size;
  struct alignas(block_alignment) block {
    std::byte bytes[block_alignment];
  };
  using block_allocator = typename traits::template rebind_alloc<block>;

  /// A table's memory while it belongs to no table.
  struct flat_storage {
    std::uint8_t* controls = nullptr;
    size_type size = 0;
    size_type growth_left = 0;
    size_type mask = 0;
    std::uint16_t seed = 0;
  };

  static constexpr unsigned seed_shift = 48;
  size_type mask() const noexcept { return mask_and_seed_ & ((size_type{1} << seed_shift) - 1); }
  std::uint16_t seed() const noexcept { return static_cast<std::uint16_t>(mask_and_seed_ >> seed_shift); }

  // Where a hash leads: a group, and a tag to look for in it.
  static std::uint8_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint8_t>(control_full | (hash >> 57));
  }
  template <class K>
  std::uint64_t hash_of(const K& key) const noexcept(noexcept(std::declval<const Hash&>()(key))) {
    return hash_of(key, seed());
  }
  template <class K>
  std::uint64_t hash_of(const K& key, std::uint16_t seed) const
      noexcept(noexcept(std::declval<const Hash&>()(key))) {
    if constexpr (seedable<Hash, key_type>) {
      if (seed != 0) [[unlikely]]
        return hash_.seeded(key, seed);
    }
    if constexpr (avalanching<Hash>) {
      return hash_(key);
    } else {
      return hash_mix(hash_(key));
    }
  }

  std::uint8_t* controls() const noexcept {
    return pointer_at<std::uint8_t>(reinterpret_cast<std::uintptr_t>(&size_) + distance_);
  }
  static value_type* slot_of(const std::uint8_t* controls, size_type index) noexcept {
    return reinterpret_cast<value_type*>(const_cast<std::uint8_t*>(controls)) +
           static_cast<std::ptrdiff_t>(~index);  // -1 - index, in one instruction
  }
  // Of the raw slots before the control bytes, while the first group has no element.
  struct first_group_note {
    std::uint64_t group;  // no group before it has an element; as the index of its first slot
    std::uint64_t check;
  };
  static std::uint64_t check_of(std::uint64_t group) noexcept { return hash_mix(~group); }
  /// A group before which no group has an element.
  size_type first_group() const noexcept {
    if (mask() == 0 || control_group(controls()).full()) [[likely]]
      return 0;
    first_group_note note;
    std::memcpy(&note, controls() - sizeof note, sizeof note);
    const bool is_one =
        note.check == check_of(note.group) && note.group <= mask() && note.group % group_size == 0;
    return is_one ? note.group : 0;
  }
  void write_first_group(size_type group) noexcept {
    const first_group_note note{group, check_of(group)};
    std::memcpy(controls() - sizeof note, &note, sizeof note);
  }
  /// After an element is erased: where its group was the first with one and has none left, the next has.
  void skip_emptied(const std::uint8_t* erased, const std::uint8_t* next) noexcept {
    const size_type group = static_cast<size_type>(erased - controls()) / group_size * group_size;
    if (next == nullptr || mask() == 0 || control_group(controls()).full() || first_group() != group ||
        control_group(controls() + group).full())
      return;
    write_first_group(static_cast<size_type>(next - controls()) / group_size * group_size);
  }
  iterator at(size_type index) const noexcept {
    return iterator(controls() + index, slot_of(controls(), index));
  }

  static size_type slots_of(const std::uint8_t* controls, size_type mask) noexcept {
    if (mask != 0) return mask + group_size - 1;
    const auto absent = control_group(controls).match(control_absent);
    return absent.first();
  }
  static constexpr size_type mask_for(size_type slots) noexcept { return slots / group_size * group_size; }
  size_type slots_for(size_type elements) const {
    if (elements > max_size()) throw_too_long("perdure: a flat table cannot hold that many elements");
    const size_type slots = std::bit_ceil(elements + 1) - 1;
    return max_load(slots) >= elements ? slots : 2 * slots + 1;
  }

  static constexpr size_type slot_bytes(size_type slots) noexcept {
    return (slots * sizeof(value_type) + block_alignment - 1) / block_alignment * block_alignment;
  }
  static constexpr size_type block_count(size_type slots) noexcept {
    const size_type control_bytes = mask_for(slots) + group_size;
    return (slot_bytes(slots) + control_bytes + block_alignment - 1) / block_alignment;
  }
  static void reset_controls(std::uint8_t* controls, size_type slots, size_type mask) noexcept {
    std::memset(controls + mask, control_absent, group_size);
    std::memset(controls, control_empty, slots);
  }
  flat_storage allocate_storage(size_type slots, std::uint16_t seed) {
    block_allocator memory(alloc_);
    auto* bytes = reinterpret_cast<std::uint8_t*>(allocate_raw(memory, block_count(slots)));
    flat_storage fresh{bytes + slot_bytes(slots), 0, max_load(slots), mask_for(slots), seed};
    reset_controls(fresh.controls, slots, fresh.mask);
    if (fresh.mask != 0) std::memset(fresh.controls - sizeof(first_group_note), 0, sizeof(first_group_note));
    return fresh;
  }
  void deallocate_storage(std::uint8_t* controls, size_type mask) noexcept {
    const size_type slots = slots_of(controls, mask);
    block_allocator memory(alloc_);
    deallocate_raw(memory, reinterpret_cast<block*>(controls - slot_bytes(slots)), block_count(slots));
  }
  /// Frees fresh storage, and what was built in it, unless it was adopted.
  struct storage_guard {
    flat_table& table;
    flat_storage storage;
    bool armed = true;
    ~storage_guard() {
      if (!armed) return;
      destroy_in(table.alloc_, storage.controls, storage.mask);
      table.deallocate_storage(storage.controls, storage.mask);
    }
  };

  template <class Visit>
  static void for_each_full(const std::uint8_t* controls, size_type mask, Visit visit) {
    for (size_type group = 0; group <= mask; group += group_size) {
      for (auto full = control_group(controls + group).full(); full; full.drop_first()) {
        visit(group + full.first());
      }
    }
  }
  static void destroy_in(Allocator& memory, std::uint8_t* controls, size_type mask) noexcept {
    if constexpr (!std::is_trivially_destructible_v<value_type>) {
      for_each_full(controls, mask,
                    [&](size_type index) { traits::destroy(memory, slot_of(controls, index)); });
    }
  }
  void destroy_elements() noexcept {
    if (size_ != 0) destroy_in(alloc_, controls(), mask());
  }
  void free_storage() noexcept {
    if (distance_ == 0) return;
    destroy_elements();
    deallocate_storage(controls(), mask());
  }
  void forget_storage() noexcept { distance_ = size_ = growth_left_ = mask_and_seed_ = 0; }
  void adopt(const flat_storage& storage) noexcept {
    distance_ = storage.controls == nullptr ? 0
                                            : reinterpret_cast<std::uintptr_t>(storage.controls) -
                                                  reinterpret_cast<std::uintptr_t>(&size_);
    size_ = storage.size;
    growth_left_ = storage.growth_left;
    mask_and_seed_ = storage.mask | size_type{storage.seed} << seed_shift;
  }
  flat_storage release_storage() noexcept {
    const flat_storage released{distance_ == 0 ? nullptr : controls(), size_, growth_left_, mask(), seed()};
    forget_storage();
    return released;
  }
  void take_storage(flat_table& other) noexcept { adopt(other.release_storage()); }

  template <class K>
  iterator find_hashed(const K& key, std::uint64_t hash) const {
    const std::uint8_t* const base = controls();
    const std::uint8_t tag = tag_of(hash);
    const size_type mask = this->mask();
    size_type position = hash & mask;
    for (size_type step = group_size;; step += group_size) {
      const control_group group(base + position);
      for (auto candidates = group.match(tag); candidates; candidates.drop_first()) {
        const size_type index = position + candidates.first();
        value_type* const slot = slot_of(base, index);
        if (equal_(key, Policy::key(*slot))) [[likely]]
          return iterator(base + index, slot);
      }
      if (group.empty()) [[likely]]
        return end();
      if (step > mask) return end();  // every group is full or has erased slots
      position = (position + step) & mask;
    }
  }

  /// First slot for a new element. There is one: the table is never filled to the last slot unless it has
  /// one group only, and then growth_left says so.
  static size_type free_slot(const std::uint8_t* controls, size_type mask, std::uint64_t hash) noexcept {
    size_type step = group_size;
    return free_slot(controls, mask, hash, step);
  }
  /// `step`, a group's size before, is that as many times as groups were looked at.
  static size_type free_slot(const std::uint8_t* controls, size_type mask, std::uint64_t hash,
                             size_type& step) noexcept {
    size_type position = hash & mask;
    for (;; step += group_size) {
      if (const auto free = control_group(controls + position).available()) {
        return position + free.first();
      }
      position = (position + step) & mask;
    }
  }

  template <class K, class... Args>
  [[gnu::noinline]] iterator construct_new(const K& key, std::uint64_t hash, Args&&... args) {
    return insert_with(
        key, hash, [&](value_type* slot) { traits::construct(alloc_, slot, std::forward<Args>(args)...); });
  }
  template <class K, class Build>
  iterator insert_with(const K& key, std::uint64_t hash, Build&& build) {
    if (growth_left_ == 0) [[unlikely]]
      return grow_and_insert(key, build);
    std::uint8_t* const base = controls();
    size_type step = group_size;
    const size_type index = free_slot(base, mask(), hash, step);
    if constexpr (seedable<Hash, key_type>) {
      // Where hashes are spread evenly, seven full groups in eight, sixty in a row do not occur.
      if (step > 60 * group_size && seed() == 0) [[unlikely]]
        return move_and_insert(slots(), new_seed_for<Hash>(), key, build);
    }
    value_type* const slot = slot_of(base, index);
    build(slot);
    growth_left_ -= base[index] == control_empty;
    if (index >= group_size && index / group_size * group_size < first_group()) [[unlikely]]
      write_first_group(index / group_size * group_size);
    base[index] = tag_of(hash);
    ++size_;
    return iterator(base + index, slot);
  }
  template <class K, class Build>
  [[gnu::noinline]] iterator grow_and_insert(const K& key, Build& build) {
    const size_type n = slots();
    // Many erased slots: the same size cleans them up, and leaves room enough not to be back here soon.
    const bool mostly_erased = n >= group_size && size_ <= max_load(n) / 4 * 3;
    // A seed may have been found out since.
    return move_and_insert(mostly_erased ? n : slots_for(max_load(n) + 1),
                           seed() == 0 ? 0 : new_seed_for<Hash>(), key, build);
  }
  /// The new element is built before the others move: if that throws nothing has changed, and its
  /// arguments may refer to an element of this table.
  template <class K, class Build>
  [[gnu::noinline]] iterator move_and_insert(size_type slots, std::uint16_t seed, const K& key,
                                             Build& build) {
    const std::uint64_t hash = hash_of(key, seed);
    flat_storage fresh = allocate_storage(slots, seed);
    storage_guard guard{*this, fresh};
    const size_type index = free_slot(fresh.controls, fresh.mask, hash);
    build(slot_of(fresh.controls, index));
    fresh.controls[index] = tag_of(hash);
    transfer_to(fresh);
    guard.armed = false;
    replace_storage(fresh);
    ++size_;
    --growth_left_;
    return at(index);
  }
  void resize_to(size_type slots) {
    flat_storage fresh = allocate_storage(slots, seed());
    storage_guard guard{*this, fresh};
    transfer_to(fresh);
    guard.armed = false;
    replace_storage(fresh);
  }
  /// After `transfer_to`: the old slots are raw memory.
  void replace_storage(flat_storage& fresh) noexcept {
    if (distance_ != 0) deallocate_storage(controls(), mask());
    fresh.size = size_;
    fresh.growth_left -= size_;
    adopt(fresh);
  }

  /// Moves all elements to fresh storage. On an exception the elements are where they were.
  void transfer_to(const flat_storage& fresh) {
    if (size_ == 0) return;
    std::uint8_t* const old = controls();
    [[maybe_unused]] const auto claim = [&](std::uint64_t hash) {
      const size_type to = free_slot(fresh.controls, fresh.mask, hash);
      fresh.controls[to] = tag_of(hash);
      return to;
    };
    if constexpr (relocates_nothrow && hashes_nothrow) {
      for_each_full(old, mask(), [&](size_type from) {
        value_type* const source = slot_of(old, from);
        relocate_at(slot_of(fresh.controls, claim(hash_of(Policy::key(*source), fresh.seed))), source);
      });
    } else if constexpr (relocates_nothrow) {
      // All hashes first: none of them can throw any more once elements have moved.
      const std::unique_ptr<std::uint64_t[]> hashes(new std::uint64_t[size_]);
      size_type next = 0;
      for_each_full(old, mask(), [&](size_type from) {
        hashes[next++] = hash_of(Policy::key(*slot_of(old, from)), fresh.seed);
      });
      next = 0;
      for_each_full(old, mask(), [&](size_type from) {
        relocate_at(slot_of(fresh.controls, claim(hashes[next++])), slot_of(old, from));
      });
    } else {
      for_each_full(old, mask(), [&](size_type from) {
        value_type* const source = slot_of(old, from);
        const std::uint64_t hash = hash_of(Policy::key(*source), fresh.seed);
        const size_type to = free_slot(fresh.controls, fresh.mask, hash);
        traits::construct(alloc_, slot_of(fresh.controls, to), std::move_if_noexcept(*source));
        fresh.controls[to] = tag_of(hash);
      });
      destroy_in(alloc_, old, mask());
    }
  }

  void copy_elements(const flat_table& other) {
    if (other.size_ == 0) return;
    flat_storage fresh = allocate_storage(slots_for(other.size_), other.seed());
    storage_guard guard{*this, fresh};
    for_each_full(other.controls(), other.mask(), [&](size_type from) {
      const value_type& source = *slot_of(other.controls(), from);
      const std::uint64_t hash = hash_of(Policy::key(source), fresh.seed);
      const size_type to = free_slot(fresh.controls, fresh.mask, hash);
      traits::construct(alloc_, slot_of(fresh.controls, to), source);
      fresh.controls[to] = tag_of(hash);
    });
    guard.armed = false;
    fresh.size = other.size_;
    fresh.growth_left -= other.size_;
    adopt(fresh);
  }
  /// Element by element, between unequal allocators.
  void move_elements(flat_table& other) {
    reserve(size_ + other.size_);
    for_each_full(other.controls(), other.mask(), [&](size_type from) {
      value_type* const source = slot_of(other.controls(), from);
      find_or_construct(Policy::key(*source), std::move(*source));
    });
    other.clear();
  }

  size_type size_ = 0;           // these two are read as control bytes when there is no memory,
  size_type growth_left_ = 0;    // and then both are 0
  std::uintptr_t distance_ = 0;  // from size_ to the control bytes; 0: no memory
  size_type mask_and_seed_ = 0;  // mask: first slot of the last group
  [[no_unique_address]] Allocator alloc_;
  [[no_unique_address]] Hash hash_;
  [[no_unique_address]] KeyEqual equal_;
};

}  // namespace perdure::detail

namespace perdure {
template <class Policy, class Hash, class KeyEqual, class Allocator>
  requires(detail::relocates_nothrow_v<Hash> && detail::relocates_nothrow_v<KeyEqual>)
struct relocator<detail::flat_table<Policy, Hash, KeyEqual, Allocator>> {
  using table = detail::flat_table<Policy, Hash, KeyEqual, Allocator>;
  static void relocate(table* to, table* from) noexcept {
    if constexpr (!std::is_empty_v<Allocator>) {
      detail::relocate_at(std::addressof(to->alloc_), std::addressof(from->alloc_));
    }
    if constexpr (!std::is_empty_v<Hash>) {
      detail::relocate_at(std::addressof(to->hash_), std::addressof(from->hash_));
    }
    if constexpr (!std::is_empty_v<KeyEqual>) {
      detail::relocate_at(std::addressof(to->equal_), std::addressof(from->equal_));
    }
    const std::uintptr_t moved =
        reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(to);
    to->distance_ = from->distance_ == 0 ? 0 : from->distance_ + moved;
    to->size_ = from->size_;
    to->growth_left_ = from->growth_left_;
    to->mask_and_seed_ = from->mask_and_seed_;
  }
};
}  // namespace perdure
