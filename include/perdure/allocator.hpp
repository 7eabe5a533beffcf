// Allocators that put the elements of a container into a store's heap.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <perdure/detail/construct_element.hpp>
#include <perdure/heap.hpp>
#include <perdure/offset_ptr.hpp>
#include <perdure/relocation.hpp>
#include <type_traits>
#include <utility>

namespace perdure {

namespace detail {
/// Common part of the allocators below; `Pointer` is what containers store.
template <class T, class Pointer>
class allocator_base {
 public:
  using value_type = T;
  using pointer = Pointer;
  using const_pointer = typename std::pointer_traits<Pointer>::template rebind<const T>;
  using void_pointer = typename std::pointer_traits<Pointer>::template rebind<void>;
  using const_void_pointer = typename std::pointer_traits<Pointer>::template rebind<const void>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::false_type;
  using propagate_on_container_swap = std::false_type;
  using is_always_equal = std::false_type;

  static constexpr size_type max_size() noexcept {
    return static_cast<size_type>(std::numeric_limits<difference_type>::max()) / sizeof(T);
  }

 protected:
  static void* allocate_in(heap* memory, size_type n) {
    if (n > max_size()) throw std::bad_array_new_length();
    if constexpr (alignof(T) > 16) return memory->allocate(n * sizeof(T), alignof(T));
    return memory->allocate(n * sizeof(T));
  }
};
}  // namespace detail

/// The standard allocator of a relocatable store: containers keep offset pointers.
///
/// Not default-constructible: get one from `manager::get_allocator<T>()`. Like
/// `std::pmr::polymorphic_allocator` it constructs allocator-aware elements with itself
/// (uses-allocator construction), so a `vector<string>` puts its strings in the same store.
/// Two allocators are equal when they belong to the same open store.
template <class T>
class allocator : public detail::allocator_base<T, offset_ptr<T>> {
  using base = detail::allocator_base<T, offset_ptr<T>>;

 public:
  using typename base::pointer;
  using typename base::size_type;
  template <class U>
  struct rebind {
    using other = allocator<U>;
  };

  explicit allocator(heap& memory) noexcept : anchor_(memory.base()) {}
  allocator(const allocator&) noexcept = default;
  template <class U>
  allocator(const allocator<U>& other) noexcept : anchor_(other.anchor()) {}
  allocator& operator=(const allocator&) noexcept = default;

  pointer allocate(size_type n) { return static_cast<T*>(this->allocate_in(memory(), n)); }
  void deallocate(const pointer& p, size_type) noexcept { memory()->deallocate(p.get()); }
  void deallocate(T* p, size_type) noexcept { memory()->deallocate(p); }

  /// As `allocate` and `deallocate`, without the detour through an offset pointer.
  T* allocate_raw(size_type n) { return static_cast<T*>(this->allocate_in(memory(), n)); }
  void deallocate_raw(T* p, size_type) noexcept { memory()->deallocate(p); }
  /// Grows the block of `p` to `n` elements without moving it, if it can.
  bool try_expand(T* p, size_type n) noexcept { return memory()->try_expand(p, n * sizeof(T)); }

  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    detail::construct_element(p, *this, std::forward<Args>(args)...);
  }
  template <class U>
  void destroy(U* p) noexcept {
    std::destroy_at(p);
  }

  heap* memory() const noexcept { return heap::containing(anchor_.get()); }
  std::byte* anchor() const noexcept { return anchor_.get(); }

  template <class U>
  friend bool operator==(const allocator& a, const allocator<U>& b) noexcept {
    return a.anchor() == b.anchor();
  }

 private:
  friend struct relocator<allocator>;
  offset_ptr<std::byte> anchor_;  // the first byte of the heap's segment
};

/// As `allocator`, but default-constructible: then it uses ordinary memory. For code that builds the
/// same container type inside a store and on the stack.
template <class T>
class fallback_allocator : public detail::allocator_base<T, offset_ptr<T>> {
  using base = detail::allocator_base<T, offset_ptr<T>>;

 public:
  using typename base::pointer;
  using typename base::size_type;
  template <class U>
  struct rebind {
    using other = fallback_allocator<U>;
  };

