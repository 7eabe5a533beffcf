// A vector that can live in a store: as std::vector, but its memory is found by a distance from the vector
// itself, so it is valid wherever the store is mapped. All work is done on raw pointers.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/copy_moved.hpp>
#include <perdure/container/detail/storage.hpp>
#include <perdure/detail/copyable.hpp>
#include <perdure/detail/range_concepts.hpp>
#include <perdure/perdure_fwd.hpp>
#include <perdure/relocation.hpp>
#include <perdure/stored_form.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure {

/// `std::vector` (C++20) with self-relative storage: same interface, complexity and exception guarantees.
///
/// Iterators are raw pointers, valid until the usual invalidation or until the store is closed; do not store
/// them. Elements are relocated (see relocation.hpp) instead of moved and destroyed where their type allows.
/// A large vector grows in place where the allocator can. Memory of all zero bytes is an empty vector when
/// the allocator holds no state. Swapping two vectors with unequal, non-propagating allocators is allowed and
/// moves the elements.
///
/// Members throw `std::length_error` for more elements than `max_size()`, `std::bad_alloc` where memory or
/// the store's capacity is exhausted, and what the elements' constructors throw. Thread safety is that of
/// `std::vector`.
template <class T, class Allocator>
class vector {
  using traits = std::allocator_traits<Allocator>;
  static_assert(std::is_same_v<T, std::remove_cv_t<T>>, "a vector's elements cannot be const or volatile");
  static_assert(std::is_same_v<T, typename traits::value_type>, "the allocator allocates another type");

  /// Other ranges than a vector like this one, whose elements convert to this one's.
  template <class Range>
  static constexpr bool elements_from = [] {
    if constexpr (std::derived_from<std::remove_cvref_t<Range>, vector> ||
                  std::is_convertible_v<Range, const Allocator&> || !std::ranges::input_range<Range>) {
      return false;
    } else {
      return std::is_convertible_v<std::ranges::range_reference_t<Range>, T>;
    }
  }();

  static constexpr bool takes_when_assigned =
      traits::propagate_on_container_move_assignment::value || traits::is_always_equal::value;

 public:
  /// Member types of `std::vector`; pointers and iterators are raw pointers.
  ///@{
  using value_type = T;
  using allocator_type = Allocator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  ///@}

