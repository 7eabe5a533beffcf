// A pointer that survives being mapped at another address: it stores the distance from itself to its target.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <perdure/relocation.hpp>
#include <type_traits>

namespace perdure {

/// Self-relative pointer, the `pointer` type of `perdure::allocator`.
///
/// Null is the all-zero representation, so zeroed memory holds null pointers. The stored value is biased by
/// one, so that a pointer to itself (as in a circular list's sentinel) is not null. The one address that it
/// cannot hold is the byte after its own first byte, which no aligned object has. Copying re-computes the
/// distance, so the pointer is not trivially copyable: never `memcpy` one alone. Comparison, ordering,
/// arithmetic and hashing are those of the raw pointers. Thread safety is that of a raw pointer.
template <class T>
class offset_ptr {
 public:
  /// Member types of a pointer, as `std::pointer_traits` and iterators ask for them.
  ///@{
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using pointer = T*;
  using difference_type = std::ptrdiff_t;
  ///@}
  /// The number that holds the distance.
  using offset_type = std::uintptr_t;
  /// The pointer is an iterator, as a raw pointer is.
  using iterator_category = std::random_access_iterator_tag;
  /// The reference to an element. For `offset_ptr<void>` it is a placeholder, which pointer traits ask for
  /// and nothing uses.
  using reference = std::conditional_t<std::is_void_v<T>, char, T>&;
  /// The same kind of pointer to another type.
  template <class U>
  using rebind = offset_ptr<U>;
  /// Makes `rebind<U>::other` the same as `rebind<U>`, as of an allocator.
  using other = offset_ptr;

  /// Makes a null pointer, or one to `target`, or to what `from` points to.
  ///@{
  constexpr offset_ptr() noexcept = default;
  offset_ptr(T* target) noexcept { set(target); }
  offset_ptr(const offset_ptr& from) noexcept { set(from.get()); }
  template <class U>
    requires std::is_convertible_v<U*, T*>
  offset_ptr(const offset_ptr<U>& from) noexcept {
    set(from.get());
  }
  ///@}
  /// Casts from a related type as `static_cast` does. Boost.Container's pointer traits use it.
  template <class U>
    requires(!std::is_convertible_v<U*, T*>)
  explicit offset_ptr(const offset_ptr<U>& from) noexcept {
    set(static_cast<T*>(from.get()));
  }

  /// Points to what `from` points to, or to `target`.
  ///@{
  offset_ptr& operator=(const offset_ptr& from) noexcept {
    set(from.get());
    return *this;
  }
  offset_ptr& operator=(T* target) noexcept {
    set(target);
    return *this;
  }
  template <class U>
    requires std::is_convertible_v<U*, T*>
  offset_ptr& operator=(const offset_ptr<U>& from) noexcept {
    set(from.get());
    return *this;
  }
  ///@}

  /// Returns the raw pointer, valid while the store stays open. Costs one addition and one conditional move.
  T* get() const noexcept {
    const std::uintptr_t distance = load();
    const std::uintptr_t target = reinterpret_cast<std::uintptr_t>(this) + distance + 1;
    return reinterpret_cast<T*>(distance == 0 ? 0 : target);
  }

  /// Accesses the target, or the element `index` places behind it. The pointer must not be null.
  ///@{
  T* operator->() const noexcept { return get(); }
  template <class U = T>
  std::add_lvalue_reference_t<U> operator*() const noexcept {
    return *get();
  }
  template <class U = T>
  std::add_lvalue_reference_t<U> operator[](difference_type index) const noexcept {
    return get()[index];
  }
  ///@}
  /// Tells whether the pointer is not null (`bool`), or null (`!`).
  ///@{
  explicit operator bool() const noexcept { return load() != 0; }
  bool operator!() const noexcept { return load() == 0; }
  ///@}

  /// Converts from an object to a pointer and from a pointer to its address, as `std::pointer_traits` asks
  /// for it.
  ///@{
  template <class U = T>
  static offset_ptr pointer_to(std::add_lvalue_reference_t<U> object) noexcept {
    return offset_ptr(std::addressof(object));
  }
  static T* to_address(const offset_ptr& p) noexcept { return p.get(); }
  ///@}

  /// Casts as the C++ cast of that name. boost::intrusive::pointer_traits finds them by argument-dependent
  /// lookup.
  ///@{
  template <class U>
  static offset_ptr static_cast_from(const offset_ptr<U>& p) noexcept {
    return offset_ptr(static_cast<T*>(p.get()));
  }
  template <class U>
  static offset_ptr const_cast_from(const offset_ptr<U>& p) noexcept {
    return offset_ptr(const_cast<T*>(p.get()));
  }
  template <class U>
  static offset_ptr dynamic_cast_from(const offset_ptr<U>& p) noexcept {
    return offset_ptr(dynamic_cast<T*>(p.get()));
  }
  ///@}

