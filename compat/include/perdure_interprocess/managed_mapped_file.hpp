// A store, with the interface of Boost.Interprocess' managed_mapped_file.
//
//     namespace bip = perdure_interprocess;
//     bip::managed_mapped_file file(bip::open_or_create, "my.store", 65536);
//     int* counter = file.find_or_construct<int>("counter")(0);
//     ++*counter;
//     file.flush();   // an atomic checkpoint; closing makes one too
//
// The differences are in docs/reference/compatibility.md.
#pragma once

// clang-format off: first, for what is compiled as an older C++ to stop there
#include <perdure/cxx20.hpp>
// clang-format on
#include <cstddef>
#include <filesystem>
#include <memory>
#include <new>
#include <perdure/manager.hpp>
#include <perdure_interprocess/containers/allocation_type.hpp>
#include <perdure_interprocess/creation_tags.hpp>
#include <perdure_interprocess/detail/open_file.hpp>
#include <perdure_interprocess/detail/translate_errors.hpp>
#include <perdure_interprocess/exceptions.hpp>
#include <perdure_interprocess/file_mapping.hpp>
#include <perdure_interprocess/interprocess_fwd.hpp>
#include <perdure_interprocess/mapped_region.hpp>
#include <perdure_interprocess/offset_ptr.hpp>
#include <perdure_interprocess/permissions.hpp>
#include <perdure_interprocess/segment_manager.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace perdure_interprocess {

/// An open store. The "file" is a directory.
///
/// Thread safety: as perdure::manager: while `flush` runs, while objects are iterated over, and while the
/// store is opened or closed, threads that change it must be quiet. Everything else may be called at any
/// time.
template <class CharType, class MemoryAlgorithm, template <class> class IndexType>
class basic_managed_mapped_file {
  using file_manager = perdure_interprocess::segment_manager<CharType, MemoryAlgorithm, IndexType>;
  using placement = std::conditional_t<std::is_pointer_v<typename file_manager::void_pointer>,
                                       perdure::pinned, perdure::relocatable>;
  using open_file = detail::open_file<placement>;
  using manager_type = typename open_file::manager_type;

 public:
  using segment_manager = file_manager;
  using char_type = CharType;
  using char_t = CharType;
  using memory_algorithm = MemoryAlgorithm;
  using mutex_family = typename segment_manager::mutex_family;
  using instance_type = typename segment_manager::instance_type;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using handle_t = difference_type;
  using char_ptr_holder_t = typename segment_manager::char_ptr_holder_t;
  using const_named_iterator = typename segment_manager::const_named_iterator;
  using const_unique_iterator = typename segment_manager::const_unique_iterator;
  using multiallocation_chain = typename segment_manager::multiallocation_chain;
  static constexpr size_type PayloadPerAllocation = segment_manager::PayloadPerAllocation;

  /// No store. Everything but moving, swapping and destroying it throws.
  basic_managed_mapped_file() noexcept = default;

  /// Creates a store that holds what a file of Boost's of `size` bytes holds, and up to a quarter and 32 KiB
  /// more; disk space is taken as it is used. At `address`, a multiple of 1 GiB, if one is given: then always
  /// there. `already_exists_error`.
  basic_managed_mapped_file(create_only_t, const std::filesystem::path& path, size_type size,
                            const void* address = nullptr, const permissions& = permissions())
      : basic_managed_mapped_file(perdure::create_only, path, options_for(size, address), nullptr, size) {}
  /// Opens like `open_only`, or creates like `create_only` if nothing is at the path.
  basic_managed_mapped_file(open_or_create_t, const std::filesystem::path& path, size_type size,
                            const void* address = nullptr, const permissions& = permissions())
      : basic_managed_mapped_file(perdure::open_or_create, path, options_for(size, address), address, size) {}
  /// Opens a store at its last checkpoint. One process writes, or many read: `busy_error` names who has it. A
  /// store that is not at `address` is `busy_error` too.
  basic_managed_mapped_file(open_only_t, const std::filesystem::path& path, const void* address = nullptr)
      : basic_managed_mapped_file(perdure::open_only, path, {}, address) {}
  /// For changes that are this object's own and are dropped when it closes the store.
  basic_managed_mapped_file(open_copy_on_write_t, const std::filesystem::path& path,
                            const void* address = nullptr)
      : basic_managed_mapped_file(perdure::open_copy_on_write, path, {}, address) {}
  basic_managed_mapped_file(open_read_only_t, const std::filesystem::path& path,
                            const void* address = nullptr)
      : basic_managed_mapped_file(perdure::open_read_only, path, {}, address) {}

  basic_managed_mapped_file(basic_managed_mapped_file&& other) noexcept = default;
  basic_managed_mapped_file& operator=(basic_managed_mapped_file&& other) noexcept {
    basic_managed_mapped_file closing(std::move(other));
    swap(closing);
    return *this;
  }
  /// Closes the store with a checkpoint. A failure goes to perdure::set_close_failure_handler's handler; to
  /// be told of it, call `flush` before.
  ~basic_managed_mapped_file() = default;

