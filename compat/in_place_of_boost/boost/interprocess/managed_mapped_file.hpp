// Perdure's managed mapped files by Boost's names. All else in namespace boost::interprocess is Boost's own.
#pragma once

// clang-format off: first, for what is compiled as an older C++ to stop there
#include <perdure/cxx20.hpp>
// clang-format on
#include <boost/interprocess/allocators/allocator.hpp>
#include <boost/interprocess/creation_tags.hpp>
#include <boost/interprocess/detail/managed_memory_impl.hpp>  // for what it brings along
#include <boost/interprocess/detail/segment_manager_helper.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/indexes/iset_index.hpp>
#include <boost/interprocess/interprocess_fwd.hpp>
#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/permissions.hpp>
#include <boost/interprocess/smart_ptr/deleter.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>
#include <cstddef>
#include <perdure_interprocess/allocators/allocator.hpp>
#include <perdure_interprocess/detail/library_names.hpp>
#include <perdure_interprocess/detail/pool_allocator.hpp>
#include <perdure_interprocess/managed_mapped_file.hpp>
#include <type_traits>

namespace perdure_interprocess::detail {

/// A name, or one of Boost's tags.
class boosts_instance_key : public instance_key {
 public:
  using instance_key::instance_key;
  boosts_instance_key(const boost::interprocess::ipcdetail::unique_instance_t*) noexcept
      : instance_key(perdure::unique_instance) {}
  boosts_instance_key(const boost::interprocess::ipcdetail::anonymous_instance_t*) noexcept
      : instance_key(perdure::anonymous_instance) {}
};

template <class MutexFamily, class VoidPointer>
struct boosts_names {
  using void_pointer = VoidPointer;
  using mutex_family = MutexFamily;
  using instance_key = boosts_instance_key;
  using instance_type = boost::interprocess::instance_type;
  template <class T, class SegmentManager>
  using allocator = boost::interprocess::allocator<T, SegmentManager>;
  template <class T, class SegmentManager>
  using deleter = boost::interprocess::deleter<T, SegmentManager>;
};
template <class MutexFamily, class VoidPointer, std::size_t Alignment>
struct library_names<boost::interprocess::rbtree_best_fit<MutexFamily, VoidPointer, Alignment>>
    : boosts_names<MutexFamily, VoidPointer> {};
template <class MutexFamily, class VoidPointer>
struct library_names<boost::interprocess::simple_seq_fit<MutexFamily, VoidPointer>>
    : boosts_names<MutexFamily, VoidPointer> {};

/// The value type and the segment manager of an allocator, and the same allocator for another type.
template <class Allocator>
struct allocator_parts;
template <template <class, class> class Allocator, class T, class SegmentManager>
struct allocator_parts<Allocator<T, SegmentManager>> {
  using value = T;
  using manager = SegmentManager;
  template <class U>
  using for_value = Allocator<U, SegmentManager>;
};
template <template <class, class, std::size_t> class Allocator, class T, class SegmentManager,
          std::size_t Nodes>
struct allocator_parts<Allocator<T, SegmentManager, Nodes>> {
  using value = T;
  using manager = SegmentManager;
  template <class U>
  using for_value = Allocator<U, SegmentManager, Nodes>;
};
template <template <class, class, std::size_t, std::size_t, unsigned char> class Allocator, class T,
          class SegmentManager, std::size_t Nodes, std::size_t Free, unsigned char Overhead>
struct allocator_parts<Allocator<T, SegmentManager, Nodes, Free, Overhead>> {
  using value = T;
  using manager = SegmentManager;
  template <class U>
  using for_value = Allocator<U, SegmentManager, Nodes, Free, Overhead>;
};

/// One of our allocators under one of Boost's names, which is `Self`.
template <class Self, template <class, class> class Ours>
class boosts_allocator
    : public Ours<typename allocator_parts<Self>::value, typename allocator_parts<Self>::manager> {
  using manager = typename allocator_parts<Self>::manager;
  using ours = Ours<typename allocator_parts<Self>::value, manager>;

 public:
  using version = boost::interprocess::version_type<Self, 2>;
  template <class U>
  struct rebind {
    using other = typename allocator_parts<Self>::template for_value<U>;
  };

  boosts_allocator(manager* where) noexcept : ours(where) {}
  /// Constructs one of the pooled allocators.
  boosts_allocator(manager* where, std::size_t most_cached) noexcept
    requires std::is_constructible_v<ours, manager*, std::size_t>
      : ours(where, most_cached) {}
  template <class U>
  boosts_allocator(const perdure_interprocess::allocator<U, manager>& other) noexcept
      : ours(other.get_segment_manager()) {}
};

}  // namespace perdure_interprocess::detail

