// Makes a container of another library look where it lies, as Perdure's own do.
#pragma once

#include <initializer_list>
#include <memory>
#include <perdure/allocator.hpp>
#include <perdure/container/detail/copy_moved.hpp>
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
  locating(locating&& other) noexcept : Base(allocator_after_move(other.get_allocator(), this)) {
    if (!self_locating<allocator_type> || this->get_allocator() == other.get_allocator()) {
      Base::swap(other);
    } else {
      copy_moved(*this, other);
    }
  }
  locating(const locating& other, const std::type_identity_t<allocator_type>& alloc)
      : Base(static_cast<const Base&>(other), alloc) {}
  locating(locating&& other, const std::type_identity_t<allocator_type>& alloc)
      : Base(static_cast<Base&&>(other), alloc) {}
  ~locating() = default;

  locating& operator=(const locating&) = default;
  locating& operator=(locating&&) = default;
  using Base::operator=;
};

}  // namespace perdure::detail
