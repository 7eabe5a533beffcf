// Makes a container of another library look where it lies, as Perdure's own do.
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/copy_moved.hpp>
#include <perdure/detail/copyable.hpp>
#include <perdure/detail/failed_move.hpp>
#include <type_traits>
#include <utility>

namespace perdure::detail {

/// A `Base` that needs no allocator, if its allocator can be made from nothing or from where the container
/// lies, and that copies its elements when it is moved into a store from elsewhere. `Base` alone would keep
/// memory that the next run does not have.
template <class Base>
class locating : public Base {
 public:
  using allocator_type = typename Base::allocator_type;
  using value_type = typename Base::value_type;

  locating()
    requires made_without_a_store<allocator_type>
      : Base(allocator_without_a_store<allocator_type>()) {}
  using Base::Base;
  locating(std::initializer_list<value_type> values)
    requires made_without_a_store<allocator_type>
      : Base(values, allocator_without_a_store<allocator_type>()) {}
  locating(const locating&) = default;
  locating(locating&& other) noexcept : Base(moved(other, this)) {}
  locating(const locating& other, const std::type_identity_t<allocator_type>& alloc)
      : Base(static_cast<const Base&>(other), alloc) {}
  locating(locating&& other, const std::type_identity_t<allocator_type>& alloc)
      : Base(static_cast<Base&&>(other), alloc) {}
  ~locating() = default;

  locating& operator=(const locating&) = default;
  locating& operator=(locating&& other) noexcept(std::is_nothrow_move_assignable_v<Base>) {
    const auto assign = [&] { Base::operator=(static_cast<Base&&>(other)); };
    const allocator_type theirs = other.get_allocator();
    if (this->get_allocator() == theirs) {
      assign();
    } else {
      assign_elementwise(*this, other, store_of(theirs), assign);
    }
    return *this;
  }
  using Base::operator=;

  /// Between stores the elements are copied; if that throws, neither container has changed. (Elements that
  /// can only be moved may be lost then.) Each derived class has a free `swap` of its own, of exactly its
  /// type: std::swap is a better match than one of this class.
  void swap(locating& other) {
    if (this->get_allocator() == other.get_allocator()) return Base::swap(other);
    locating theirs(copied_if_possible(other), this->get_allocator());
    locating mine(copied_if_possible(*this), other.get_allocator());
    Base::swap(theirs);
    other.Base::swap(mine);
  }

 private:
  /// Returns a container at `where` with the elements of `other`.
  static Base moved(locating& other, const void* where) noexcept {
    if constexpr (self_locating<allocator_type>) {
      const allocator_type alloc = allocator_after_move(other.get_allocator(), std::addressof(other), where);
      if (!(alloc == other.get_allocator())) return elements_moved(other, alloc, where);
    }
    return Base(static_cast<Base&&>(other));
  }
  static Base elements_moved(Base& other, const allocator_type& alloc, const void* where) noexcept {
    try {
      if constexpr (std::is_move_constructible_v<value_type>) {
        return Base(static_cast<Base&&>(other), alloc);
      } else if (!other.empty()) {
        throw_elements_cannot_follow();
      }
    } catch (...) {
      note_failed_move(where);
    }
    if constexpr (requires { other.hash_function(); }) {
      return Base(0, other.hash_function(), other.key_eq(), alloc);
    } else if constexpr (requires { other.key_comp(); }) {
      return Base(other.key_comp(), alloc);
    } else {
      return Base(alloc);
    }
  }
};

/// A key that a map can find without making a `key_type` of it, and from which it can make one.
template <class K, class Map>
concept stands_for_a_key_of =
    !std::is_convertible_v<const K&, typename Map::key_type> &&
    std::is_constructible_v<typename Map::key_type, const K&> && requires(Map& map, const K& key) {
      { map.find(key) } -> std::same_as<typename Map::iterator>;
    };

}  // namespace perdure::detail