  void swap(basic_managed_mapped_file& other) noexcept { file_.swap(other.file_); }
  friend void swap(basic_managed_mapped_file& a, basic_managed_mapped_file& b) noexcept { a.swap(b); }

  /// Makes the present state durable, atomically. False if that failed, or cannot be because of
  /// `open_copy_on_write`; the last checkpoint then stays. `store().checkpoint()` says why.
  bool flush() {
    try {
      if (!store().read_only()) store().checkpoint();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  /// Adds to the size of a store that no one has open. False if that failed.
  static bool grow(const std::filesystem::path& path, size_type extra_bytes) {
    return succeeds([&] {
      size_type size = 0;
      bool is_boosts_size = false;
      {
        open_file file(manager_type(perdure::open_read_only, path));
        size = detail::saturated_sum(file.size(), extra_bytes);
        is_boosts_size = file.asked_for() != 0;
      }
      perdure::store_maintenance::raise_capacity(path, is_boosts_size ? detail::capacity_for(size) : size);
      resize(path, [&](open_file&) { return size; });
    });
  }
  /// Gives the disk space of free memory back, of a store that no one has open. Its size is then what is in
  /// use; its capacity stays.
  static bool shrink_to_fit(const std::filesystem::path& path) {
    return succeeds([&] {
      resize(path, [](open_file& file) {
        // Memory is given back when it stayed free from one checkpoint to the next.
        file.manager().checkpoint();
        file.manager().checkpoint();
        return file.in_use();
      });
    });
  }

  /// For what Perdure offers beyond Boost: asynchronous and labelled checkpoints, snapshots, attributes.
  manager_type& store() const {
    if (file_ == nullptr) detail::throw_not_open();
    return file_->manager();
  }

  /// Null without a store.
  segment_manager* get_segment_manager() const {
    // It has no members and no virtual functions: its address is all there is to it.
    if (file_ == nullptr || !file_->manager().is_open()) return nullptr;
    return reinterpret_cast<segment_manager*>(file_->manager().get_address());
  }

  void* get_address() const { return open_store().get_address(); }
  /// Returns the size given at creation and to `grow`; the size in use if that is more.
  size_type get_size() const {
    open_store();
    return file_->size();
  }
  size_type get_free_memory() const {
    open_store();
    return file_->free_memory();
  }
  bool belongs_to_segment(const void* address) const { return open_store().belongs_to_segment(address); }
  handle_t get_handle_from_address(const void* address) const {
    return static_cast<const char*>(address) - static_cast<const char*>(get_address());
  }
  void* get_address_from_handle(handle_t handle) const { return static_cast<char*>(get_address()) + handle; }

  bool all_memory_deallocated() { return inside().all_memory_deallocated(); }
  bool check_sanity() { return inside().check_sanity(); }
  void zero_free_memory() { inside().zero_free_memory(); }

  // Memory and objects: see segment_manager.

  void* allocate(size_type bytes) { return inside().allocate(bytes); }
  void* allocate(size_type bytes, const std::nothrow_t& tag) { return inside().allocate(bytes, tag); }
  void* allocate_aligned(size_type bytes, size_type alignment) {
    return inside().allocate_aligned(bytes, alignment);
  }
  void* allocate_aligned(size_type bytes, size_type alignment, const std::nothrow_t& tag) {
    return inside().allocate_aligned(bytes, alignment, tag);
  }
  void deallocate(void* block) { inside().deallocate(block); }
  template <class T>
  T* allocation_command(allocation_type command, size_type limit, size_type& count, T*& reuse) {
    return inside().allocation_command(command, limit, count, reuse);
  }
  void allocate_many(size_type bytes, size_type n, multiallocation_chain& chain) {
    inside().allocate_many(bytes, n, chain);
  }
  void allocate_many(const size_type* elements, size_type n, size_type size_of_element,
                     multiallocation_chain& chain) {
    inside().allocate_many(elements, n, size_of_element, chain);
  }
  void allocate_many(const std::nothrow_t& tag, size_type bytes, size_type n, multiallocation_chain& chain) {
    inside().allocate_many(tag, bytes, n, chain);
  }
  void allocate_many(const std::nothrow_t& tag, const size_type* elements, size_type n,
                     size_type size_of_element, multiallocation_chain& chain) {
    inside().allocate_many(tag, elements, n, size_of_element, chain);
  }
  void deallocate_many(multiallocation_chain& chain) { inside().deallocate_many(chain); }

  template <class T>
  std::pair<T*, size_type> find(char_ptr_holder_t name) {
    return inside().template find<T>(name);
  }
  template <class T>
  std::pair<T*, size_type> find_no_lock(char_ptr_holder_t name) {
    return inside().template find_no_lock<T>(name);
  }
  template <class T>
  auto construct(char_ptr_holder_t name) {
    return inside().template construct<T>(name);
  }
  template <class T>
  auto construct(char_ptr_holder_t name, const std::nothrow_t& tag) {
    return inside().template construct<T>(name, tag);
  }
  template <class T>
  auto find_or_construct(char_ptr_holder_t name) {
    return inside().template find_or_construct<T>(name);
  }
  template <class T>
  auto find_or_construct(char_ptr_holder_t name, const std::nothrow_t& tag) {
    return inside().template find_or_construct<T>(name, tag);
  }
  template <class T>
  auto construct_it(char_ptr_holder_t name) {
    return inside().template construct_it<T>(name);
  }
  template <class T>
  auto construct_it(char_ptr_holder_t name, const std::nothrow_t& tag) {
    return inside().template construct_it<T>(name, tag);
  }
  template <class T>
  auto find_or_construct_it(char_ptr_holder_t name) {
    return inside().template find_or_construct_it<T>(name);
  }
  template <class T>
  auto find_or_construct_it(char_ptr_holder_t name, const std::nothrow_t& tag) {
    return inside().template find_or_construct_it<T>(name, tag);
  }
  template <class Function>
  void atomic_func(Function&& f) {
    inside().atomic_func(std::forward<Function>(f));
  }
  template <class Function>
  bool try_atomic_func(Function&& f) {
    return inside().try_atomic_func(std::forward<Function>(f));
  }
  template <class T>
  bool destroy(char_ptr_holder_t name) {
    return inside().template destroy<T>(name);
  }
  template <class T>
  void destroy_ptr(const T* object) {
    inside().destroy_ptr(object);
  }
  template <class T>
  static const char_type* get_instance_name(const T* object) {
    return segment_manager::get_instance_name(object);
  }
  template <class T>
  static instance_type get_instance_type(const T* object) {
    return segment_manager::get_instance_type(object);
  }
  template <class T>
  static size_type get_instance_length(const T* object) {
    return segment_manager::get_instance_length(object);
  }
  void reserve_named_objects(size_type n) { inside().reserve_named_objects(n); }
  void reserve_unique_objects(size_type n) { inside().reserve_unique_objects(n); }
  void shrink_to_fit_indexes() { inside().shrink_to_fit_indexes(); }
  size_type get_num_named_objects() { return inside().get_num_named_objects(); }
  size_type get_num_unique_objects() { return inside().get_num_unique_objects(); }
  const_named_iterator named_begin() const { return inside().named_begin(); }
  const_named_iterator named_end() const { return inside().named_end(); }
  const_unique_iterator unique_begin() const { return inside().unique_begin(); }
  const_unique_iterator unique_end() const { return inside().unique_end(); }

  template <class T>
  struct allocator {
    using type = typename segment_manager::template allocator<T>::type;
  };
  template <class T>
  typename allocator<T>::type get_allocator() {
    return inside().template get_allocator<T>();
  }
  template <class T>
  struct deleter {
    using type = typename segment_manager::template deleter<T>::type;
  };
  template <class T>
  typename deleter<T>::type get_deleter() {
    return inside().template get_deleter<T>();
  }

 private:
  template <class Tag>
  basic_managed_mapped_file(Tag how, const std::filesystem::path& path, const perdure::store_options& options,
                            const void* address, size_type size = 0)
      : file_(detail::translate_errors([&] {
          const bool is_new = size != 0 && !manager_type::exists(path);
          auto file = std::make_unique<open_file>(manager_type(how, path, options));
          if (is_new) file->ask_for(size);
          return file;
        })) {
    if (address == nullptr || get_address() == address) return;
    throw store_exception(perdure::error(
        perdure::errc::address_taken,
        path.string() + ": the store is not at the address that is asked for; its address is given when it "
                        "is created"));
  }

  static perdure::store_options options_for(size_type size, const void* address) {
    perdure::store_options options;
    options.capacity = detail::capacity_for(size);
    options.pinned = address != nullptr;
    options.address = const_cast<void*>(address);
    return options;
  }
  /// Opens the store; `size_of` says what its size is from now on.
  template <class SizeOf>
  static void resize(const std::filesystem::path& path, SizeOf size_of) {
    open_file file(manager_type(perdure::open_only, path));
    const std::size_t size = size_of(file);
    if (file.asked_for() != 0) file.ask_for(size);
    file.manager().checkpoint();
    file.manager().store().wait_applied();
    file.manager().close();
  }
  template <class Body>
  static bool succeeds(Body body) {
    try {
      body();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  manager_type& open_store() const {
    if (!store().is_open()) detail::throw_not_open();
    return store();
  }
  segment_manager& inside() const {
    segment_manager* const manager = get_segment_manager();
    if (manager == nullptr) detail::throw_not_open();
    return *manager;
  }

  std::unique_ptr<open_file> file_;
};

}  // namespace perdure_interprocess