  /// Makes an empty vector. Without an allocator the vector takes one made from nothing, or the memory in
  /// which it lies (see `allocator`).
  ///@{
  vector() noexcept
    requires detail::made_without_a_store<Allocator>
      : alloc_(detail::allocator_without_a_store<Allocator>()) {}
  explicit vector(const Allocator& alloc) noexcept : alloc_(alloc) {}
  ///@}
  /// Makes a vector of `n` value-initialised elements, of `n` copies of `value`, or of the elements of a
  /// range or a list. Linear in their number.
  ///@{
  explicit vector(size_type n, const Allocator& alloc) : vector(alloc) { append_value_initialized(n); }
  explicit vector(size_type n)
    requires detail::made_without_a_store<Allocator>
      : vector(n, detail::allocator_without_a_store<Allocator>()) {}
  vector(size_type n, const T& value, const Allocator& alloc) : vector(alloc) {
    start_with(n);
    fill_end(n, value);
  }
  vector(size_type n, const T& value)
    requires detail::made_without_a_store<Allocator>
      : vector(n, value, detail::allocator_without_a_store<Allocator>()) {}
  template <std::input_iterator It>
  vector(It first, It last, const Allocator& alloc) : vector(alloc) {
    append_range(first, last);
  }
  template <std::input_iterator It>
    requires detail::made_without_a_store<Allocator>
  vector(It first, It last) : vector(first, last, detail::allocator_without_a_store<Allocator>()) {}
  vector(std::initializer_list<T> values, const Allocator& alloc)
      : vector(values.begin(), values.end(), alloc) {}
  vector(std::initializer_list<T> values)
    requires detail::made_without_a_store<Allocator>
      : vector(values, detail::allocator_without_a_store<Allocator>()) {}
  ///@}
  /// Copies the elements of a `std::vector`, or of any other range whose elements convert.
  ///@{
  template <class Range>
    requires(elements_from<Range>)
  vector(Range&& range, const Allocator& alloc) : vector(alloc) {
    append_elements(range);
  }
  template <class Range>
    requires(elements_from<Range> && detail::made_without_a_store<Allocator>)
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): no vector is taken for another range
  explicit vector(Range&& range)
      : vector(std::forward<Range>(range), detail::allocator_without_a_store<Allocator>()) {}
  ///@}
  /// Copies the elements. Without an allocator the copy takes the one that
  /// `select_on_container_copy_construction` gives; with `perdure::allocator` that is the memory in which the
  /// copy lies.
  ///@{
  vector(const vector& other)
      : vector(other.begin(), other.end(), traits::select_on_container_copy_construction(other.alloc_)) {}
  vector(const vector& other, const std::type_identity_t<Allocator>& alloc)
      : vector(other.begin(), other.end(), alloc) {}
  ///@}
  /// Moves a vector in constant time, and the allocator goes along. Where a vector comes into a store from
  /// elsewhere, elements are copied; where the allocator given is not equal to that of `other`, they are
  /// moved one by one.
  ///@{
  vector(vector&& other) noexcept
      : alloc_(detail::allocator_after_move(other.alloc_, std::addressof(other), this)) {
    if (!detail::self_locating<Allocator> || alloc_ == other.alloc_) {
      take_storage(other);
    } else {
      detail::copy_moved(*this, other, [this](vector& copy) { take_storage(copy); });
    }
  }
  vector(vector&& other,
         const std::type_identity_t<Allocator>& alloc) noexcept(traits::is_always_equal::value)
      : vector(alloc) {
    if (alloc_ == other.alloc_) {
      take_storage(other);
    } else {
      append_range(std::move_iterator(other.begin()), std::move_iterator(other.end()));
    }
  }
  ///@}
  /// Destroys the elements and frees the memory.
  ~vector() { free_storage(); }

  /// Replaces the elements by copies, or takes over those of `other`: in constant time between equal
  /// allocators, one by one otherwise.
  ///@{
  vector& operator=(const vector& other) {
    if (this == std::addressof(other)) return *this;
    if constexpr (traits::propagate_on_container_copy_assignment::value) {
      if (alloc_ != other.alloc_) {
        free_storage();
        forget_storage();
      }
      alloc_ = other.alloc_;
    }
    assign(other.begin(), other.end());
    return *this;
  }
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): between unequal allocators it copies.
  vector& operator=(vector&& other) noexcept(takes_when_assigned) {
    if (this == std::addressof(other)) return *this;
    if constexpr (traits::propagate_on_container_move_assignment::value) {
      free_storage();
      forget_storage();
      alloc_ = std::move(other.alloc_);
      take_storage(other);
    } else if (alloc_ == other.alloc_) {
      free_storage();
      forget_storage();
      take_storage(other);
    } else {
      detail::assign_elementwise(*this, other, detail::store_of(other.alloc_), [&] {
        assign(std::move_iterator(other.begin()), std::move_iterator(other.end()));
      });
    }
    return *this;
  }
  vector& operator=(std::initializer_list<T> values) {
    assign(values.begin(), values.end());
    return *this;
  }
  ///@}
  /// Takes the elements of a `std::vector`, or of any other range whose elements convert.
  template <class Range>
    requires(elements_from<Range>)
  vector& operator=(Range&& range) {
    if constexpr (std::ranges::common_range<Range> && std::input_iterator<std::ranges::iterator_t<Range>>) {
      assign(std::ranges::begin(range), std::ranges::end(range));
    } else {
      clear();
      append_elements(range);
    }
    return *this;
  }
  /// Copies the elements into a `std::vector`.
  template <class OtherAllocator>
  operator std::vector<T, OtherAllocator>() const {
    return std::vector<T, OtherAllocator>(begin(), end());
  }

  /// Replaces the elements by `n` copies of `value`, or by those of a range or a list, which must not be this
  /// vector's own.
  ///@{
  void assign(size_type n, const T& value) {
    if (n > capacity_) {
      replace_storage(n, [&](construction_guard& fresh) {
        for (size_type i = 0; i != n; ++i) fresh.construct(value);
      });
      return;
    }
    T* const first = raw();
    const size_type common = n < size_ ? n : size_;
    for (size_type i = 0; i != common; ++i) first[i] = value;
    if (n > size_) {
      fill_end(n - size_, value);
    } else {
      truncate(n);
    }
  }
  template <std::input_iterator It>
  void assign(It first, It last) {
    if constexpr (detail::multipass<It>) {
      const size_type n = static_cast<size_type>(std::distance(first, last));
      if (n > capacity_) {
        replace_storage(n, [&](construction_guard& fresh) {
          for (; first != last; ++first) fresh.construct(*first);
        });
        return;
      }
    }
    T* to = raw();
    size_type left = size_;
    for (; left != 0 && first != last; --left, ++first, ++to) *to = *first;
    truncate(size_ - left);
    append_range(first, last);
  }
  void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  ///@}

  /// Returns a copy of the allocator.
  allocator_type get_allocator() const noexcept { return alloc_; }

  /// Iterators over the elements, as of `std::vector`.
  ///@{
  iterator begin() noexcept { return raw(); }
  iterator end() noexcept { return raw() + size_; }
  const_iterator begin() const noexcept { return raw(); }
  const_iterator end() const noexcept { return raw() + size_; }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return rbegin(); }
  const_reverse_iterator crend() const noexcept { return rend(); }
  ///@}

  /// Returns whether there are no elements.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Returns the number of elements.
  size_type size() const noexcept { return size_; }
  /// Returns how many elements fit without other memory.
  size_type capacity() const noexcept { return capacity_; }
  /// Returns the most elements that a vector may have.
  size_type max_size() const noexcept {
    constexpr size_type limit =
        static_cast<size_type>(std::numeric_limits<difference_type>::max()) / sizeof(T);
    const size_type allowed = traits::max_size(alloc_);
    return allowed < limit ? allowed : limit;
  }
  /// Makes room for `n` elements; never gives memory back.
  void reserve(size_type n) {
    if (n <= capacity_) return;
    if (n > max_size()) detail::throw_too_long("perdure::vector::reserve: more elements than max_size()");
    change_capacity(n);
  }
  /// Destroys the elements behind the first `n`, or adds value-initialised ones or copies of `value` up to
  /// that number.
  ///@{
  void resize(size_type n) {
    if (n <= size_) return truncate(n);
    append_value_initialized(n - size_);
  }
  void resize(size_type n, const T& value) {
    if (n <= size_) return truncate(n);
    append_copies(n - size_, value);
  }
  ///@}
  /// Gives unused memory back. Does nothing where elements can only be moved, and a move may throw. Keeps
  /// everything as it is where a copy throws, or no smaller block can be had.
  void shrink_to_fit() {
    if (size_ == capacity_) return;
    if (size_ == 0) {
      free_storage();
      forget_storage();
      return;
    }
    if constexpr (relocates_nothrow || std::is_nothrow_move_constructible_v<T> ||
                  std::is_copy_constructible_v<T>) {
      try {
        change_capacity(size_);
      } catch (...) {  // a request, not a demand: the vector is unchanged
      }
    }
  }

  /// Returns an element. `operator[]`, `front` and `back` check nothing; `at` throws `std::out_of_range`.
  ///@{
  reference operator[](size_type i) noexcept { return raw()[i]; }
  const_reference operator[](size_type i) const noexcept { return raw()[i]; }
  reference at(size_type i) {
    check_index(i);
    return raw()[i];
  }
  const_reference at(size_type i) const {
    check_index(i);
    return raw()[i];
  }
  reference front() noexcept { return *raw(); }
  const_reference front() const noexcept { return *raw(); }
  reference back() noexcept { return raw()[size_ - 1]; }
  const_reference back() const noexcept { return raw()[size_ - 1]; }
  ///@}
  /// Returns the address of the first element, null when the vector has no memory.
  ///@{
  T* data() noexcept { return capacity_ == 0 ? nullptr : raw(); }
  const T* data() const noexcept { return capacity_ == 0 ? nullptr : raw(); }
  ///@}

  /// Adds an element at the end; `emplace_back` returns a reference to it. Amortised constant
  /// time.
  ///@{
  template <class... Args>
  reference emplace_back(Args&&... args) {
    if (size_ == capacity_) [[unlikely]]
      return emplace_back_growing(std::forward<Args>(args)...);
    T* const place = raw() + size_;
    traits::construct(alloc_, place, std::forward<Args>(args)...);
    ++size_;
    return *place;
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  ///@}
  /// Destroys the last element, which there must be.
  void pop_back() noexcept {
    --size_;
    traits::destroy(alloc_, raw() + size_);
  }
  /// Destroys all elements and keeps the memory.
  void clear() noexcept { truncate(0); }

  /// Inserts elements before `position`, and returns an iterator to the first of them. An element may be a
  /// copy of one of this vector's; a range must not be part of it. Linear in the elements inserted and those
  /// behind them.
  ///@{
  template <class... Args>
  iterator emplace(const_iterator position, Args&&... args) {
    const size_type at = index_of(position);
    if (at == size_) {
      emplace_back(std::forward<Args>(args)...);
      return raw() + at;
    }
    if constexpr (relocates_nothrow) {
      // Built first: the arguments may refer to an element that is about to shift.
      detail::temporary<Allocator> value(alloc_, std::forward<Args>(args)...);
      return insert_gap(at, 1, [&](T* gap) {
        detail::relocate_at(gap, value.get());
        value.release();
      });
    } else {
      const size_type old_size = size_;
      emplace_back(std::forward<Args>(args)...);
      rotate_into_place(at, old_size);
      return raw() + at;
    }
  }
  iterator insert(const_iterator position, const T& value) { return emplace(position, value); }
  iterator insert(const_iterator position, T&& value) { return emplace(position, std::move(value)); }
  iterator insert(const_iterator position, size_type n, const T& value) {
    const size_type at = index_of(position);
    if (n == 0) return raw() + at;
    if constexpr (relocates_nothrow) {
      detail::temporary<Allocator> copy(alloc_, value);
      return insert_gap(at, n, [&](T* gap) { construct_copies(gap, n, *copy.get()); });
    } else {
      const size_type old_size = size_;
      append_copies(n, value);
      rotate_into_place(at, old_size);
      return raw() + at;
    }
  }
  template <std::input_iterator It>
  iterator insert(const_iterator position, It first, It last) {
    const size_type at = index_of(position);
    if constexpr (relocates_nothrow && detail::multipass<It>) {
      const size_type n = static_cast<size_type>(std::distance(first, last));
      if (n == 0) return raw() + at;
      return insert_gap(at, n, [&](T* gap) { construct_range(gap, first, last); });
    } else if constexpr (relocates_nothrow) {
      vector values(first, last, alloc_);
      return insert(raw() + at, std::move_iterator(values.begin()), std::move_iterator(values.end()));
    } else {
      const size_type old_size = size_;
      append_range(first, last);
      rotate_into_place(at, old_size);
      return raw() + at;
    }
  }
  iterator insert(const_iterator position, std::initializer_list<T> values) {
    return insert(position, values.begin(), values.end());
  }
  ///@}

  /// Removes an element or a range, and returns an iterator to what followed. Linear in the elements behind
  /// it.
  ///@{
  iterator erase(const_iterator position) { return erase(position, position + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    T* const hole = raw() + index_of(first);
    const size_type n = static_cast<size_type>(last - first);
    if (n == 0) return hole;
    T* const tail = hole + n;
    const size_type tail_size = static_cast<size_type>(end() - tail);
    if constexpr (relocates_nothrow) {
      detail::destroy_n(alloc_, hole, n);
      detail::relocate_down(hole, tail, tail_size);
    } else {
      for (size_type i = 0; i != tail_size; ++i) hole[i] = std::move(tail[i]);
      detail::destroy_n(alloc_, hole + tail_size, n);
    }
    size_ -= n;
    return hole;
  }
  ///@}

  /// Exchanges two vectors, in constant time between equal allocators. Between stores the elements are
  /// copied; if that throws, neither vector has changed. (Elements that can only be moved may be lost then.)
  ///@{
  void swap(vector& other) noexcept(traits::propagate_on_container_swap::value ||
                                    traits::is_always_equal::value) {
    if (this == std::addressof(other)) return;
    if constexpr (traits::propagate_on_container_swap::value) {
      using std::swap;
      swap(alloc_, other.alloc_);
      swap_storage(other);
    } else if (alloc_ == other.alloc_) {
      swap_storage(other);
    } else {
      vector theirs(detail::copied_if_possible(other), alloc_);
      vector mine(detail::copied_if_possible(*this), other.alloc_);
      swap_storage(theirs);
      other.swap_storage(mine);
    }
  }
  friend void swap(vector& a, vector& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }
  ///@}

  /// Compares element by element, also with a `std::vector`.
  ///@{
  friend bool operator==(const vector& a, const vector& b)
    requires requires(const T& x) { bool(x == x); }
  {
    if (a.size_ != b.size_) return false;
    const T* x = a.raw();
    const T* y = b.raw();
    for (size_type left = a.size_; left != 0; --left, ++x, ++y) {
      if (!bool(*x == *y)) return false;
    }
    return true;
  }
  template <class OtherAllocator>
    requires requires(const T& x) { bool(x == x); }
  friend bool operator==(const vector& a, const std::vector<T, OtherAllocator>& b) {
    if (a.size_ != b.size()) return false;
    const T* x = a.raw();
    for (const T& y : b) {
      if (!bool(*x++ == y)) return false;
    }
    return true;
  }
  ///@}
  /// Compares in lexicographical order, by `<=>` of the elements, or by `<` where they have no `<=>`.
  friend auto operator<=>(const vector& a, const vector& b)
    requires requires(const T& x) { bool(x < x); }
  {
    const size_type common = a.size_ < b.size_ ? a.size_ : b.size_;
    const T* x = a.raw();
    const T* y = b.raw();
    if constexpr (std::three_way_comparable<T>) {
      using category =
          std::common_comparison_category_t<std::compare_three_way_result_t<T>, std::strong_ordering>;
      for (size_type i = 0; i != common; ++i) {
        if (const auto order = x[i] <=> y[i]; order != 0) return category(order);
      }
      return category(a.size_ <=> b.size_);
    } else {
      for (size_type i = 0; i != common; ++i) {
        if (bool(x[i] < y[i])) return std::weak_ordering::less;
        if (bool(y[i] < x[i])) return std::weak_ordering::greater;
      }
      return std::weak_ordering(a.size_ <=> b.size_);
    }
  }

  /// Says where a store finds the elements; see stored_form.hpp.
  static auto stored_form() { return stored_array(&vector::distance_, &vector::size_, &vector::capacity_); }

 private:
  friend struct relocator<vector>;
  using construction_guard = detail::construction_guard<Allocator>;
  static constexpr bool relocates_nothrow = detail::relocates_nothrow_v<T>;
  /// One element of 8 bytes, or as many smaller ones as fill 8: in a graph most lists are short.
  static constexpr size_type first_capacity = sizeof(T) >= 8 ? 1 : 8 / sizeof(T);

  // There is no null: without memory the distance is meaningless and begin() == end() holds anyway. That
  // saves every access a comparison and every relocation a branch.
  T* raw() const noexcept {
    return detail::pointer_at<T>(reinterpret_cast<std::uintptr_t>(this) + distance_);
  }
  void set_raw(T* p) noexcept {
    distance_ = reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(this);
  }
  size_type index_of(const_iterator position) const noexcept {
    return static_cast<size_type>(position - raw());
  }
  void check_index(size_type i) const {
    if (i >= size_) detail::throw_out_of_range("perdure::vector::at: no such element");
  }

  void free_storage() noexcept {
    if (capacity_ == 0) return;
    T* const block = raw();
    detail::destroy_n(alloc_, block, size_);
    detail::deallocate_raw(alloc_, block, capacity_);
  }
  void forget_storage() noexcept { distance_ = size_ = capacity_ = 0; }
  void take_storage(vector& other) noexcept {
    if (other.capacity_ == 0) return;
    set_raw(other.raw());
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.forget_storage();
  }
  void swap_storage(vector& other) noexcept {
    T* const mine = raw();
    set_raw(other.raw());
    other.set_raw(mine);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void adopt(T* block, size_type n) noexcept {
    set_raw(block);
    capacity_ = n;
  }
  void truncate(size_type n) noexcept {
    detail::destroy_n(alloc_, raw() + n, size_ - n);
    size_ = n;
  }
  /// The capacity to grow to when `extra` elements do not fit.
  size_type grown_capacity(size_type extra) const {
    const size_type most = max_size();
    if (extra > most - size_) detail::throw_too_long("perdure::vector: more elements than max_size()");
    const size_type needed = size_ + extra;
    size_type grown = capacity_ > most / 2 ? most : 2 * capacity_;
    if (grown < first_capacity) grown = first_capacity;
    return grown < needed ? needed : grown;
  }
  /// `grown_capacity(1)` of a full vector, in fewer instructions.
  size_type doubled_capacity() const {
    if (capacity_ >= max_size() / 2) return grown_capacity(1);
    return capacity_ == 0 ? first_capacity : 2 * capacity_;
  }
  void start_with(size_type n) {
    if (n == 0) return;
    if (n > max_size()) detail::throw_too_long("perdure::vector: more elements than max_size()");
    adopt(detail::allocate_raw(alloc_, n), n);
  }

  /// Moves `n` elements to raw memory. If that may throw, the sources stay whole until all are copied.
  void transfer(T* to, T* from, size_type n) noexcept(relocates_nothrow) {
    if constexpr (relocates_nothrow) {
      detail::relocate_n(to, from, n);
    } else {
      construction_guard built(alloc_, to);
      for (size_type i = 0; i != n; ++i) built.construct(std::move_if_noexcept(from[i]));
      built.release();
      detail::destroy_n(alloc_, from, n);
    }
  }
  void change_capacity(size_type n) {
    if (n > capacity_ && capacity_ != 0 && detail::try_expand(alloc_, raw(), capacity_, n)) {
      capacity_ = n;
      return;
    }
    T* const block = detail::allocate_raw(alloc_, n);
    detail::block_guard<Allocator> guard(alloc_, block, n);
    transfer(block, raw(), size_);
    guard.release();
    if (capacity_ != 0) detail::deallocate_raw(alloc_, raw(), capacity_);
    adopt(block, n);
  }
  template <class Build>
  void replace_storage(size_type n, Build build) {
    if (n > max_size()) detail::throw_too_long("perdure::vector: more elements than max_size()");
    T* const block = detail::allocate_raw(alloc_, n);
    detail::block_guard<Allocator> guard(alloc_, block, n);
    construction_guard fresh(alloc_, block);
    build(fresh);
    fresh.release();
    guard.release();
    free_storage();
    adopt(block, n);
    size_ = n;
  }

  /// The new element is built before the old ones move, because the arguments may refer to one of them.
  template <class... Args>
  [[gnu::noinline]] reference emplace_back_growing(Args&&... args) {
    const size_type n = doubled_capacity();
    if (capacity_ != 0 && detail::try_expand(alloc_, raw(), capacity_, n)) {
      capacity_ = n;
      traits::construct(alloc_, raw() + size_, std::forward<Args>(args)...);
      return raw()[size_++];
    }
    T* const block = detail::allocate_raw(alloc_, n);
    detail::block_guard<Allocator> guard(alloc_, block, n);
    construction_guard fresh(alloc_, block + size_);
    fresh.construct(std::forward<Args>(args)...);
    T* const old = raw();
    transfer(block, old, size_);
    fresh.release();
    guard.release();
    if (capacity_ != 0) detail::deallocate_raw(alloc_, old, capacity_);
    adopt(block, n);
    return block[size_++];
  }

  void construct_copies(T* to, size_type n, const T& value) {
    construction_guard built(alloc_, to);
    for (; n != 0; --n) built.construct(value);
    built.release();
  }
  template <class It>
  void construct_range(T* to, It first, It last) {
    if constexpr (std::contiguous_iterator<It> && std::is_trivially_copyable_v<T> &&
                  std::is_same_v<std::remove_const_t<std::remove_reference_t<std::iter_reference_t<It>>>,
                                 T> &&
                  !std::uses_allocator_v<T, Allocator>) {
      const size_type n = static_cast<size_type>(last - first);
      if (n != 0) std::memcpy(static_cast<void*>(to), std::to_address(first), n * sizeof(T));
    } else {
      construction_guard built(alloc_, to);
      for (; first != last; ++first) built.construct(*first);
      built.release();
    }
  }
  void fill_end(size_type n, const T& value) {
    construct_copies(raw() + size_, n, value);
    size_ += n;
  }
  void append_copies(size_type n, const T& value) {
    if (n <= capacity_ - size_) return fill_end(n, value);
    insert_gap(size_, n, [&](T* gap) { construct_copies(gap, n, value); });
  }
  void append_value_initialized(size_type n) {
    if (n == 0) return;
    insert_gap(size_, n, [&](T* gap) {
      construction_guard built(alloc_, gap);
      for (size_type i = 0; i != n; ++i) built.construct();
      built.release();
    });
  }
  template <class It>
  void append_range(It first, It last) {
    if constexpr (detail::multipass<It>) {
      const size_type n = static_cast<size_type>(std::distance(first, last));
      if (n == 0) return;
      insert_gap(size_, n, [&](T* gap) { construct_range(gap, first, last); });
    } else {
      for (; first != last; ++first) emplace_back(*first);
    }
  }

  template <class Range>
  void append_elements(Range& range) {
    if constexpr (std::ranges::common_range<Range>) {
      append_range(std::ranges::begin(range), std::ranges::end(range));
    } else {
      for (auto&& element : range) emplace_back(std::forward<decltype(element)>(element));
    }
  }

  /// Opens a gap of `n` elements at index `at` and has `build(gap)` construct them, all or none. Elements
  /// whose relocation may throw are only ever appended (`at == size()`).
  template <class Build>
  T* insert_gap(size_type at, size_type n, Build build) {
    if (n > capacity_ - size_) {
      const size_type wanted = grown_capacity(n);
      if (capacity_ != 0 && detail::try_expand(alloc_, raw(), capacity_, wanted)) {
        capacity_ = wanted;
      } else {
        T* const block = detail::allocate_raw(alloc_, wanted);
        detail::block_guard<Allocator> guard(alloc_, block, wanted);
        build(block + at);
        T* const old = raw();
        if constexpr (relocates_nothrow) {
          detail::relocate_n(block, old, at);
          detail::relocate_n(block + at + n, old + at, size_ - at);
        } else {
          try {
            transfer(block, old, size_);
          } catch (...) {
            detail::destroy_n(alloc_, block + at, n);
            throw;
          }
        }
        guard.release();
        if (capacity_ != 0) detail::deallocate_raw(alloc_, old, capacity_);
        adopt(block, wanted);
        size_ += n;
        return block + at;
      }
    }
    T* const gap = raw() + at;
    if (at == size_) {
      build(gap);
    } else if constexpr (relocates_nothrow) {
      const size_type tail = size_ - at;
      detail::relocate_up(gap + n, gap, tail);
      try {
        build(gap);
      } catch (...) {
        detail::relocate_down(gap, gap + n, tail);
        throw;
      }
    }
    size_ += n;
    return gap;
  }

  void reverse_range(size_type first, size_type last) {
    T* const base = raw();
    using std::swap;
    while (last - first > 1) swap(base[first++], base[--last]);
  }
  /// Brings the elements appended from `middle` on to index `at`.
  void rotate_into_place(size_type at, size_type middle) {
    if (at == middle || middle == size_) return;
    reverse_range(at, middle);
    reverse_range(middle, size_);
    reverse_range(at, size_);
  }

  [[no_unique_address]] Allocator alloc_;
  std::uintptr_t distance_ = 0;  // from this object to the first element
  size_type size_ = 0;
  size_type capacity_ = 0;
};

/// Deduces the type of elements from iterators.
template <std::input_iterator It, class Allocator = allocator<std::iter_value_t<It>>>
vector(It, It, Allocator = Allocator()) -> vector<std::iter_value_t<It>, Allocator>;

/// Removes all elements that equal `value`, or for which `predicate` is true. Returns their number. Linear.
/// Found without `std::`: std::erase_if, to which no program may add, knows the standard's containers only.
///@{
template <class T, class Allocator, class U>
typename vector<T, Allocator>::size_type erase(vector<T, Allocator>& values, const U& value) {
  return erase_if(values, [&](const T& element) -> bool { return element == value; });
}
template <class T, class Allocator, class Predicate>
typename vector<T, Allocator>::size_type erase_if(vector<T, Allocator>& values, Predicate predicate) {
  T* const last = values.end();
  T* kept = values.begin();
  while (kept != last && !bool(predicate(std::as_const(*kept)))) ++kept;
  for (T* it = kept; it != last; ++it) {
    if (it != kept && !bool(predicate(std::as_const(*it)))) *kept++ = std::move(*it);
  }
  const auto erased = static_cast<std::size_t>(last - kept);
  values.erase(kept, last);
  return erased;
}
///@}

/// Moves a vector to other memory; see relocation.hpp.
template <class T, class Allocator>
struct relocator<vector<T, Allocator>> {
  /// Moves `from` to raw memory at `to`, and ends its life.
  static void relocate(vector<T, Allocator>* to, vector<T, Allocator>* from) noexcept {
    if constexpr (!std::is_empty_v<Allocator>) {
      detail::relocate_at(std::addressof(to->alloc_), std::addressof(from->alloc_));
    }
    to->distance_ =
        from->distance_ + (reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(to));
    to->size_ = from->size_;
    to->capacity_ = from->capacity_;
  }
};

}  // namespace perdure
