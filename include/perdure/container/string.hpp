// A string that can live in a store: short ones inside the object, long ones found by a distance from it.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <memory>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/copy_moved.hpp>
#include <perdure/container/detail/storage.hpp>
#include <perdure/hash.hpp>
#include <perdure/perdure_fwd.hpp>
#include <perdure/relocation.hpp>
#include <perdure/stored_form.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace perdure {

/// `std::basic_string` (C++20) with self-relative storage: same interface, complexity and guarantees.
///
/// A string of up to 22 bytes needs no memory beyond the object's 24 (and the allocator's 8). Everything that
/// takes a string takes a string view, and a string converts to one. Iterators are raw pointers: do not store
/// them. The object holds no pointer to itself.
///
/// Members throw `std::length_error` for more characters than `max_size()`, `std::out_of_range` for a
/// position beyond the end, and `std::bad_alloc` where memory or the store's capacity is exhausted. Thread
/// safety is that of `std::string`.
template <class Char, class Traits, class Allocator>
class basic_string {
  using alloc_traits = std::allocator_traits<Allocator>;
  static_assert(std::is_trivially_copyable_v<Char> && sizeof(Char) <= 4);
  static_assert(std::is_same_v<Char, typename alloc_traits::value_type>,
                "the allocator allocates another type");

 public:
  /// Member types of `std::basic_string`; pointers and iterators are raw pointers.
  ///@{
  using traits_type = Traits;
  using value_type = Char;
  using allocator_type = Allocator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = Char&;
  using const_reference = const Char&;
  using pointer = Char*;
  using const_pointer = const Char*;
  using iterator = Char*;
  using const_iterator = const Char*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  ///@}
  /// The string view of the same characters.
  using view = std::basic_string_view<Char, Traits>;

  /// The greatest number: "up to the end" as an argument, "not found" as a result.
  static constexpr size_type npos = static_cast<size_type>(-1);

 private:
  static constexpr bool allocator_by_default = detail::made_without_a_store<Allocator>;
  /// Types that are views but not character pointers (which have overloads of their own).
  template <class S>
  static constexpr bool viewable =
      std::is_convertible_v<const S&, view> && !std::is_convertible_v<const S&, const Char*>;

  static constexpr bool takes_when_assigned =
      alloc_traits::propagate_on_container_move_assignment::value || alloc_traits::is_always_equal::value;

  template <class S>
  static constexpr bool other_text =
      std::is_convertible_v<const S&, view> && !std::is_same_v<S, basic_string>;

