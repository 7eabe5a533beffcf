// An allocator that may be made from nothing: it then takes ordinary memory.
#pragma once

#include <cstddef>
#include <memory>
#include <metall/stl_allocator.hpp>
#include <new>
#include <type_traits>
#include <utility>

namespace metall::container {

/// Lets the same container type live in a store and, for a while, on the stack.
///
/// Made from an allocator of a store it is that allocator; made from nothing it uses `std::allocator`. It
/// does not travel with a container's content, so content that is assigned from ordinary memory to a
/// container in a store is copied into the store.
template <typename StatefulAllocator>
class fallback_allocator_adaptor {
  using stateful = std::remove_cvref_t<StatefulAllocator>;
  using stateful_traits = std::allocator_traits<stateful>;
  static_assert(!std::is_default_constructible_v<stateful>,
                "the adapted allocator must need an argument, since none is what asks for ordinary memory");

 public:
  using stateful_allocator_type = stateful;
  using primary_allocator_type = stateful;
  using value_type = typename stateful_traits::value_type;
  using pointer = typename stateful_traits::pointer;
  using const_pointer = typename stateful_traits::const_pointer;
  using void_pointer = typename stateful_traits::void_pointer;
  using const_void_pointer = typename stateful_traits::const_void_pointer;
  using difference_type = typename stateful_traits::difference_type;
  using size_type = typename stateful_traits::size_type;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::false_type;
  using propagate_on_container_swap = std::false_type;
  using is_always_equal = std::false_type;

  template <typename U>
  struct rebind {
    using other = fallback_allocator_adaptor<typename stateful_traits::template rebind_alloc<U>>;
  };

  fallback_allocator_adaptor() noexcept : stateful_(nullptr) {}
  template <typename Other>
    requires std::is_constructible_v<stateful, const Other&>
  fallback_allocator_adaptor(const fallback_allocator_adaptor<Other>& other) noexcept
      : stateful_(other.stateful_allocator()) {}
  template <typename Other>
    requires(std::is_constructible_v<stateful, const Other&> && !std::is_same_v<Other, std::nullptr_t>)
  fallback_allocator_adaptor(const Other& allocator) noexcept : stateful_(allocator) {}
  fallback_allocator_adaptor(const fallback_allocator_adaptor&) noexcept = default;
  fallback_allocator_adaptor& operator=(const fallback_allocator_adaptor&) noexcept = default;

  /// `std::bad_array_new_length` above `max_size()`; `std::bad_alloc`.
  pointer allocate(const size_type n) const {
    if (stateful_allocator_available()) return stateful_.allocate(n);
    if (n > max_size()) throw std::bad_array_new_length();
    return std::allocator<value_type>{}.allocate(n);
  }
  void deallocate(const pointer& p, const size_type n) const noexcept {
    if (stateful_allocator_available()) {
      stateful_.deallocate(p, n);
    } else if (p) {
      std::allocator<value_type>{}.deallocate(std::to_address(p), n);
    }
  }
  size_type max_size() const noexcept { return stateful_.max_size(); }

  template <typename U, typename... Args>
  void construct(U* const p, Args&&... args) const {
    stateful_.construct(p, std::forward<Args>(args)...);
  }
  template <typename U, typename... Args>
  void construct(const offset_ptr<U>& p, Args&&... args) const {
    stateful_.construct(p.get(), std::forward<Args>(args)...);
  }
  template <typename U>
  void destroy(U* const p) const {
    std::destroy_at(p);
  }
  template <typename U>
  void destroy(const offset_ptr<U>& p) const {
    std::destroy_at(p.get());
  }

  /// Whether it belongs to a store.
  bool stateful_allocator_available() const noexcept {
    return stateful_.get_pointer_to_manager_kernel() != nullptr;
  }
  stateful_allocator_type& stateful_allocator() noexcept { return stateful_; }
  const stateful_allocator_type& stateful_allocator() const noexcept { return stateful_; }
  stateful_allocator_type& get_stateful_allocator() noexcept { return stateful_; }
  const stateful_allocator_type& get_stateful_allocator() const noexcept { return stateful_; }
  primary_allocator_type& primary_allocator() noexcept { return stateful_; }
  const primary_allocator_type& primary_allocator() const noexcept { return stateful_; }

 private:
  stateful_allocator_type stateful_;
};

template <typename A, typename B>
bool operator==(const fallback_allocator_adaptor<A>& a, const fallback_allocator_adaptor<B>& b) noexcept {
  return a.stateful_allocator() == b.stateful_allocator();
}

template <typename StatefulAllocator>
using fallback_allocator = fallback_allocator_adaptor<StatefulAllocator>;

}  // namespace metall::container
