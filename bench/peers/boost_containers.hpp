// Boost's containers for an adjacency list, and an allocator that gives any container Boost's offset pointer.
#pragma once

#include <boost/container/vector.hpp>
#include <boost/interprocess/offset_ptr.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered_map.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace perdure::bench {

/// `boost::container::vector` and `boost::unordered_map`. The allocator must construct its elements with
/// itself or have no state (`boost::interprocess::allocator` needs a scoped adaptor around it).
template <template <class> class Allocator>
struct boost_node_containers {
  template <class T>
  using allocator = Allocator<T>;
  template <class T>
  using vector = boost::container::vector<T, Allocator<T>>;
  template <class Key, class Value, class Hash>
  using map =
      boost::unordered_map<Key, Value, Hash, std::equal_to<Key>, Allocator<std::pair<const Key, Value>>>;
};

/// Open-addressing map and vector; raw pointers only.
template <template <class> class Allocator>
struct boost_flat_containers {
  template <class T>
  using allocator = Allocator<T>;
  template <class T>
  using vector = boost::container::vector<T, Allocator<T>>;
  template <class Key, class Value, class Hash>
  using map =
      boost::unordered_flat_map<Key, Value, Hash, std::equal_to<Key>, Allocator<std::pair<const Key, Value>>>;
};

/// An allocator whose pointers are `boost::interprocess::offset_ptr`. `Memory` has `void* allocate(size_t)`
/// and `deallocate(void*)`, and lies inside the memory it hands out, or outlives all containers.
template <class T, class Memory>
class boost_offset_allocator {
  template <class U>
  using offset = boost::interprocess::offset_ptr<U>;

 public:
  using value_type = T;
  using pointer = offset<T>;
  using const_pointer = offset<const T>;
  using void_pointer = offset<void>;
  using const_void_pointer = offset<const void>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  template <class U>
  struct rebind {
    using other = boost_offset_allocator<U, Memory>;
  };

  explicit boost_offset_allocator(Memory* memory) noexcept : memory_(memory) {}
  template <class U>
  boost_offset_allocator(const boost_offset_allocator<U, Memory>& other) noexcept : memory_(other.memory()) {}

  pointer allocate(size_type n) { return static_cast<T*>(memory_->allocate(n * sizeof(T))); }
  void deallocate(const pointer& p, size_type) noexcept { memory_->deallocate(p.get()); }

  // As perdure's allocators do: an element that wants an allocator gets this one.
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    std::uninitialized_construct_using_allocator(p, *this, std::forward<Args>(args)...);
  }
  template <class U>
  void destroy(U* p) noexcept {
    std::destroy_at(p);
  }

  Memory* memory() const noexcept { return memory_.get(); }
  template <class U>
  friend bool operator==(const boost_offset_allocator& a,
                         const boost_offset_allocator<U, Memory>& b) noexcept {
    return a.memory() == b.memory();
  }

 private:
  offset<Memory> memory_;
};

}  // namespace perdure::bench
