// The inside of an open store, with Boost's interface: its memory and its objects.
#pragma once

#include <bit>
#include <boost/container/detail/multiallocation_chain.hpp>
#include <cstddef>
#include <mutex>
#include <new>
#include <perdure/placement.hpp>
#include <perdure_interprocess/detail/instance_iterator.hpp>
#include <perdure_interprocess/detail/library_names.hpp>
#include <perdure_interprocess/detail/named_proxy.hpp>
#include <perdure_interprocess/detail/open_file.hpp>
#include <perdure_interprocess/detail/segment_memory.hpp>
#include <perdure_interprocess/detail/translate_errors.hpp>
#include <perdure_interprocess/interprocess_fwd.hpp>
#include <type_traits>
#include <utility>

namespace perdure_interprocess {

/// The memory of an open store.
///
/// Thread safety: as perdure::manager. Members throw `bad_alloc` where memory is exhausted and
/// `store_exception` for all else.
template <class MemoryAlgorithm>
class segment_manager_base {
 public:
  using segment_manager_base_type = segment_manager_base;
  using memory_algorithm = MemoryAlgorithm;
  using void_pointer = typename detail::library_names<MemoryAlgorithm>::void_pointer;
  using mutex_family = typename detail::library_names<MemoryAlgorithm>::mutex_family;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using multiallocation_chain = boost::container::dtl::basic_multiallocation_chain<void_pointer>;

  /// Bytes that a block costs beside its own.
  static constexpr size_type PayloadPerAllocation = 0;

  segment_manager_base(const segment_manager_base&) = delete;
  segment_manager_base& operator=(const segment_manager_base&) = delete;

  /// Returns the size of the file.
  size_type get_size() const { return file().size(); }
  size_type get_free_memory() const { return file().free_memory(); }
  /// Any size will do: a store has address space for at least 1 GiB.
  static constexpr size_type get_min_size(size_type = 0) noexcept { return 1; }

  void* allocate(size_type bytes) {
    return detail::translate_errors([&] { return manager().allocate(bytes); });
  }
  void* allocate(size_type bytes, const std::nothrow_t&) noexcept {
    return or_null([&] { return manager().allocate(bytes); });
  }
  /// `alignment` is a power of two, at most 2 MiB.
  void* allocate_aligned(size_type bytes, size_type alignment) {
    if (!std::has_single_bit(alignment) || alignment > size_type{2} << 20) throw bad_alloc();
    return detail::translate_errors([&] { return manager().allocate_aligned(bytes, alignment); });
  }
  void* allocate_aligned(size_type bytes, size_type alignment, const std::nothrow_t&) noexcept {
    return or_null([&] { return manager().allocate_aligned(bytes, alignment); });
  }
  void deallocate(void* block) {
    detail::translate_errors([&] { manager().deallocate(block); });
  }

  /// Gets memory in one of the ways that `command` allows, growing or shrinking the block of `reuse` in place
  /// first. `count` is the preferred number of elements, and afterwards the number there is room for; `limit`
  /// the least that will do (for shrinking, the most). `reuse` becomes null when the block is a new one. Null
  /// with `nothrow_allocation`, else `bad_alloc`, where nothing helped. Blocks never grow backwards.
  template <class T>
  T* allocation_command(allocation_type command, size_type limit, size_type& count, T*& reuse) {
    void* old = reuse;
    void* const block = command_on(command, limit, count, old, sizeof(T), alignof(T));
    reuse = static_cast<T*>(old);
    return static_cast<T*>(block);
  }
  void* raw_allocation_command(allocation_type command, size_type limit, size_type& count, void*& reuse,
                               size_type size_of_element = 1) {
    if (size_of_element == 0) throw bad_alloc();
    return command_on(command, limit, count, reuse, size_of_element, 1);
  }

  // Several blocks at once, appended to the chain; all or none.
  void allocate_many(size_type bytes, size_type n, multiallocation_chain& chain) {
    if (!many([&](size_type) { return bytes; }, n, chain)) throw bad_alloc();
  }
  void allocate_many(const size_type* elements, size_type n, size_type size_of_element,
                     multiallocation_chain& chain) {
    if (!many([&](size_type i) { return product(elements[i], size_of_element); }, n, chain))
      throw bad_alloc();
  }
  void allocate_many(const std::nothrow_t&, size_type bytes, size_type n, multiallocation_chain& chain) {
    many([&](size_type) { return bytes; }, n, chain);
  }
  void allocate_many(const std::nothrow_t&, const size_type* elements, size_type n, size_type size_of_element,
                     multiallocation_chain& chain) {
    many([&](size_type i) { return product(elements[i], size_of_element); }, n, chain);
  }
  void deallocate_many(multiallocation_chain& chain) { detail::deallocate_many(writable_memory(), chain); }