 public:
  /// Makes an empty string. Without an allocator the string takes one made from nothing, or the memory in
  /// which it lies (see `allocator`).
  ///@{
  basic_string() noexcept
    requires allocator_by_default
      : alloc_(detail::allocator_without_a_store<Allocator>()) {}
  explicit basic_string(const Allocator& alloc) noexcept : alloc_(alloc) {}
  ///@}
  /// Makes a string of the characters up to a zero, of `n` characters, of `n` times `c`, or of the characters
  /// of a view, a range or a list. `position` and `n` choose a part of a view. Linear in the number of
  /// characters.
  ///@{
  basic_string(const Char* text, const Allocator& alloc) : basic_string(alloc) { start_with(view(text)); }
  basic_string(const Char* text)
    requires allocator_by_default
      : basic_string(text, detail::allocator_without_a_store<Allocator>()) {}
  basic_string(const Char* text, size_type n, const Allocator& alloc) : basic_string(alloc) {
    start_with(view(text, n));
  }
  basic_string(const Char* text, size_type n)
    requires allocator_by_default
      : basic_string(text, n, detail::allocator_without_a_store<Allocator>()) {}
  basic_string(size_type n, Char c, const Allocator& alloc) : basic_string(alloc) { append(n, c); }
  basic_string(size_type n, Char c)
    requires allocator_by_default
      : basic_string(n, c, detail::allocator_without_a_store<Allocator>()) {}
  template <class S>
    requires viewable<S>
  explicit basic_string(const S& text, const Allocator& alloc) : basic_string(alloc) {
    start_with(view(text));
  }
  template <class S>
    requires(viewable<S> && allocator_by_default)
  explicit(!std::is_same_v<S, std::basic_string<Char, Traits>>) basic_string(const S& text)
      : basic_string(text, detail::allocator_without_a_store<Allocator>()) {}
  template <class S>
    requires viewable<S>
  basic_string(const S& text, size_type position, size_type n, const Allocator& alloc) : basic_string(alloc) {
    start_with(view(text).substr(position, n));
  }
  template <class S>
    requires(viewable<S> && allocator_by_default)
  basic_string(const S& text, size_type position, size_type n)
      : basic_string(text, position, n, detail::allocator_without_a_store<Allocator>()) {}
  template <std::input_iterator It>
  basic_string(It first, It last, const Allocator& alloc) : basic_string(alloc) {
    append(first, last);
  }
  template <std::input_iterator It>
    requires allocator_by_default
  basic_string(It first, It last)
      : basic_string(first, last, detail::allocator_without_a_store<Allocator>()) {}
  basic_string(std::initializer_list<Char> chars, const Allocator& alloc)
      : basic_string(chars.begin(), chars.size(), alloc) {}
  basic_string(std::initializer_list<Char> chars)
    requires allocator_by_default
      : basic_string(chars, detail::allocator_without_a_store<Allocator>()) {}
  basic_string(std::nullptr_t) = delete;
  ///@}
  /// Copies a string, or its characters from `position` on. Without an allocator the copy takes the one that
  /// `select_on_container_copy_construction` gives; with `perdure::allocator` that is the memory in which the
  /// copy lies.
  ///@{
  basic_string(const basic_string& other)
      : basic_string(alloc_traits::select_on_container_copy_construction(other.alloc_)) {
    start_with(other);
  }
  basic_string(const basic_string& other, const std::type_identity_t<Allocator>& alloc)
      : basic_string(alloc) {
    start_with(other);
  }
  basic_string(const basic_string& other, size_type position, const Allocator& alloc)
      : basic_string(other, position, npos, alloc) {}
  basic_string(const basic_string& other, size_type position)
    requires allocator_by_default
      : basic_string(other, position, npos, detail::allocator_without_a_store<Allocator>()) {}
  ///@}
  /// Moves a string in constant time, and the allocator goes along. Where a string comes into a store from
  /// elsewhere, or the allocator given is not equal to that of `other`, characters of a long one are copied.
  ///@{
  basic_string(basic_string&& other) noexcept
      : alloc_(detail::allocator_after_move(other.alloc_, std::addressof(other), this)) {
    if (!detail::self_locating<Allocator> || alloc_ == other.alloc_) {
      take(other);
    } else if (!other.is_long()) {
      words_ = other.words_;
    } else {
      detail::copy_moved(*this, other, [this](basic_string& copy) { take(copy); });
    }
  }
  basic_string(basic_string&& other, const std::type_identity_t<Allocator>& alloc) : basic_string(alloc) {
    if (alloc_ == other.alloc_ || !other.is_long()) {
      take(other);
    } else {
      start_with(other);
    }
  }
  ///@}
  /// Frees the memory of a long string.
  ~basic_string() { free_memory(); }