  /// Moves the pointer by elements, or subtracts two pointers, as of raw pointers.
  ///@{
  offset_ptr& operator+=(difference_type n) noexcept {
    set(get() + n);
    return *this;
  }
  offset_ptr& operator-=(difference_type n) noexcept { return *this += -n; }
  offset_ptr& operator++() noexcept { return *this += 1; }
  offset_ptr& operator--() noexcept { return *this += -1; }
  offset_ptr operator++(int) noexcept {
    offset_ptr old(*this);
    ++*this;
    return old;
  }
  offset_ptr operator--(int) noexcept {
    offset_ptr old(*this);
    --*this;
    return old;
  }
  friend offset_ptr operator+(const offset_ptr& p, difference_type n) noexcept {
    return offset_ptr(p.get() + n);
  }
  friend offset_ptr operator+(difference_type n, const offset_ptr& p) noexcept {
    return offset_ptr(p.get() + n);
  }
  friend offset_ptr operator-(const offset_ptr& p, difference_type n) noexcept {
    return offset_ptr(p.get() - n);
  }
  friend difference_type operator-(const offset_ptr& a, const offset_ptr& b) noexcept {
    return a.get() - b.get();
  }
  ///@}

  /// Exchanges the targets of two pointers.
  friend void swap(offset_ptr& a, offset_ptr& b) noexcept {
    T* const target = a.get();
    a.set(b.get());
    b.set(target);
  }

  /// Compares addresses, also with raw pointers. The order is that of `std::compare_three_way`, total for
  /// pointers into different objects.
  ///@{
  friend bool operator==(const offset_ptr& p, std::nullptr_t) noexcept { return !p; }
  template <class U>
  friend bool operator==(const offset_ptr& a, const offset_ptr<U>& b) noexcept {
    return a.get() == b.get();
  }
  template <class U>
    requires(!std::is_same_v<U, std::nullptr_t>)
  friend bool operator==(const offset_ptr& a, U* b) noexcept {
    return a.get() == b;
  }
  template <class U>
  friend auto operator<=>(const offset_ptr& a, const offset_ptr<U>& b) noexcept {
    return std::compare_three_way{}(a.get(), b.get());
  }
  template <class U>
  friend auto operator<=>(const offset_ptr& a, U* b) noexcept {
    return std::compare_three_way{}(a.get(), b);
  }
  ///@}

 private:
  friend struct relocator<offset_ptr>;

  void set(T* target) noexcept {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(target);
    store(address == 0 ? 0 : address - reinterpret_cast<std::uintptr_t>(this) - 1);
  }

  // As bytes: Boost.Container reads an offset_ptr<X> as an offset_ptr<Y> where it takes its own pair for a
  // std::pair (flat_map's iterators), and compilers may take the words of two classes for different ones.
  offset_type load() const noexcept {
    offset_type distance;
    std::memcpy(&distance, &distance_, sizeof distance);
    return distance;
  }
  void store(offset_type distance) noexcept { std::memcpy(&distance_, &distance, sizeof distance); }

  offset_type distance_ = 0;
};

/// Casts as the functions of the same names do for the standard's shared pointers.
///@{
template <class T, class U>
offset_ptr<T> static_pointer_cast(const offset_ptr<U>& p) noexcept {
  return static_cast<T*>(p.get());
}
template <class T, class U>
offset_ptr<T> const_pointer_cast(const offset_ptr<U>& p) noexcept {
  return const_cast<T*>(p.get());
}
template <class T, class U>
offset_ptr<T> dynamic_pointer_cast(const offset_ptr<U>& p) noexcept {
  return dynamic_cast<T*>(p.get());
}
template <class T, class U>
offset_ptr<T> reinterpret_pointer_cast(const offset_ptr<U>& p) noexcept {
  return reinterpret_cast<T*>(p.get());
}
///@}

/// The distance changes by as much as the pointer moves.
template <class T>
struct relocator<offset_ptr<T>> {
  /// Moves `from` to raw memory at `to`, and ends its life.
  static void relocate(offset_ptr<T>* to, offset_ptr<T>* from) noexcept {
    const std::uintptr_t moved =
        reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(to);
    const std::uintptr_t distance = from->load();
    to->store(distance == 0 ? 0 : distance + moved);
  }
};

}  // namespace perdure

/// Hashes the address, which another run may not have: no hash to be kept in a store.
template <class T>
struct std::hash<perdure::offset_ptr<T>> {
  /// Returns the hash of the raw pointer.
  std::size_t operator()(const perdure::offset_ptr<T>& p) const noexcept { return std::hash<T*>{}(p.get()); }
};