  /// Bytes that may be used in the block.
  size_type size(const void* block) const { return detail::heap_of(this).usable_size(block); }

  /// Whether the store holds no object and nothing else was allocated.
  bool all_memory_deallocated() {
    return detail::translate_errors([&] { return manager().all_memory_deallocated(); });
  }
  /// No effect: free memory is given back at checkpoints.
  void shrink_to_fit() noexcept {}
  bool check_sanity() {
    return detail::translate_errors([&] { return manager().check_sanity(); });
  }
  void zero_free_memory() {
    detail::translate_errors([&] { manager().zero_free_memory(); });
  }

 protected:
  using placement =
      std::conditional_t<std::is_pointer_v<void_pointer>, perdure::pinned, perdure::relocatable>;
  using open_file = detail::open_file<placement>;

  segment_manager_base() = default;
  ~segment_manager_base() = default;

  open_file& file() const { return open_file::containing(this); }
  typename open_file::manager_type& manager() const { return file().manager(); }

 private:
  static size_type product(size_type a, size_type b) noexcept {
    return b != 0 && a > static_cast<size_type>(-1) / 2 / b ? 0 : a * b;
  }
  template <class Allocate>
  static void* or_null(Allocate allocate) noexcept {
    try {
      return allocate();
    } catch (const std::exception&) {
      return nullptr;
    }
  }
  perdure::heap& writable_memory() const {
    if (manager().read_only())
      throw store_exception(perdure::error(
          perdure::errc::read_only, manager().path().string() + ": the store is open for reading only"));
    return detail::heap_of(this);
  }
  void* command_on(allocation_type command, size_type limit, size_type& count, void*& reuse, size_type size,
                   size_type alignment) {
    void* const block =
        detail::allocation_command(writable_memory(), command, limit, count, reuse, size, alignment);
    if (block == nullptr && (command & nothrow_allocation) == 0) throw bad_alloc();
    return block;
  }
  template <class BytesOf>
  bool many(BytesOf bytes_of, size_type n, multiallocation_chain& chain) {
    return detail::allocate_many(writable_memory(), chain, n, bytes_of);
  }
};

/// The memory and the objects of an open store. It lies at the store's first byte, so a pointer to it may be
/// kept in the store.
///
/// Objects are found, constructed and destroyed by one thread at a time, constructors included; a
/// constructor may use the segment manager.
template <class CharType, class MemoryAlgorithm, template <class> class IndexType>
class segment_manager : public segment_manager_base<MemoryAlgorithm> {
  using base = segment_manager_base<MemoryAlgorithm>;
  using names = detail::library_names<MemoryAlgorithm>;
  using typename base::placement;

  static_assert(std::is_same_v<CharType, char>, "names of objects are bytes: use UTF-8 and char");

 public:
  using typename base::size_type;
  using char_type = CharType;
  using char_ptr_holder_t = typename names::instance_key;
  using instance_type = typename names::instance_type;
  using const_named_iterator = detail::instance_iterator;
  using const_unique_iterator = detail::instance_iterator;
  template <class T>
  struct construct_proxy {
    using type = detail::named_proxy<T, placement, false>;
  };
  template <class T>
  struct construct_iter_proxy {
    using type = detail::named_proxy<T, placement, true>;
  };

  segment_manager() = delete;

  /// The object and its number of elements; `{nullptr, 0}` if there is none. An object of another type is
  /// an error that names both.
  template <class T>
  std::pair<T*, size_type> find(char_ptr_holder_t name) {
    auto& file = this->file();
    const std::lock_guard lock(file.objects());
    return find_in<T>(file, name);
  }
  /// Finds like `find`, also while another thread is in `atomic_func` or constructs.
  template <class T>
  std::pair<T*, size_type> find_no_lock(char_ptr_holder_t name) {
    return find_in<T>(this->file(), name);
  }

