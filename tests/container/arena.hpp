// An arena that hands out memory by moving a pointer, and can be copied wholesale to another address: what a
// store does between two runs, in one process.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <perdure/offset_ptr.hpp>

namespace perdure::test {

class arena {
 public:
  explicit arena(std::size_t capacity)
      : bytes_(new(std::align_val_t{4096}) std::byte[capacity]()), capacity_(capacity) {
    ::new (static_cast<void*>(bytes_.get())) header{};
  }
  /// A copy at another address, in the same state.
  arena(const arena& other) : arena(other.capacity_) {
    std::memcpy(bytes_.get(), other.bytes_.get(), other.capacity_);
  }
  arena& operator=(const arena&) = delete;

  /// First byte; the allocator stores its distance to it.
  std::byte* base() noexcept { return bytes_.get(); }
  std::byte* at(std::size_t offset) noexcept { return bytes_.get() + offset; }
  std::size_t offset_of(const void* p) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(p) - bytes_.get());
  }
  bool contains(const void* p) const noexcept { return p >= bytes_.get() && p < bytes_.get() + capacity_; }
  /// Fills it with rubbish, so that whoever still points into it notices.
  void spoil() noexcept { std::memset(bytes_.get(), 0xd5, capacity_); }

  static void* allocate(std::byte* base, std::size_t bytes, std::size_t alignment) {
    auto* const h = reinterpret_cast<header*>(base);
    const std::size_t begin = (h->used + alignment - 1) / alignment * alignment;
    h->used = begin + bytes;
    ++h->live;
    return base + begin;
  }
  static void deallocate(std::byte* base) noexcept { --reinterpret_cast<header*>(base)->live; }
  std::size_t live() const noexcept { return reinterpret_cast<const header*>(bytes_.get())->live; }

 private:
  struct header {
    std::size_t used = 64;
    std::size_t live = 0;
  };
  struct release {
    void operator()(std::byte* p) const noexcept { ::operator delete[](p, std::align_val_t{4096}); }
  };
  std::unique_ptr<std::byte[], release> bytes_;
  std::size_t capacity_;
};

/// A stateful allocator with offset pointers and nothing beyond what the standard asks for.
template <class T>
class arena_allocator {
 public:
  using value_type = T;
  using pointer = offset_ptr<T>;
  explicit arena_allocator(arena& memory) noexcept : base_(memory.base()) {}
  arena_allocator(const arena_allocator&) noexcept = default;
  template <class U>
  arena_allocator(const arena_allocator<U>& other) noexcept : base_(other.base()) {}
  arena_allocator& operator=(const arena_allocator&) noexcept = default;

  pointer allocate(std::size_t n) {
    return static_cast<T*>(arena::allocate(base_.get(), n * sizeof(T), alignof(T)));
  }
  void deallocate(const pointer&, std::size_t) noexcept { arena::deallocate(base_.get()); }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    std::uninitialized_construct_using_allocator(p, *this, std::forward<Args>(args)...);
  }
  std::byte* base() const noexcept { return base_.get(); }
  template <class U>
  friend bool operator==(const arena_allocator& a, const arena_allocator<U>& b) noexcept {
    return a.base() == b.base();
  }

 private:
  offset_ptr<std::byte> base_;
};

}  // namespace perdure::test
