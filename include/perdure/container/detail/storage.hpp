// How Perdure's containers get, give back and grow memory through any standard allocator.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <perdure/allocator.hpp>
#include <perdure/relocation.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace perdure::detail {

/// Whether the distance of two such iterators can be taken and the range walked again. The concept alone
/// says no for a std::move_iterator of a pointer.
template <class It>
concept multipass = std::forward_iterator<It> || requires {
  requires std::derived_from<typename std::iterator_traits<It>::iterator_category, std::forward_iterator_tag>;
};

/// A pointer to computed memory. The compiler must not trace it back to the object whose address it was
/// computed from: it would take accesses through it for accesses beyond that object.
template <class T>
inline T* pointer_at(std::uintptr_t address) noexcept {
  __asm__("" : "+r"(address));
  return reinterpret_cast<T*>(address);
}

template <class Allocator>
using element_of = typename std::allocator_traits<Allocator>::value_type;

/// The raw pointer is taken once here; a fancy pointer never reaches a container's fast path.
template <class Allocator>
inline element_of<Allocator>* allocate_raw(Allocator& memory, std::size_t n) {
  if constexpr (requires { memory.allocate_raw(n); }) {
    return memory.allocate_raw(n);
  } else {
    return std::to_address(std::allocator_traits<Allocator>::allocate(memory, n));
  }
}

template <class Allocator>
inline void deallocate_raw(Allocator& memory, element_of<Allocator>* p, std::size_t n) noexcept {
  using traits = std::allocator_traits<Allocator>;
  if constexpr (requires { memory.deallocate_raw(p, n); }) {
    memory.deallocate_raw(p, n);
  } else if constexpr (std::is_pointer_v<typename traits::pointer>) {
    traits::deallocate(memory, p, n);
  } else {
    traits::deallocate(memory, std::pointer_traits<typename traits::pointer>::pointer_to(*p), n);
  }
}

/// Grows a block in place. Small blocks live in size classes that leave no room, so asking costs more than
/// it brings there.
template <class Allocator>
inline bool try_expand(Allocator& memory, element_of<Allocator>* p, std::size_t old_n,
                       std::size_t n) noexcept {
  constexpr std::size_t worthwhile_bytes = 8192;
  if constexpr (requires {
                  { memory.try_expand(p, n) } noexcept;
                }) {
    return old_n * sizeof(element_of<Allocator>) >= worthwhile_bytes && memory.try_expand(p, n);
  } else {
    return false;
  }
}

/// Frees a block unless it was adopted: keeps a failed construction from leaking it.
template <class Allocator>
class block_guard {
 public:
  block_guard(Allocator& memory, element_of<Allocator>* block, std::size_t n) noexcept
      : memory_(memory), block_(block), n_(n) {}
  block_guard(const block_guard&) = delete;
  block_guard& operator=(const block_guard&) = delete;
  ~block_guard() {
    if (block_ != nullptr) deallocate_raw(memory_, block_, n_);
  }
  void release() noexcept { block_ = nullptr; }

 private:
  Allocator& memory_;
  element_of<Allocator>* block_;
  std::size_t n_;
};

/// Destroys the elements constructed so far unless the construction completed.
template <class Allocator>
class construction_guard {
 public:
  construction_guard(Allocator& memory, element_of<Allocator>* first) noexcept
      : memory_(memory), first_(first), last_(first) {}
  construction_guard(const construction_guard&) = delete;
  construction_guard& operator=(const construction_guard&) = delete;
  ~construction_guard() {
    while (last_ != first_) std::allocator_traits<Allocator>::destroy(memory_, --last_);
  }
  template <class... Args>
  void construct(Args&&... args) {
    std::allocator_traits<Allocator>::construct(memory_, last_, std::forward<Args>(args)...);
    ++last_;
  }
  void release() noexcept { first_ = last_; }

 private:
  Allocator& memory_;
  element_of<Allocator>* first_;
  element_of<Allocator>* last_;
};

template <class Allocator>
inline void destroy_n(Allocator& memory, element_of<Allocator>* first, std::size_t n) noexcept {
  if constexpr (!std::is_trivially_destructible_v<element_of<Allocator>>) {
    for (; n != 0; --n) std::allocator_traits<Allocator>::destroy(memory, first++);
  }
}

/// Memory for one element that is built before its place in the container is free. It is the container's,
/// since parts of an element may look where they lie; but on the stack for those that do not, and where one
/// ordinary memory is as good as another.
template <class Allocator>
class temporary {
 public:
  template <class... Args>
  explicit temporary(Allocator& memory, Args&&... args) : memory_(memory) {
    if constexpr (!on_stack) element_ = allocate_raw(memory_, 1);
    try {
      std::allocator_traits<Allocator>::construct(memory_, get(), std::forward<Args>(args)...);
    } catch (...) {
      give_back();
      throw;
    }
  }
  temporary(const temporary&) = delete;
  temporary& operator=(const temporary&) = delete;
  ~temporary() {
    if (alive_) std::allocator_traits<Allocator>::destroy(memory_, get());
    give_back();
  }
  element_of<Allocator>* get() noexcept {
    if constexpr (on_stack) {
      return reinterpret_cast<element_of<Allocator>*>(bytes_);
    } else {
      return element_;
    }
  }
  /// The element was relocated away.
  void release() noexcept { alive_ = false; }

 private:
  static constexpr bool on_stack = is_trivially_relocatable_v<element_of<Allocator>> ||
                                   std::allocator_traits<Allocator>::is_always_equal::value;
  void give_back() noexcept {
    if constexpr (!on_stack) deallocate_raw(memory_, element_, 1);
  }

  Allocator& memory_;
  bool alive_ = true;
  element_of<Allocator>* element_ = nullptr;
  alignas(element_of<Allocator>) std::byte bytes_[on_stack ? sizeof(element_of<Allocator>) : 1];
};

[[noreturn, gnu::cold]] inline void throw_too_long(const char* what) {
  throw std::length_error(what);
}
[[noreturn, gnu::cold]] inline void throw_out_of_range(const char* what) {
  throw std::out_of_range(what);
}

}  // namespace perdure::detail