  /// `construct<T>(name)(args…)`, or `construct<T>(name)[n](args…)` for an array. A name that is taken is
  /// `already_exists_error`.
  template <class T>
  auto construct(char_ptr_holder_t name) {
    return proxy<T, false>(name, {false, false});
  }
  /// Null where the name is taken or memory is exhausted.
  template <class T>
  auto construct(char_ptr_holder_t name, const std::nothrow_t&) {
    return proxy<T, false>(name, {false, true});
  }
  template <class T>
  auto find_or_construct(char_ptr_holder_t name) {
    return proxy<T, false>(name, {true, false});
  }
  template <class T>
  auto find_or_construct(char_ptr_holder_t name, const std::nothrow_t&) {
    return proxy<T, false>(name, {true, true});
  }
  /// `construct_it<T>(name)[n](iterators…)`: each element from what the iterators point to.
  template <class T>
  auto construct_it(char_ptr_holder_t name) {
    return proxy<T, true>(name, {false, false});
  }
  template <class T>
  auto construct_it(char_ptr_holder_t name, const std::nothrow_t&) {
    return proxy<T, true>(name, {false, true});
  }
  template <class T>
  auto find_or_construct_it(char_ptr_holder_t name) {
    return proxy<T, true>(name, {true, false});
  }
  template <class T>
  auto find_or_construct_it(char_ptr_holder_t name, const std::nothrow_t&) {
    return proxy<T, true>(name, {true, true});
  }

  /// Calls `f` while no other thread finds, constructs or destroys objects.
  template <class Function>
  void atomic_func(Function&& f) {
    const std::lock_guard lock(this->file().objects());
    f();
  }
  /// False, and `f` is not called, where another thread is at it.
  template <class Function>
  bool try_atomic_func(Function&& f) {
    const std::unique_lock lock(this->file().objects(), std::try_to_lock);
    if (!lock) return false;
    f();
    return true;
  }

  /// False if there is none.
  template <class T>
  bool destroy(char_ptr_holder_t name) {
    return detail::translate_errors([&] {
      auto& file = this->file();
      const std::lock_guard lock(file.objects());
      return file.manager().template destroy<T>(name.object_name());
    });
  }
  template <class T>
  void destroy_ptr(const T* object) {
    detail::translate_errors([&] {
      auto& file = this->file();
      const std::lock_guard lock(file.objects());
      file.manager().destroy_ptr(object);
    });
  }

  /// A unique object's type name (mangled), null for an anonymous object.
  template <class T>
  static const char_type* get_instance_name(const T* object) {
    return detail::translate_errors([&]() -> const char_type* {
      auto& file = base::open_file::containing(object);
      if (file.manager().get_instance_kind(object) == perdure::instance_kind::anonymous) return nullptr;
      // The store keeps names and type names with a zero byte behind them.
      return file.manager().get_instance_name(object).data();
    });
  }
  template <class T>
  static instance_type get_instance_type(const T* object) {
    return detail::translate_errors([&] {
      switch (base::open_file::containing(object).manager().get_instance_kind(object)) {
        case perdure::instance_kind::named:
          return instance_type(named_type);
        case perdure::instance_kind::unique:
          return instance_type(unique_type);
        case perdure::instance_kind::anonymous:
          break;
      }
      return instance_type(anonymous_type);
    });
  }
  template <class T>
  static size_type get_instance_length(const T* object) {
    return detail::translate_errors(
        [&] { return base::open_file::containing(object).manager().get_instance_length(object); });
  }

  // The directory grows by doubling and has no reserve to be given back.
  void reserve_named_objects(size_type) noexcept {}
  void reserve_unique_objects(size_type) noexcept {}
  void shrink_to_fit_indexes() noexcept {}

  size_type get_num_named_objects() { return this->manager().get_num_named_objects(); }
  size_type get_num_unique_objects() { return this->manager().get_num_unique_objects(); }

  // In no particular order.
  const_named_iterator named_begin() const { return const_named_iterator(this->manager().named_begin()); }
  const_named_iterator named_end() const { return const_named_iterator(this->manager().named_end()); }
  const_unique_iterator unique_begin() const { return const_unique_iterator(this->manager().unique_begin()); }
  const_unique_iterator unique_end() const { return const_unique_iterator(this->manager().unique_end()); }

  template <class T>
  struct allocator {
    using type = typename names::template allocator<T, segment_manager>;
  };
  template <class T>
  typename allocator<T>::type get_allocator() {
    return typename allocator<T>::type(this);
  }
  template <class T>
  struct deleter {
    using type = typename names::template deleter<T, segment_manager>;
  };
  template <class T>
  typename deleter<T>::type get_deleter() {
    return typename deleter<T>::type(this);
  }

 private:
  template <class T, bool FromIterators>
  detail::named_proxy<T, placement, FromIterators> proxy(const char_ptr_holder_t& name,
                                                         detail::construct_policy policy) {
    return {this->file(), name, policy};
  }
  template <class T, class File>
  static std::pair<T*, size_type> find_in(File& file, const char_ptr_holder_t& name) {
    return detail::translate_errors([&] { return file.manager().template find<T>(name.object_name()); });
  }
};

}  // namespace perdure_interprocess
