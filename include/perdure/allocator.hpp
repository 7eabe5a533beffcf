// Allocators that put the elements of a container into a store's heap.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <perdure/detail/construct_element.hpp>
#include <perdure/detail/moved_away.hpp>
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
    if (n > max_size()) [[unlikely]]
      memory->refuse_length(n, sizeof(T));
    if constexpr (alignof(T) > 16) return memory->allocate(n * sizeof(T), alignof(T));
    return memory->allocate(n * sizeof(T));
  }
};

/// The heap at an address, if what lies there is kept; null for ordinary memory, and for memory of kinds. The
/// address is a number, since g++ takes the one of an object that is being made for a use of what is not
/// there yet.
inline heap* store_around(std::uintptr_t address) noexcept {
  heap* const around = heap::containing(reinterpret_cast<const void*>(address));
  return around != nullptr && around->is_kept() ? around : nullptr;
}

/// The heap from which an allocator takes memory; null if it is none of a heap's.
template <class Allocator>
heap* store_of(const Allocator& alloc) noexcept {
  if constexpr (requires {
                  { alloc.memory() } -> std::convertible_to<heap*>;
                }) {
    return alloc.memory();
  } else {
    return nullptr;
  }
}

/// Asks for an allocator of the memory in which it lies itself.
struct here_t {
  explicit here_t() = default;
};
inline constexpr here_t here{};

/// Whether containers may make the allocator from `here`. Such a container, moved into a store from
/// elsewhere, must copy what it holds: `allocator_after_move`.
template <class Allocator>
concept self_locating = requires { Allocator(here); };

template <class Allocator>
concept made_without_a_store = std::is_default_constructible_v<Allocator> || self_locating<Allocator>;

template <made_without_a_store Allocator>
Allocator allocator_without_a_store() noexcept {
  if constexpr (self_locating<Allocator>) {
    return Allocator(here);
  } else {
    return Allocator();
  }
}

/// The allocator of a container at `where` that is made by moving that at `from`, whose allocator is
/// `source`: another than that, if it is in a store and the source's memory is not.
template <class Allocator>
Allocator allocator_after_move(const Allocator& source, const void* from, const void* where) noexcept {
  if constexpr (self_locating<Allocator>) {
    heap* const around = store_around(reinterpret_cast<std::uintptr_t>(where));
    if (around != nullptr && around->base() != source.anchor()) return Allocator(*around);
    if (around == nullptr && source.anchor() != nullptr) note_moved_out(from, where);
  }
  return source;
}
}  // namespace detail

/// The standard allocator of a relocatable store: containers keep offset pointers.
///
/// Get one from `manager::get_allocator<T>()`. Perdure's containers need none. A container that is made
/// without an allocator takes the memory in which it lies itself: the store's inside a store, and ordinary
/// memory elsewhere. What is moved into a store from outside is copied. Containers of others cannot do that,
/// so for them the allocator has no default.
///
/// Like `std::pmr::polymorphic_allocator` it constructs allocator-aware elements with itself (uses-allocator
/// construction). So a `vector<string>` puts its strings in the same store, and a copy of a container does
/// not take over its allocator. Two allocators are equal when they belong to the same open store, or both to
/// none.
///
/// Thread safety: as the heap's, so any number of threads may allocate at once.
template <class T>
class allocator : public detail::allocator_base<T, offset_ptr<T>> {
  using base = detail::allocator_base<T, offset_ptr<T>>;

 public:
  using typename base::pointer;
  using typename base::size_type;
  /// The same allocator of another type.
  template <class U>
  struct rebind {
    /// The allocator of `U`.
    using other = allocator<U>;
  };

  /// Makes an allocator of a store's heap, or of a kind's.
  explicit allocator(heap& memory) noexcept : anchor_(memory.base()) {}
  /// Makes an allocator of the memory in which it lies itself. Containers made without an allocator call it.
  explicit allocator(detail::here_t) noexcept : anchor_(anchor_here()) {}
  /// Copies an allocator. The copy of one that belongs to no store takes the memory in which it lies.
  ///@{
  allocator(const allocator& other) noexcept : anchor_(anchor_of(other)) {}
  template <class U>
  allocator(const allocator<U>& other) noexcept : anchor_(anchor_of(other)) {}
  allocator& operator=(const allocator& other) noexcept {
    anchor_ = anchor_of(other);
    return *this;
  }
  ///@}
  /// Returns the allocator of a copied container: that of the memory in which the copy lies.
  allocator select_on_container_copy_construction() const noexcept { return allocator(detail::here); }

  /// Returns memory for `n` elements. Throws `std::bad_alloc`, and `std::bad_array_new_length` where so many
  /// elements cannot be counted in bytes.
  pointer allocate(size_type n) { return allocate_raw(n); }
  /// Gives memory back, whichever open heap it is of.
  ///@{
  void deallocate(const pointer& p, size_type n) noexcept { deallocate_raw(p.get(), n); }
  void deallocate(T* p, size_type n) noexcept { deallocate_raw(p, n); }
  ///@}

  /// Allocates as `allocate` and gives back as `deallocate`, without the detour through an offset pointer.
  ///@{
  T* allocate_raw(size_type n) {
    if (heap* const h = memory()) [[likely]]
      return static_cast<T*>(this->allocate_in(h, n));
    return std::allocator<T>{}.allocate(n);
  }
  void deallocate_raw(T* p, size_type n) noexcept {
    // By where the block is: containers of others, moved into a store or out of one that was closed since,
    // may have one that is not of this allocator's memory.
    if (heap* const h = heap::containing(p)) [[likely]]
      return h->deallocate(p);
    if (p != nullptr) std::allocator<T>{}.deallocate(p, n);
  }
  ///@}
  /// Grows the block of `p` to `n` elements without moving it. Returns whether it could.
  bool try_expand(T* p, size_type n) noexcept {
    heap* const h = memory();
    return h != nullptr && h->try_expand(p, n * sizeof(T));
  }