  /// Replaces the characters. Moving takes constant time between equal allocators, and copies otherwise.
  ///@{
  basic_string& operator=(const basic_string& other) {
    if (this == std::addressof(other)) return *this;
    if constexpr (alloc_traits::propagate_on_container_copy_assignment::value) {
      if (alloc_ != other.alloc_) {
        free_memory();
        become_empty();
      }
      alloc_ = other.alloc_;
    }
    return assign(view(other));
  }
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): between unequal allocators it copies.
  basic_string& operator=(basic_string&& other) noexcept(takes_when_assigned) {
    if (this == std::addressof(other)) return *this;
    if constexpr (alloc_traits::propagate_on_container_move_assignment::value) {
      free_memory();
      alloc_ = std::move(other.alloc_);
      take(other);
    } else if (alloc_ == other.alloc_) {
      free_memory();
      take(other);
    } else {
      detail::assign_elementwise(*this, other, detail::store_of(other.alloc_), [&] { assign(view(other)); });
    }
    return *this;
  }
  basic_string& operator=(const Char* text) { return assign(view(text)); }
  basic_string& operator=(Char c) { return assign(1, c); }
  basic_string& operator=(std::initializer_list<Char> chars) { return assign(chars); }
  basic_string& operator=(std::nullptr_t) = delete;
  template <class S>
    requires viewable<S>
  basic_string& operator=(const S& text) {
    return assign(view(text));
  }
  ///@}

  /// Replaces the characters by those of a string, of a view or a part of it, of a range or a list, or by `n`
  /// times `c`. The source may be a part of this string.
  ///@{
  basic_string& assign(const basic_string& text) { return assign(view(text)); }
  basic_string& assign(basic_string&& text) { return *this = std::move(text); }
  basic_string& assign(const Char* text, size_type n) { return replace(0, npos, view(text, n)); }
  basic_string& assign(const Char* text) { return replace(0, npos, view(text)); }
  basic_string& assign(size_type n, Char c) { return replace(0, npos, n, c); }
  basic_string& assign(std::initializer_list<Char> chars) { return assign(chars.begin(), chars.size()); }
  template <std::input_iterator It>
  basic_string& assign(It first, It last) {
    return replace(begin(), end(), first, last);
  }
  template <class S>
    requires viewable<S>
  basic_string& assign(const S& text, size_type position = 0, size_type n = npos) {
    return replace(0, npos, view(text).substr(position, n));
  }
  ///@}

  /// Returns a copy of the allocator.
  allocator_type get_allocator() const noexcept { return alloc_; }
  /// Converts to a view of these characters, which holds until the string changes, or to a copy in ordinary
  /// memory.
  ///@{
  operator view() const noexcept { return view(raw(), size()); }
  operator std::basic_string<Char, Traits>() const { return std::basic_string<Char, Traits>(view(*this)); }
  ///@}

  /// Iterators over the characters, as of `std::basic_string`. They hold until the string changes its memory,
  /// or until the store is closed.
  ///@{
  iterator begin() noexcept { return raw(); }
  iterator end() noexcept { return raw() + size(); }
  const_iterator begin() const noexcept { return raw(); }
  const_iterator end() const noexcept { return raw() + size(); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return rbegin(); }
  const_reverse_iterator crend() const noexcept { return rend(); }
  ///@}

  /// Returns whether there are no characters.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// Returns the number of characters, without the zero behind them. Constant time.
  ///@{
  size_type size() const noexcept { return is_long() ? load(size_word) : last_byte(); }
  size_type length() const noexcept { return size(); }
  ///@}
  /// Returns how many characters fit without other memory; 22 at least for `char`.
  size_type capacity() const noexcept {
    return is_long() ? load(capacity_word) & ~long_flag : short_capacity;
  }
  /// Returns the most characters that a string may have.
  size_type max_size() const noexcept {
    constexpr size_type limit =
        static_cast<size_type>(std::numeric_limits<difference_type>::max()) / sizeof(Char) - 1;
    const size_type allowed = alloc_traits::max_size(alloc_) - 1;
    return allowed < limit ? allowed : limit;
  }
  /// Makes room for `n` characters; never gives memory back.
  void reserve(size_type n) {
    if (n <= capacity()) return;
    check_length(n);
    change_capacity(n);
  }
  /// Gives unused memory back. Where no smaller block can be had, the string stays as it is.
  void shrink_to_fit() {
    if (!is_long() || size() == capacity()) return;
    try {
      change_capacity(size());
    } catch (...) {  // a request, not a demand: the string is unchanged
    }
  }
  /// Cuts the string to `n` characters, or adds `c` up to that number.
  void resize(size_type n, Char c = Char()) {
    const size_type old = size();
    if (n > old) {
      append(n - old, c);
    } else {
      set_size(n);
    }
  }
  /// Removes all characters and keeps the memory.
  void clear() noexcept { set_size(0); }

  /// Returns a character. `operator[]`, `front` and `back` check nothing; the index `size()` is the zero
  /// behind the last character. `at` throws `std::out_of_range`.
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
  reference back() noexcept { return raw()[size() - 1]; }
  const_reference back() const noexcept { return raw()[size() - 1]; }
  ///@}
  /// Returns the address of the first character. A zero follows the last one.
  ///@{
  Char* data() noexcept { return raw(); }
  const Char* data() const noexcept { return raw(); }
  const Char* c_str() const noexcept { return raw(); }
  ///@}

  /// Adds a character at the end. Amortised constant time.
  void push_back(Char c) {
    const size_type n = size();
    if (n == capacity()) [[unlikely]]
      change_capacity(grown_capacity(1));
    raw()[n] = c;
    set_size(n + 1);
  }
  /// Removes the last character, which there must be.
  void pop_back() noexcept { set_size(size() - 1); }
  /// Adds characters at the end: those of a string, a view, a part of a view, a range or a list, or `n` times
  /// `c`. The source may be a part of this string.
  ///@{
  basic_string& operator+=(const basic_string& text) { return append(view(text)); }
  basic_string& operator+=(const Char* text) { return append(view(text)); }
  basic_string& operator+=(Char c) {
    push_back(c);
    return *this;
  }
  basic_string& operator+=(std::initializer_list<Char> chars) { return append(chars); }
  template <class S>
    requires viewable<S>
  basic_string& operator+=(const S& text) {
    return append(view(text));
  }
  basic_string& append(const Char* text, size_type n) { return replace(size(), 0, view(text, n)); }
  basic_string& append(const Char* text) { return replace(size(), 0, view(text)); }
  basic_string& append(size_type n, Char c) { return replace(size(), 0, n, c); }
  basic_string& append(std::initializer_list<Char> chars) { return append(chars.begin(), chars.size()); }
  template <std::input_iterator It>
  basic_string& append(It first, It last) {
    return replace(end(), end(), first, last);
  }
  template <class S>
    requires viewable<S>
  basic_string& append(const S& text, size_type position = 0, size_type n = npos) {
    return replace(size(), 0, view(text).substr(position, n));
  }
  ///@}

  /// Inserts characters before `position`, which is a number or an iterator. With an iterator it returns an
  /// iterator to the first of them. The source may be a part of this string.
  ///@{
  basic_string& insert(size_type position, size_type n, Char c) { return replace(position, 0, n, c); }
  basic_string& insert(size_type position, const Char* text) { return replace(position, 0, view(text)); }
  basic_string& insert(size_type position, const Char* text, size_type n) {
    return replace(position, 0, view(text, n));
  }
  template <class S>
    requires viewable<S>
  basic_string& insert(size_type position, const S& text, size_type from = 0, size_type n = npos) {
    return replace(position, 0, view(text).substr(from, n));
  }
  // Iterators are pointers, so a literal 0 must not be taken for one: templates see it as an int.
  template <std::convertible_to<const_iterator> It>
    requires std::is_pointer_v<It>
  iterator insert(It position, Char c) {
    return insert(position, 1, c);
  }
  template <std::convertible_to<const_iterator> It>
    requires std::is_pointer_v<It>
  iterator insert(It position, size_type n, Char c) {
    const size_type at = index_of(position);
    replace(at, 0, n, c);
    return raw() + at;
  }
  template <std::input_iterator It>
  iterator insert(const_iterator position, It first, It last) {
    const size_type at = index_of(position);
    replace(position, position, first, last);
    return raw() + at;
  }
  iterator insert(const_iterator position, std::initializer_list<Char> chars) {
    return insert(position, chars.begin(), chars.end());
  }
  ///@}

  /// Removes up to `n` characters from `position` on, one character, or a range. With iterators it returns an
  /// iterator to the character behind them.
  ///@{
  basic_string& erase(size_type position = 0, size_type n = npos) { return replace(position, n, view()); }
  template <std::convertible_to<const_iterator> It>
    requires std::is_pointer_v<It>
  iterator erase(It position) {
    return erase(position, position + 1);
  }
  iterator erase(const_iterator first, const_iterator last) {
    const size_type at = index_of(first);
    replace(at, static_cast<size_type>(last - first), view());
    return raw() + at;
  }
  ///@}

  /// Replaces up to `n` characters from `position` on, or a range, by other characters. The source may be a
  /// part of this string.
  ///@{
  basic_string& replace(size_type position, size_type n, const Char* text) {
    return replace(position, n, view(text));
  }
  basic_string& replace(size_type position, size_type n, const Char* text, size_type text_size) {
    return replace(position, n, view(text, text_size));
  }
  template <class S>
    requires viewable<S>
  basic_string& replace(size_type position, size_type n, const S& text) {
    const view source(text);
    check_position(position);
    replace_checked(position, clamp(position, n), source.data(), source.size());
    return *this;
  }
  template <class S>
    requires viewable<S>
  basic_string& replace(size_type position, size_type n, const S& text, size_type from,
                        size_type text_size = npos) {
    return replace(position, n, view(text).substr(from, text_size));
  }
  basic_string& replace(size_type position, size_type n, size_type count, Char c) {
    check_position(position);
    Char* const gap = open_gap(position, clamp(position, n), count);
    Traits::assign(gap, count, c);
    return *this;
  }
  basic_string& replace(const_iterator first, const_iterator last, const Char* text) {
    return replace(first, last, view(text));
  }
  basic_string& replace(const_iterator first, const_iterator last, const Char* text, size_type n) {
    return replace(first, last, view(text, n));
  }
  basic_string& replace(const_iterator first, const_iterator last, size_type n, Char c) {
    return replace(index_of(first), static_cast<size_type>(last - first), n, c);
  }
  template <class S>
    requires viewable<S>
  basic_string& replace(const_iterator first, const_iterator last, const S& text) {
    return replace(index_of(first), static_cast<size_type>(last - first), view(text));
  }
  basic_string& replace(const_iterator first, const_iterator last, std::initializer_list<Char> chars) {
    return replace(first, last, view(chars.begin(), chars.size()));
  }
  template <std::input_iterator It>
  basic_string& replace(const_iterator first, const_iterator last, It text, It text_end) {
    const size_type at = index_of(first);
    const size_type n = static_cast<size_type>(last - first);
    if constexpr (std::contiguous_iterator<It> && std::is_same_v<std::iter_value_t<It>, Char>) {
      return replace(at, n, view(std::to_address(text), static_cast<size_type>(text_end - text)));
    } else {
      basic_string copy(alloc_);
      for (; text != text_end; ++text) copy.push_back(static_cast<Char>(*text));
      return replace(at, n, view(copy));
    }
  }
  ///@}

  /// Copies up to `n` characters from `position` on to `to`, without a zero, and returns how many.
  size_type copy(Char* to, size_type n, size_type position = 0) const {
    return view(*this).copy(to, n, position);
  }
  /// Exchanges two strings in constant time. Between unequal allocators the characters are copied; if that
  /// throws, neither string has changed.
  ///@{
  void swap(basic_string& other) noexcept(alloc_traits::propagate_on_container_swap::value ||
                                          alloc_traits::is_always_equal::value) {
    if (this == std::addressof(other)) return;
    if constexpr (alloc_traits::propagate_on_container_swap::value) {
      using std::swap;
      swap(alloc_, other.alloc_);
    } else if (!(alloc_ == other.alloc_)) {
      // Both copies are made before either string changes.
      basic_string theirs(other, alloc_);
      basic_string mine(*this, other.alloc_);
      swap(theirs);
      other.swap(mine);
      return;
    }
    representation mine;
    move_words(&mine, this, &words_);
    move_words(&words_, &other, &other.words_, this);
    move_words(&other.words_, this, &mine, &other);
  }
  friend void swap(basic_string& a, basic_string& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }
  ///@}

  /// Searches as `std::basic_string_view` does. Returns the position of the first or last match, or `npos`.
  ///@{
  size_type find(view text, size_type position = 0) const noexcept {
    return view(*this).find(text, position);
  }
  size_type find(const Char* text, size_type position, size_type n) const {
    return find(view(text, n), position);
  }
  size_type find(Char c, size_type position = 0) const noexcept { return view(*this).find(c, position); }
  size_type rfind(view text, size_type position = npos) const noexcept {
    return view(*this).rfind(text, position);
  }
  size_type rfind(const Char* text, size_type position, size_type n) const {
    return rfind(view(text, n), position);
  }
  size_type rfind(Char c, size_type position = npos) const noexcept { return view(*this).rfind(c, position); }
  size_type find_first_of(view set, size_type position = 0) const noexcept {
    return view(*this).find_first_of(set, position);
  }
  size_type find_first_of(const Char* set, size_type position, size_type n) const {
    return find_first_of(view(set, n), position);
  }
  size_type find_first_of(Char c, size_type position = 0) const noexcept { return find(c, position); }
  size_type find_last_of(view set, size_type position = npos) const noexcept {
    return view(*this).find_last_of(set, position);
  }
  size_type find_last_of(const Char* set, size_type position, size_type n) const {
    return find_last_of(view(set, n), position);
  }
  size_type find_last_of(Char c, size_type position = npos) const noexcept { return rfind(c, position); }
  size_type find_first_not_of(view set, size_type position = 0) const noexcept {
    return view(*this).find_first_not_of(set, position);
  }
  size_type find_first_not_of(const Char* set, size_type position, size_type n) const {
    return find_first_not_of(view(set, n), position);
  }
  size_type find_first_not_of(Char c, size_type position = 0) const noexcept {
    return view(*this).find_first_not_of(c, position);
  }
  size_type find_last_not_of(view set, size_type position = npos) const noexcept {
    return view(*this).find_last_not_of(set, position);
  }
  size_type find_last_not_of(const Char* set, size_type position, size_type n) const {
    return find_last_not_of(view(set, n), position);
  }
  size_type find_last_not_of(Char c, size_type position = npos) const noexcept {
    return view(*this).find_last_not_of(c, position);
  }
  ///@}
  /// Returns whether the string begins or ends with the text, or contains it.
  ///@{
  bool starts_with(view text) const noexcept { return view(*this).starts_with(text); }
  bool starts_with(Char c) const noexcept { return view(*this).starts_with(c); }
  bool ends_with(view text) const noexcept { return view(*this).ends_with(text); }
  bool ends_with(Char c) const noexcept { return view(*this).ends_with(c); }
  bool contains(view text) const noexcept { return find(text) != npos; }
  bool contains(Char c) const noexcept { return find(c) != npos; }
  ///@}
  /// Compares with a text, or a part with a part, in the order of `Traits`. Returns a negative number, 0 or a
  /// positive number. The overloads with positions throw `std::out_of_range`.
  ///@{
  int compare(view text) const noexcept { return view(*this).compare(text); }
  int compare(size_type position, size_type n, view text) const {
    return view(*this).compare(position, n, text);
  }
  int compare(size_type position, size_type n, const Char* text, size_type text_size) const {
    return compare(position, n, view(text, text_size));
  }
  int compare(size_type position, size_type n, view text, size_type from, size_type text_size = npos) const {
    return compare(position, n, text.substr(from, text_size));
  }
  ///@}
  /// Returns up to `n` characters from `position` on as a string, with the allocator that a copy of this one
  /// would have.
  basic_string substr(size_type position = 0, size_type n = npos) const {
    return basic_string(view(*this).substr(position, n),
                        alloc_traits::select_on_container_copy_construction(alloc_));
  }

  /// Compares the characters, in the order of `Traits`; also with everything that converts to a view.
  ///@{
  friend bool operator==(const basic_string& a, const basic_string& b) noexcept { return view(a) == view(b); }
  friend auto operator<=>(const basic_string& a, const basic_string& b) noexcept {
    return view(a) <=> view(b);
  }
  template <class S>
    requires other_text<S>
  friend bool operator==(const basic_string& a, const S& b) noexcept {
    return view(a) == view(b);
  }
  template <class S>
    requires other_text<S>
  friend auto operator<=>(const basic_string& a, const S& b) noexcept {
    return view(a) <=> view(b);
  }
  ///@}

  /// Returns both texts in one string, with the allocator that a copy of the string would have. An rvalue on
  /// the left is extended in place.
  ///@{
  friend basic_string operator+(const basic_string& a, const basic_string& b) {
    return joined(a, b, a.alloc_);
  }
  friend basic_string operator+(basic_string&& a, const basic_string& b) {
    return std::move(a.append(view(b)));
  }
  template <class S>
    requires other_text<S>
  friend basic_string operator+(const basic_string& a, const S& b) {
    return joined(a, b, a.alloc_);
  }
  template <class S>
    requires other_text<S>
  friend basic_string operator+(basic_string&& a, const S& b) {
    return std::move(a.append(view(b)));
  }
  template <class S>
    requires other_text<S>
  friend basic_string operator+(const S& a, const basic_string& b) {
    return joined(a, b, b.alloc_);
  }
  friend basic_string operator+(const basic_string& a, Char b) { return joined(a, view(&b, 1), a.alloc_); }
  friend basic_string operator+(basic_string&& a, Char b) {
    a.push_back(b);
    return std::move(a);
  }
  friend basic_string operator+(Char a, const basic_string& b) { return joined(view(&a, 1), b, b.alloc_); }
  ///@}

  /// Appends a name to a path, as `std::filesystem::path` does.
  template <class Path>
    requires std::is_same_v<decltype(Path::preferred_separator), const typename Path::value_type>
  friend Path operator/(const Path& directory, const basic_string& name) {
    return directory / Path(view(name));
  }

  /// Writes the characters, with the stream's width and fill.
  template <class Stream>
    requires std::is_base_of_v<std::basic_ostream<Char, Traits>, Stream>
  friend Stream& operator<<(Stream& out, const basic_string& text) {
    out << view(text);
    return out;
  }
  /// Reads a word, as `std::basic_string` does. Reads into ordinary memory first.
  template <class Stream>
    requires std::is_base_of_v<std::basic_istream<Char, Traits>, Stream>
  friend Stream& operator>>(Stream& in, basic_string& text) {
    std::basic_string<Char, Traits> word(text);
    in >> word;
    text = word;
    return in;
  }
  /// Reads up to the next `delimiter`, which is taken away, or up to the end. Without one a line is read.
  ///@{
  template <class Stream>
    requires std::is_base_of_v<std::basic_istream<Char, Traits>, std::remove_reference_t<Stream>>
  friend std::remove_reference_t<Stream>& getline(Stream&& in, basic_string& text, Char delimiter) {
    std::basic_string<Char, Traits> line(text);
    std::getline(in, line, delimiter);
    text = line;
    return in;
  }
  template <class Stream>
    requires std::is_base_of_v<std::basic_istream<Char, Traits>, std::remove_reference_t<Stream>>
  friend std::remove_reference_t<Stream>& getline(Stream&& in, basic_string& text) {
    return getline(in, text, in.widen('\n'));
  }
  ///@}

  /// Says where a store finds the characters; see stored_form.hpp.
  static auto stored_form()
    requires(sizeof(Char) == 1)
  {
    static_assert(sizeof(representation) == 24 && distance_word == 0 && size_word == 1 &&
                      capacity_word == 2 && long_flag >> 63 == 1,
                  "readers of stores know strings as they are here");
    return detail::stored_string<basic_string>(detail::offset_of(&basic_string::words_));
  }

 private:
  friend struct relocator<basic_string>;

  // 24 bytes, all zero for an empty string. The last byte is the size of a short string, whose characters
  // begin at the first byte; or it has its top bit set, and the words are the distance from this object to
  // the characters, the size, and the capacity (whose top byte that is).
  static constexpr int distance_word = 0;
  static constexpr int size_word = 1;
  static constexpr int capacity_word = 2;
  static constexpr std::uint64_t long_flag = std::uint64_t{1} << 63;
  static constexpr size_type short_capacity = 23 / sizeof(Char) - 1;
  struct alignas(8) representation {
    std::byte bytes[24] = {};
  };

  unsigned last_byte() const noexcept { return static_cast<unsigned>(words_.bytes[23]); }
  bool is_long() const noexcept { return last_byte() >= 0x80; }
  static std::uint64_t load(const representation& words, int index) noexcept {
    std::uint64_t word;
    std::memcpy(&word, words.bytes + 8 * index, 8);
    return word;
  }
  static void store(representation& words, int index, std::uint64_t word) noexcept {
    std::memcpy(words.bytes + 8 * index, &word, 8);
  }
  std::uint64_t load(int index) const noexcept { return load(words_, index); }

  Char* raw() const noexcept {
    const auto here = reinterpret_cast<std::uintptr_t>(this);
    const auto inside = reinterpret_cast<std::uintptr_t>(words_.bytes);
    return detail::pointer_at<Char>(is_long() ? here + load(distance_word) : inside);
  }
  /// The representation of a string at `from`, as one at `to` must have it.
  static void move_words(representation* words, const void* from, const representation* old,
                         const void* to = nullptr) noexcept {
    *words = *old;
    const std::uint64_t moved =
        to == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(to);
    const std::uint64_t if_long = std::uint64_t{0} - (load(*old, capacity_word) >> 63);
    store(*words, distance_word, load(*old, distance_word) + (moved & if_long));
  }

  void set_size(size_type n) noexcept {
    if (is_long()) {
      store(words_, size_word, n);
    } else {
      words_.bytes[23] = static_cast<std::byte>(n);
    }
    raw()[n] = Char();
  }
  void become_empty() noexcept { words_ = representation{}; }
  void adopt(Char* block, size_type n, size_type capacity) noexcept {
    store(words_, distance_word,
          reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(this));
    store(words_, size_word, n);
    store(words_, capacity_word, capacity | long_flag);
  }
  void free_memory() noexcept {
    if (is_long()) detail::deallocate_raw(alloc_, raw(), capacity() + 1);
  }
  void take(basic_string& other) noexcept {
    move_words(&words_, &other, &other.words_, this);
    other.become_empty();
  }

  void check_length(size_type n) const {
    if (n > max_size()) detail::throw_too_long("perdure::string: longer than max_size()");
  }
  void check_index(size_type i) const {
    if (i >= size()) detail::throw_out_of_range("perdure::string::at: no such character");
  }
  void check_position(size_type position) const {
    if (position > size()) detail::throw_out_of_range("perdure::string: position beyond the end");
  }
  size_type clamp(size_type position, size_type n) const noexcept {
    const size_type rest = size() - position;
    return n < rest ? n : rest;
  }
  size_type index_of(const_iterator position) const noexcept {
    return static_cast<size_type>(position - raw());
  }
  size_type grown_capacity(size_type extra) const {
    const size_type most = max_size();
    if (extra > most - size()) detail::throw_too_long("perdure::string: longer than max_size()");
    const size_type needed = size() + extra;
    const size_type old = capacity();
    const size_type doubled = old > most / 2 ? most : 2 * old + 1;
    return doubled < needed ? needed : doubled;
  }

  void start_with(view text) {
    if (text.size() > short_capacity) {
      check_length(text.size());
      adopt(detail::allocate_raw(alloc_, text.size() + 1), text.size(), text.size());
    }
    Traits::copy(raw(), text.data(), text.size());
    set_size(text.size());
  }
  void change_capacity(size_type n) {
    const size_type length = size();
    if (n <= short_capacity) {
      if (!is_long()) return;
      Char* const block = raw();
      const size_type old = capacity();
      become_empty();
      Traits::copy(raw(), block, length);
      set_size(length);
      detail::deallocate_raw(alloc_, block, old + 1);
      return;
    }
    if (is_long() && n > capacity() && detail::try_expand(alloc_, raw(), capacity() + 1, n + 1)) {
      store(words_, capacity_word, n | long_flag);
      return;
    }
    Char* const block = detail::allocate_raw(alloc_, n + 1);
    Traits::copy(block, raw(), length + 1);
    free_memory();
    adopt(block, length, n);
  }
  /// Replaces `n` characters by `count` unspecified ones and returns the first of those.
  Char* open_gap(size_type position, size_type n, size_type count) {
    const size_type old = size();
    if (count > n && count - n > capacity() - old) change_capacity(grown_capacity(count - n));
    Char* const gap = raw() + position;
    if (n != count) {
      Traits::move(gap + count, gap + n, old - position - n);
      set_size(old - n + count);
    }
    return gap;
  }
  void replace_checked(size_type position, size_type n, const Char* text, size_type text_size) {
    const Char* const first = raw();
    const std::less<const Char*> before;
    const bool aliased = text_size != 0 && !before(text, first) && !before(first + size(), text);
    if (aliased && n != text_size) {
      // The text is part of this string and is about to move.
      const basic_string copied(view(text, text_size), alloc_);
      Traits::copy(open_gap(position, n, text_size), copied.raw(), text_size);
    } else {
      Char* const gap = open_gap(position, n, text_size);
      if (text_size != 0) Traits::move(gap, text, text_size);
    }
  }
  static basic_string joined(view a, view b, const Allocator& alloc) {
    basic_string result(alloc_traits::select_on_container_copy_construction(alloc));
    result.reserve(a.size() + b.size());
    result.append(a);
    result.append(b);
    return result;
  }

  [[no_unique_address]] Allocator alloc_;
  representation words_;
};