namespace boost::interprocess {

using fixed_managed_mapped_file =
    basic_managed_mapped_file<char, rbtree_best_fit<mutex_family, void*>, iset_index>;

// Allocators of Perdure's stores. Those of other managed memory are Boost's.

template <class T, class C, class M, template <class> class I>
class allocator<T, perdure_interprocess::segment_manager<C, M, I>>
    : public perdure_interprocess::detail::boosts_allocator<
          allocator<T, perdure_interprocess::segment_manager<C, M, I>>, perdure_interprocess::allocator> {
 public:
  using allocator::boosts_allocator::boosts_allocator;
};
template <class T, class C, class M, template <class> class I, std::size_t N>
class node_allocator<T, perdure_interprocess::segment_manager<C, M, I>, N>
    : public perdure_interprocess::detail::boosts_allocator<
          node_allocator<T, perdure_interprocess::segment_manager<C, M, I>, N>,
          perdure_interprocess::detail::pool_allocator> {
 public:
  using node_allocator::boosts_allocator::boosts_allocator;
};
template <class T, class C, class M, template <class> class I, std::size_t N>
class private_node_allocator<T, perdure_interprocess::segment_manager<C, M, I>, N>
    : public perdure_interprocess::detail::boosts_allocator<
          private_node_allocator<T, perdure_interprocess::segment_manager<C, M, I>, N>,
          perdure_interprocess::detail::pool_allocator> {
 public:
  using private_node_allocator::boosts_allocator::boosts_allocator;
};
template <class T, class C, class M, template <class> class I, std::size_t N>
class cached_node_allocator<T, perdure_interprocess::segment_manager<C, M, I>, N>
    : public perdure_interprocess::detail::boosts_allocator<
          cached_node_allocator<T, perdure_interprocess::segment_manager<C, M, I>, N>,
          perdure_interprocess::detail::pool_allocator> {
 public:
  using cached_node_allocator::boosts_allocator::boosts_allocator;
};
template <class T, class C, class M, template <class> class I, std::size_t N, std::size_t F, unsigned char O>
class adaptive_pool<T, perdure_interprocess::segment_manager<C, M, I>, N, F, O>
    : public perdure_interprocess::detail::boosts_allocator<
          adaptive_pool<T, perdure_interprocess::segment_manager<C, M, I>, N, F, O>,
          perdure_interprocess::detail::pool_allocator> {
 public:
  using adaptive_pool::boosts_allocator::boosts_allocator;
};
template <class T, class C, class M, template <class> class I, std::size_t N, std::size_t F, unsigned char O>
class private_adaptive_pool<T, perdure_interprocess::segment_manager<C, M, I>, N, F, O>
    : public perdure_interprocess::detail::boosts_allocator<
          private_adaptive_pool<T, perdure_interprocess::segment_manager<C, M, I>, N, F, O>,
          perdure_interprocess::detail::pool_allocator> {
 public:
  using private_adaptive_pool::boosts_allocator::boosts_allocator;
};
template <class T, class C, class M, template <class> class I, std::size_t N, std::size_t F, unsigned char O>
class cached_adaptive_pool<T, perdure_interprocess::segment_manager<C, M, I>, N, F, O>
    : public perdure_interprocess::detail::boosts_allocator<
          cached_adaptive_pool<T, perdure_interprocess::segment_manager<C, M, I>, N, F, O>,
          perdure_interprocess::detail::pool_allocator> {
 public:
  using cached_adaptive_pool::boosts_allocator::boosts_allocator;
};

}  // namespace boost::interprocess
