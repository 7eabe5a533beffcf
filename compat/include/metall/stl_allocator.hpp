// The allocator of containers in a store.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <metall/logger.hpp>
#include <metall/offset_ptr.hpp>
#include <new>
#include <perdure/allocator.hpp>
#include <type_traits>
#include <utility>

namespace metall {

/// A standard allocator whose memory is in a store; get one from `manager::get_allocator`.
///
/// Holds the distance to its store, so it may be stored there. Two are equal when they belong to the same
/// open store. It does not travel with a container's content: a container that is assigned one of another
/// store copies the elements into its own store. Elements that take an allocator get it without a
/// `scoped_allocator_adaptor` too.
template <typename T, typename Kernel>
class stl_allocator {
  using native = perdure::allocator<T>;

 public:
  using value_type = T;
  using pointer = offset_ptr<T>;
  using const_pointer = offset_ptr<const T>;
  using void_pointer = offset_ptr<void>;
  using const_void_pointer = offset_ptr<const void>;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::false_type;
  using propagate_on_container_swap = std::false_type;
  using is_always_equal = std::false_type;
  using manager_kernel_type = Kernel;

  template <typename U>
  struct rebind {
    using other = stl_allocator<U, Kernel>;
  };

  /// Belongs to no store: allocation throws. What a bad manager gives.
  stl_allocator(std::nullptr_t) noexcept {}
  /// Any of Perdure's allocators of the same store.
  template <typename Native>
    requires requires(const Native& other) {
      { other.anchor() } -> std::same_as<std::byte*>;
    }
  stl_allocator(const Native& other) noexcept : anchor_(other.anchor()) {}
  template <typename U>
  stl_allocator(const stl_allocator<U, Kernel>& other) noexcept
      : anchor_(other.get_pointer_to_manager_kernel()) {}
  stl_allocator(const stl_allocator&) noexcept = default;
  stl_allocator& operator=(const stl_allocator&) noexcept = default;
  template <typename U>
  stl_allocator& operator=(const stl_allocator<U, Kernel>& other) noexcept {
    anchor_ = other.get_pointer_to_manager_kernel();
    return *this;
  }

  /// `std::bad_array_new_length` above `max_size()`; `std::bad_alloc` where the store or the disk is full, or
  /// where there is no store.
  pointer allocate(const size_type n) const {
    if (n > max_size()) throw std::bad_array_new_length();
    perdure::heap* const memory = heap();
    if (memory == nullptr) {
      logger::out(logger::level::error, __FILE__, __LINE__,
                  "an allocator was used that belongs to no open store");
      throw std::bad_alloc();
    }
    return native(*memory).allocate_raw(n);
  }
  void deallocate(const pointer& p, const size_type n) const noexcept {
    if (perdure::heap* const memory = heap()) native(*memory).deallocate_raw(p.get(), n);
  }
  size_type max_size() const noexcept { return native::max_size(); }

  template <typename U, typename... Args>
  void construct(U* const p, Args&&... args) const {
    // This one may belong to no store, as an allocator that an adaptor put aside does.
    perdure::heap* const memory = heap();
    perdure::fallback_allocator<T> passed_on =
        memory == nullptr ? perdure::fallback_allocator<T>() : perdure::fallback_allocator<T>(*memory);
    passed_on.construct(p, std::forward<Args>(args)...);
  }
  template <typename U, typename... Args>
  void construct(const offset_ptr<U>& p, Args&&... args) const {
    construct(p.get(), std::forward<Args>(args)...);
  }
  template <typename U>
  void destroy(U* const p) const {
    std::destroy_at(p);
  }
  template <typename U>
  void destroy(const offset_ptr<U>& p) const {
    std::destroy_at(p.get());
  }

  stl_allocator select_on_container_copy_construction() const noexcept { return *this; }

  /// Tells stores apart; null without one.
  std::byte* get_pointer_to_manager_kernel() const noexcept { return anchor_.get(); }

 private:
  perdure::heap* heap() const noexcept {
    return anchor_ ? perdure::heap::containing(anchor_.get()) : nullptr;
  }

  offset_ptr<std::byte> anchor_;  // the first byte of the store
};

template <typename T, typename U, typename Kernel>
bool operator==(const stl_allocator<T, Kernel>& a, const stl_allocator<U, Kernel>& b) noexcept {
  return a.get_pointer_to_manager_kernel() == b.get_pointer_to_manager_kernel();
}

}  // namespace metall