/// Strings of the usual characters, whose memory is a store's or ordinary memory.
///@{
using string = basic_string<char>;
using wstring = basic_string<wchar_t>;
using u8string = basic_string<char8_t>;
using u16string = basic_string<char16_t>;
using u32string = basic_string<char32_t>;
///@}

/// Removes all characters that equal `value`, or for which `predicate` is true. Returns their number. Linear.
///@{
template <class Char, class Traits, class Allocator, class U>
std::size_t erase(basic_string<Char, Traits, Allocator>& text, const U& value) {
  return erase_if(text, [&](Char c) { return c == value; });
}
template <class Char, class Traits, class Allocator, class Predicate>
std::size_t erase_if(basic_string<Char, Traits, Allocator>& text, Predicate predicate) {
  Char* kept = text.begin();
  for (Char* it = text.begin(); it != text.end(); ++it) {
    if (!predicate(*it)) *kept++ = *it;
  }
  const auto erased = static_cast<std::size_t>(text.end() - kept);
  text.resize(text.size() - erased);
  return erased;
}
///@}

/// Moves a string to other memory; see relocation.hpp.
template <class Char, class Traits, class Allocator>
struct relocator<basic_string<Char, Traits, Allocator>> {
  /// The string that is moved.
  using string_type = basic_string<Char, Traits, Allocator>;
  /// Moves `from` to raw memory at `to`, and ends its life.
  static void relocate(string_type* to, string_type* from) noexcept {
    if constexpr (!std::is_empty_v<Allocator>) {
      detail::relocate_at(std::addressof(to->alloc_), std::addressof(from->alloc_));
    }
    string_type::move_words(&to->words_, from, &from->words_, to);
  }
};

}  // namespace perdure

/// Hashes a string as `perdure::hash` does: the same value in every run.
template <class Char, class Traits, class Allocator>
struct std::hash<perdure::basic_string<Char, Traits, Allocator>> {
  /// Returns the hash of the characters.
  std::size_t operator()(const perdure::basic_string<Char, Traits, Allocator>& text) const noexcept {
    return perdure::hash<perdure::basic_string<Char, Traits, Allocator>>{}(text);
  }
};