  fallback_allocator() noexcept = default;
  explicit fallback_allocator(heap& memory) noexcept : anchor_(memory.base()) {}
  fallback_allocator(const fallback_allocator&) noexcept = default;
  template <class U>
  fallback_allocator(const fallback_allocator<U>& other) noexcept : anchor_(other.anchor()) {}
  template <class U>
  fallback_allocator(const allocator<U>& other) noexcept : anchor_(other.anchor()) {}
  fallback_allocator& operator=(const fallback_allocator&) noexcept = default;

  pointer allocate(size_type n) { return allocate_raw(n); }
  void deallocate(const pointer& p, size_type n) noexcept { deallocate_raw(p.get(), n); }
  void deallocate(T* p, size_type n) noexcept { deallocate_raw(p, n); }
  T* allocate_raw(size_type n) {
    if (heap* h = memory()) return static_cast<T*>(this->allocate_in(h, n));
    return std::allocator<T>{}.allocate(n);
  }
  void deallocate_raw(T* p, size_type n) noexcept {
    if (heap* h = memory()) return h->deallocate(p);
    if (p != nullptr) std::allocator<T>{}.deallocate(p, n);
  }
  bool try_expand(T* p, size_type n) noexcept {
    heap* h = memory();
    return h != nullptr && h->try_expand(p, n * sizeof(T));
  }

  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    detail::construct_element(p, *this, std::forward<Args>(args)...);
  }
  template <class U>
  void destroy(U* p) noexcept {
    std::destroy_at(p);
  }

  /// Null when this allocator uses ordinary memory.
  heap* memory() const noexcept { return anchor_ ? heap::containing(anchor_.get()) : nullptr; }
  std::byte* anchor() const noexcept { return anchor_.get(); }

  template <class U>
  friend bool operator==(const fallback_allocator& a, const fallback_allocator<U>& b) noexcept {
    return a.anchor() == b.anchor();
  }

 private:
  friend struct relocator<fallback_allocator>;
  offset_ptr<std::byte> anchor_;
};

/// The allocator of a pinned store: plain pointers, so that unmodified `std::` containers can be stored.
template <class T>
class pinned_allocator : public detail::allocator_base<T, T*> {
  using base = detail::allocator_base<T, T*>;

 public:
  using typename base::size_type;
  template <class U>
  struct rebind {
    using other = pinned_allocator<U>;
  };

  explicit pinned_allocator(heap& memory) noexcept : anchor_(memory.base()) {}
  pinned_allocator(const pinned_allocator&) noexcept = default;
  template <class U>
  pinned_allocator(const pinned_allocator<U>& other) noexcept : anchor_(other.anchor()) {}
  pinned_allocator& operator=(const pinned_allocator&) noexcept = default;

  T* allocate(size_type n) { return static_cast<T*>(this->allocate_in(memory(), n)); }
  void deallocate(T* p, size_type) noexcept { memory()->deallocate(p); }
  T* allocate_raw(size_type n) { return allocate(n); }
  void deallocate_raw(T* p, size_type n) noexcept { deallocate(p, n); }
  bool try_expand(T* p, size_type n) noexcept { return memory()->try_expand(p, n * sizeof(T)); }

  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    detail::construct_element(p, *this, std::forward<Args>(args)...);
  }
  template <class U>
  void destroy(U* p) noexcept {
    std::destroy_at(p);
  }

  heap* memory() const noexcept { return heap::containing(anchor_); }
  std::byte* anchor() const noexcept { return anchor_; }

  template <class U>
  friend bool operator==(const pinned_allocator& a, const pinned_allocator<U>& b) noexcept {
    return a.anchor() == b.anchor();
  }

 private:
  std::byte* anchor_;
};

// An allocator is the distance to its segment and nothing else.
template <class T>
struct relocator<allocator<T>> {
  static void relocate(allocator<T>* to, allocator<T>* from) noexcept {
    detail::relocate_at(&to->anchor_, &from->anchor_);
  }
};
template <class T>
struct relocator<fallback_allocator<T>> {
  static void relocate(fallback_allocator<T>* to, fallback_allocator<T>* from) noexcept {
    detail::relocate_at(&to->anchor_, &from->anchor_);
  }
};

}  // namespace perdure