  /// Constructs an element, with this allocator where it takes one, and destroys it.
  ///@{
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    detail::construct_element(p, *this, std::forward<Args>(args)...);
  }
  template <class U>
  void destroy(U* p) noexcept {
    std::destroy_at(p);
  }
  ///@}

  /// Returns the heap; null when this allocator uses ordinary memory.
  heap* memory() const noexcept { return anchor_ ? heap::containing(anchor_.get()) : nullptr; }
  /// Returns the first byte of the heap's segment; null when this allocator uses ordinary memory.
  std::byte* anchor() const noexcept { return anchor_.get(); }

  /// Returns whether both belong to the same open heap, or both to none.
  template <class U>
  friend bool operator==(const allocator& a, const allocator<U>& b) noexcept {
    return a.anchor() == b.anchor();
  }

 private:
  friend struct relocator<allocator>;

  std::byte* anchor_here() const noexcept {
    heap* const around = detail::store_around(reinterpret_cast<std::uintptr_t>(this));
    return around == nullptr ? nullptr : around->base();
  }
  template <class U>
  std::byte* anchor_of(const allocator<U>& other) const noexcept {
    std::byte* const anchor = other.anchor();
    return anchor != nullptr ? anchor : anchor_here();
  }

  offset_ptr<std::byte> anchor_;  // the first byte of the heap's segment; null: ordinary memory
};

/// An allocator as `allocator`, but default-constructible, for containers of others that are built on the
/// stack and copied into a store. Moving such a container into a store takes its ordinary memory along, which
/// the next run does not have: copy it, or use Perdure's containers.
template <class T>
class fallback_allocator : public allocator<T> {
 public:
  /// The same allocator of another type.
  template <class U>
  struct rebind {
    /// The allocator of `U`.
    using other = fallback_allocator<U>;
  };

  /// Makes an allocator of the memory in which it lies itself, or of a heap, or of that of another allocator.
  ///@{
  fallback_allocator() noexcept : allocator<T>(detail::here) {}
  explicit fallback_allocator(heap& memory) noexcept : allocator<T>(memory) {}
  explicit fallback_allocator(detail::here_t) noexcept : allocator<T>(detail::here) {}
  template <class U>
  fallback_allocator(const allocator<U>& other) noexcept : allocator<T>(other) {}
  ///@}
  /// Returns the allocator of a copied container: that of the memory in which the copy lies.
  fallback_allocator select_on_container_copy_construction() const noexcept { return {}; }
};

/// The allocator of a pinned store: plain pointers, so that unmodified `std::` containers can be stored.
template <class T>
class pinned_allocator : public detail::allocator_base<T, T*> {
  using base = detail::allocator_base<T, T*>;

 public:
  using typename base::size_type;
  /// The same allocator of another type.
  template <class U>
  struct rebind {
    /// The allocator of `U`.
    using other = pinned_allocator<U>;
  };

  /// Makes an allocator of a heap, or of that of another allocator.
  ///@{
  explicit pinned_allocator(heap& memory) noexcept : anchor_(memory.base()) {}
  pinned_allocator(const pinned_allocator&) noexcept = default;
  template <class U>
  pinned_allocator(const pinned_allocator<U>& other) noexcept : anchor_(other.anchor()) {}
  pinned_allocator& operator=(const pinned_allocator&) noexcept = default;
  ///@}

  /// Allocates memory for `n` elements, or gives it back. Throws as `allocator::allocate`.
  ///@{
  T* allocate(size_type n) { return static_cast<T*>(this->allocate_in(memory(), n)); }
  void deallocate(T* p, size_type) noexcept { memory()->deallocate(p); }
  T* allocate_raw(size_type n) { return allocate(n); }
  void deallocate_raw(T* p, size_type n) noexcept { deallocate(p, n); }
  ///@}
  /// Grows the block of `p` to `n` elements without moving it. Returns whether it could.
  bool try_expand(T* p, size_type n) noexcept { return memory()->try_expand(p, n * sizeof(T)); }

  /// Constructs an element, with this allocator where it takes one, and destroys it.
  ///@{
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    detail::construct_element(p, *this, std::forward<Args>(args)...);
  }
  template <class U>
  void destroy(U* p) noexcept {
    std::destroy_at(p);
  }
  ///@}

  /// Returns the heap.
  heap* memory() const noexcept { return heap::containing(anchor_); }
  /// Returns the first byte of the heap's segment.
  std::byte* anchor() const noexcept { return anchor_; }

  /// Returns whether both belong to the same heap.
  template <class U>
  friend bool operator==(const pinned_allocator& a, const pinned_allocator<U>& b) noexcept {
    return a.anchor() == b.anchor();
  }

 private:
  std::byte* anchor_;
};

/// Moves an allocator, which is the distance to its segment and nothing else.
template <class T>
struct relocator<allocator<T>> {
  /// Moves `from` to raw memory at `to`, and ends its life.
  static void relocate(allocator<T>* to, allocator<T>* from) noexcept {
    detail::relocate_at(&to->anchor_, &from->anchor_);
  }
};
/// Moves an allocator, as that of `allocator`.
template <class T>
struct relocator<fallback_allocator<T>> : relocator<allocator<T>> {};

}  // namespace perdure
