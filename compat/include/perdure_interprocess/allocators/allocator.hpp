// The allocator of a store, with Boost's interface: it is made from a segment manager.
#pragma once

#include <boost/container/detail/multiallocation_chain.hpp>
#include <boost/intrusive/pointer_traits.hpp>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <perdure_interprocess/containers/version_type.hpp>
#include <perdure_interprocess/detail/segment_memory.hpp>
#include <perdure_interprocess/interprocess_fwd.hpp>
#include <type_traits>
#include <utility>

namespace perdure_interprocess {

/// Puts the elements of a container into the store of its segment manager, and may itself be kept there.
/// Memory that cannot be had is `bad_alloc`. Two allocators are equal when they belong to the same store.
template <class T, class SegmentManager>
class allocator {
  template <class U>
  using rebound_pointer = typename boost::intrusive::pointer_traits<
      typename SegmentManager::void_pointer>::template rebind_pointer<U>::type;

 public:
  using segment_manager = SegmentManager;
  using void_pointer = typename SegmentManager::void_pointer;
  using value_type = T;
  using pointer = rebound_pointer<T>;
  using const_pointer = rebound_pointer<const T>;
  using reference = std::conditional_t<std::is_void_v<T>, char, T>&;
  using const_reference = const std::conditional_t<std::is_void_v<T>, char, T>&;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  /// Boost's containers then ask for growth in place and for many nodes at once.
  using version = version_type<allocator, 2>;
  using multiallocation_chain =
      boost::container::dtl::transform_multiallocation_chain<typename SegmentManager::multiallocation_chain,
                                                             T>;
  template <class U>
  struct rebind {
    using other = allocator<U, SegmentManager>;
  };

  allocator(segment_manager* manager) noexcept : manager_(manager) {}
  allocator(const allocator&) noexcept = default;
  template <class U>
  allocator(const allocator<U, SegmentManager>& other) noexcept : manager_(other.get_segment_manager()) {}
  allocator& operator=(const allocator&) noexcept = default;

  segment_manager* get_segment_manager() const noexcept { return std::to_address(manager_); }

  pointer allocate(size_type count, rebound_pointer<const void> = nullptr) {
    return static_cast<T*>(detail::allocate_elements(memory(), count, sizeof(T), alignof(T)));
  }
  /// Does nothing when the store is closed: the block went with it.
  void deallocate(const pointer& p, size_type) noexcept {
    if (perdure::heap* const open = perdure::heap::containing(get_segment_manager()))
      open->deallocate(const_cast<std::remove_cv_t<T>*>(std::to_address(p)));
  }
  /// More than any file holds.
  size_type max_size() const noexcept {
    return static_cast<size_type>(std::numeric_limits<difference_type>::max()) / sizeof(T);
  }
  /// Elements there is room for in the block.
  size_type size(const pointer& p) const { return memory().usable_size(std::to_address(p)) / sizeof(T); }

  pointer allocate_one() { return allocate(1); }
  void deallocate_one(const pointer& p) noexcept { deallocate(p, 1); }
  /// `segment_manager::allocation_command`, counting elements.
  pointer allocation_command(allocation_type command, size_type limit, size_type& count, pointer& reuse) {
    void* old = std::to_address(reuse);
    void* const block =
        detail::allocation_command(memory(), command, limit, count, old, sizeof(T), alignof(T));
    if (block == nullptr && (command & nothrow_allocation) == 0) throw bad_alloc();
    reuse = static_cast<T*>(old);
    return static_cast<T*>(block);
  }
  /// Adds `n` blocks of `elements` elements each to the chain; all or none.
  void allocate_many(size_type elements, size_type n, multiallocation_chain& chain) {
    if (elements > max_elements ||
        !detail::allocate_many(memory(), chain, n, [&](size_type) { return elements * sizeof(T); }))
      throw bad_alloc();
  }
  void allocate_many(const size_type* elements, size_type n, multiallocation_chain& chain) {
    if (!detail::allocate_many(memory(), chain, n, [&](size_type i) {
          return elements[i] > max_elements ? 0 : elements[i] * sizeof(T);
        }))
      throw bad_alloc();
  }
  void deallocate_many(multiallocation_chain& chain) { detail::deallocate_many(memory(), chain); }
  void allocate_individual(size_type n, multiallocation_chain& chain) { allocate_many(1, n, chain); }
  void deallocate_individual(multiallocation_chain& chain) { deallocate_many(chain); }

  pointer address(reference value) const noexcept { return std::addressof(value); }
  const_pointer address(const_reference value) const noexcept
    requires(!std::is_const_v<T>)
  {
    return std::addressof(value);
  }
  template <class P>
  void construct(const pointer& p, P&& value) {
    ::new (static_cast<void*>(std::to_address(p))) T(std::forward<P>(value));
  }
  void destroy(const pointer& p) noexcept { std::destroy_at(std::to_address(p)); }

  friend void swap(allocator& a, allocator& b) noexcept { std::swap(a.manager_, b.manager_); }

 private:
  static constexpr size_type max_elements = [] {
    if constexpr (std::is_void_v<T>)
      return size_type{0};
    else
      return static_cast<size_type>(-1) / 2 / sizeof(T);
  }();

  perdure::heap& memory() const { return detail::heap_of(get_segment_manager()); }

  rebound_pointer<segment_manager> manager_;
};

template <class T, class U, class SegmentManager>
bool operator==(const allocator<T, SegmentManager>& a, const allocator<U, SegmentManager>& b) noexcept {
  return a.get_segment_manager() == b.get_segment_manager();
}

}  // namespace perdure_interprocess
