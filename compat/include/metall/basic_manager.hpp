// An open store and its objects, by the interface of Metall's manager.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <metall/container/fallback_allocator.hpp>
#include <metall/container/scoped_allocator.hpp>
#include <metall/defs.hpp>
#include <metall/detail/construct_proxy.hpp>
#include <metall/detail/open_store.hpp>
#include <metall/detail/store_replacement.hpp>
#include <metall/detail/store_uuid.hpp>
#include <metall/kernel/manager_kernel_fwd.hpp>
#include <metall/logger.hpp>
#include <metall/object_attribute_accessor.hpp>
#include <metall/stl_allocator.hpp>
#include <metall/tags.hpp>
#include <metall/version.hpp>
#include <optional>
#include <perdure/manager.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace metall {

/// An open store. Failures are told by return values and by the logger; what constructors and destructors of
/// objects throw is thrown.
///
/// A flush, a snapshot and the end of the manager are checkpoints: after a crash the store opens at the last
/// one. Paths are whatever a `std::filesystem::path` is made from.
///
/// Thread safety: construction, look-up and destruction of objects, allocation, attributes and static
/// functions may be called from any thread at once. `flush`, `snapshot`, `all_memory_deallocated`, iteration,
/// moving and the end of the manager need threads that change the store to be quiet.
template <typename Storage = kernel::storage, typename SegmentStorage = kernel::segment_storage,
          typename ChunkNumber = std::uint32_t, std::size_t ChunkSize = (std::size_t{1} << 21)>
class basic_manager {
 public:
  using manager_kernel_type = kernel::manager_kernel<Storage, SegmentStorage, ChunkNumber, ChunkSize>;
  using void_pointer = typename manager_kernel_type::void_pointer;
  using char_type = char;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using path_type = std::filesystem::path;
  using chunk_number_type = ChunkNumber;

  template <typename T>
  using allocator_type = stl_allocator<T, manager_kernel_type>;
  template <typename Outer, typename... Inner>
  using scoped_allocator_type =
      container::scoped_allocator_adaptor<allocator_type<Outer>, allocator_type<Inner>...>;
  template <typename T>
  using fallback_allocator = container::fallback_allocator_adaptor<allocator_type<T>>;
  template <typename Outer, typename... Inner>
  using scoped_fallback_allocator_type =
      container::scoped_allocator_adaptor<fallback_allocator<Outer>, fallback_allocator<Inner>...>;

  template <typename T>
  using construct_proxy = detail::construct_proxy<T, false>;
  template <typename T>
  using construct_iter_proxy = detail::construct_proxy<T, true>;

  using instance_kind = mtlldetail::instance_kind;
  using const_named_iterator = detail::object_attribute_iterator;
  using const_unique_iterator = detail::object_attribute_iterator;
  using const_anonymous_iterator = detail::object_attribute_iterator;
  using named_object_attribute_accessor_type = named_object_attr_accessor<difference_type, size_type>;
  using unique_object_attribute_accessor_type = unique_object_attr_accessor<difference_type, size_type>;
  using anonymous_object_attribute_accessor_type = anonymous_object_attr_accessor<difference_type, size_type>;

  // A manager that could not open its store is bad: `check_sanity()` is false, and every other function does
  // nothing and returns null, 0 or false.

  /// Opens a store at its last checkpoint. From now on its blocks may have `capacity` bytes, if that is more
  /// than what it was created with.
  basic_manager(open_only_t, const path_type& path,
                const size_type capacity = METALL_DEFAULT_CAPACITY) noexcept {
    open([&] { return detail::open_with_room(detail::plain_path(path), capacity); });
  }
  /// Opens a store for reading; many processes may. Writing to its objects ends the program.
  basic_manager(open_read_only_t, const path_type& path) noexcept {
    open([&] { return detail::native_manager(open_read_only, detail::plain_path(path)); });
  }
  /// Creates a store, in place of one that is at the path and that nobody has open. Missing directories are
  /// made. Anything else at the path is left alone: the manager is then bad.
  basic_manager(create_only_t, const path_type& path) noexcept
      : basic_manager(create_only, path, METALL_DEFAULT_CAPACITY) {}
  /// `capacity`: the most bytes that the blocks in the store may have, at least 64 KiB.
  basic_manager(create_only_t, const path_type& path, const size_type capacity) noexcept {
    open([&] {
      perdure::store_options options;
      options.capacity = capacity;
      return detail::create_replacing(path, options);
    });
  }

  basic_manager() = delete;
  basic_manager(const basic_manager&) = delete;
  basic_manager& operator=(const basic_manager&) = delete;
  basic_manager(basic_manager&&) noexcept = default;
  basic_manager& operator=(basic_manager&&) noexcept = default;
  /// Closes with a checkpoint. Should that fail, the standard error stream is told, unless a handler was set
  /// with `perdure::set_close_failure_handler`; the store is then at its last checkpoint.
  ~basic_manager() noexcept = default;

  // Names are text or any bytes in a `std::string_view`; `unique_instance` and `anonymous_instance` are taken
  // in place of one.

  /// `construct<T>(name)(args…)`, `construct<T>(name)[n](args…)`. Null if the name is taken or memory is
  /// short. Nobody finds the object before its constructors have returned.
  template <typename T>
  construct_proxy<T> construct(const perdure::object_name& name) {
    return {store_.get(), name, false};
  }
  /// Constructs like `construct`, or finds the object there is. Null if that has another type.
  template <typename T>
  construct_proxy<T> find_or_construct(const perdure::object_name& name) {
    return {store_.get(), name, true};
  }
  /// `construct_it<T>(name)[n](iterators…)`: element i from what the iterators point to after i increments.
  template <typename T>
  construct_iter_proxy<T> construct_it(const perdure::object_name& name) {
    return {store_.get(), name, false};
  }
  template <typename T>
  construct_iter_proxy<T> find_or_construct_it(const perdure::object_name& name) {
    return {store_.get(), name, true};
  }

  /// The object and its number of elements; `{nullptr, 0}` if there is none of this name and type.
  template <typename T>
  std::pair<T*, size_type> find(const perdure::object_name& name) const noexcept {
    const std::pair<T*, size_type> none(nullptr, 0);
    if (!check_sanity() || name.kind() == perdure::instance_kind::anonymous) return none;
    return detail::or_else(none, __FILE__, __LINE__, [&] { return native().template find<T>(name); });
  }

  /// False if there is no such object of this type.
  template <typename T>
  bool destroy(const perdure::object_name& name) {
    return changing_objects([&] { return native().template destroy<T>(name); });
  }
  /// Destroys a named, unique or anonymous object. False if none of this type begins at the address.
  template <typename T>
  bool destroy_ptr(const T* object) {
    return changing_objects([&] { return native().destroy_ptr(object); });
  }

  /// `typeid` name of a unique object; null for an anonymous one and for what is no object. Valid while the
  /// store is open.
  template <typename T>
  const char_type* get_instance_name(const T* object) const noexcept {
    return ask<const char_type*>(nullptr, [&] { return store_->name_of(address(object)); });
  }
  template <typename T>
  instance_kind get_instance_kind(const T* object) const noexcept {
    return ask(instance_kind(), [&] {
      switch (native().get_instance_kind(address(object))) {
        case perdure::instance_kind::unique:
          return instance_kind::unique_kind;
        case perdure::instance_kind::anonymous:
          return instance_kind::anonymous_kind;
        case perdure::instance_kind::named:
          break;
      }
      return instance_kind::named_kind;
    });
  }
  /// Number of elements; 0 for what is no object.
  template <typename T>
  size_type get_instance_length(const T* object) const noexcept {
    return ask<size_type>(0, [&] { return native().get_instance_length(address(object)); });
  }
  template <typename T>
  bool is_instance_type(const void* const object) const noexcept {
    return object != nullptr &&
           ask(false, [&] { return native().get_instance_info(object).template is_type<T>(); });
  }
  /// Empty text if the object has no description. False for what is no object.
  template <typename T>
  bool get_instance_description(const T* object, std::string* description) const noexcept {
    return description != nullptr && ask(false, [&] {
             *description =
                 native().attribute(address(object), detail::description_key).value_or(std::string());
             return true;
           });
  }
  /// Durable at the next flush. False for what is no object, and in a store open for reading.
  template <typename T>
  bool set_instance_description(const T* object, const std::string& description) noexcept {
    return ask(false, [&] {
      native().set_attribute(address(object), detail::description_key, description);
      store_->objects_changed();
      return true;
    });
  }

  size_type get_num_named_objects() const noexcept {
    return check_sanity() ? native().get_num_named_objects() : 0;
  }
  size_type get_num_unique_objects() const noexcept {
    return check_sanity() ? native().get_num_unique_objects() : 0;
  }
  size_type get_num_anonymous_objects() const noexcept {
    return check_sanity() ? native().get_num_anonymous_objects() : 0;
  }

  // Iterators keep the list of objects as it was when they were asked for.
  const_named_iterator named_begin() const noexcept { return begin_of(perdure::instance_kind::named); }
  const_named_iterator named_end() const noexcept { return {}; }
  const_unique_iterator unique_begin() const noexcept { return begin_of(perdure::instance_kind::unique); }
  const_unique_iterator unique_end() const noexcept { return {}; }
  const_anonymous_iterator anonymous_begin() const noexcept {
    return begin_of(perdure::instance_kind::anonymous);
  }
  const_anonymous_iterator anonymous_end() const noexcept { return {}; }

  /// Null where the store or the disk is full.
  void* allocate(const size_type bytes) noexcept {
    return ask<void*>(nullptr, [&] { return native().allocate(bytes); });
  }
  /// `alignment`: a power of two up to `chunk_size()`, else null. `bytes` need not be a multiple of it.
  void* allocate_aligned(const size_type bytes, const size_type alignment) noexcept {
    return ask<void*>(nullptr, [&] { return native().allocate_aligned(bytes, alignment); });
  }
  /// Null is ignored. An object is removed by it too; none of its destructors is called. In debug builds a
  /// block that is freed twice ends the program with a message.
  void deallocate(void* const block) noexcept {
    ask(false, [&] {
      native().deallocate(block);
      store_->objects_changed();
      return true;
    });
  }
  bool all_memory_deallocated() const noexcept {
    return ask(false, [&] { return native().all_memory_deallocated(); });
  }

  /// Makes the present state of all objects durable, atomically: on return, or with `synchronous` false when
  /// the device has it, while the program goes on. A failure is told to the logger; the last checkpoint then
  /// stays the durable one.
  void flush(const bool synchronous = true) noexcept {
    if (!check_sanity() || read_only()) return;
    ask(false, [&] {
      if (synchronous) {
        native().checkpoint();
      } else {
        static_cast<void>(native().checkpoint_async());
      }
      return true;
    });
  }

  /// Flushes and copies the store to the path, in place of a store there that nobody has open. True only if
  /// the copy is complete and durable. Files share their blocks where the file system can do that, whatever
  /// `clone` says; threads are chosen by the library.
  bool snapshot(const path_type& destination, [[maybe_unused]] const bool clone = true,
                [[maybe_unused]] const int num_max_copy_threads = 0) noexcept {
    return ask(false, [&] {
      if (!native().read_only()) native().checkpoint();
      detail::put_in_place(destination, [&](const path_type& to) { native().snapshot(to); });
      return true;
    });
  }

  /// Copies a store that nobody has open for writing, otherwise as `snapshot`. A store is not copied onto
  /// itself.
  static bool copy(const path_type& source, const path_type& destination,
                   [[maybe_unused]] const bool clone = true,
                   [[maybe_unused]] const int num_max_copy_threads = 0) noexcept {
    return detail::or_else(false, __FILE__, __LINE__, [&] {
      const path_type from = detail::plain_path(source);
      std::error_code one_is_missing;
      if (std::filesystem::equivalent(from, detail::plain_path(destination), one_is_missing))
        throw perdure::error(perdure::errc::invalid_argument,
                             from.string() + ": a store is not copied onto itself");
      if (!detail::native_manager::exists(from))
        throw perdure::error(perdure::errc::not_found, from.string() + ": there is no store here");
      detail::put_in_place(destination, [&](const path_type& to) { detail::native_manager::copy(from, to); });
      return true;
    });
  }
  static std::future<bool> copy_async(const path_type& source, const path_type& destination,
                                      const bool clone = true, const int num_max_copy_threads = 0) noexcept {
    return detail::or_else(std::future<bool>(), __FILE__, __LINE__, [&] {
      return std::async(std::launch::async, [source, destination, clone, num_max_copy_threads] {
        return copy(source, destination, clone, num_max_copy_threads);
      });
    });
  }

  /// True if no store is at the path afterwards and nothing else was there. A store that someone has open is
  /// not removed.
  static bool remove(const path_type& path) noexcept {
    return detail::or_else(false, __FILE__, __LINE__, [&] {
      detail::native_manager::remove(detail::plain_path(path));
      return true;
    });
  }
  static std::future<bool> remove_async(const path_type& path) noexcept {
    return detail::or_else(std::future<bool>(), __FILE__, __LINE__,
                           [&] { return std::async(std::launch::async, [path] { return remove(path); }); });
  }

  /// Whether there is a store that can be opened for reading now: also after a crash, but not while someone
  /// has it open for writing.
  static bool consistent(const path_type& path) noexcept {
    try {
      perdure::datastore::open_read_only(detail::plain_path(path))->close();
      return true;
    } catch (...) {
      return false;
    }
  }

  /// Each copy and snapshot has its own. Empty on error.
  std::string get_uuid() const noexcept {
    return ask(std::string(), [&] { return detail::uuid_of(native().store().info()); });
  }
  static std::string get_uuid(const path_type& path) noexcept {
    return detail::or_else(std::string(), __FILE__, __LINE__, [&] {
      return detail::uuid_of(perdure::store_maintenance::inspect(detail::plain_path(path)));
    });
  }
  /// The version of the interface; 0 if there is no store.
  version_type get_version() const noexcept {
    return check_sanity() ? METALL_VERSION : ver_detail::k_error_version;
  }
  static version_type get_version(const path_type& path) noexcept {
    return get_uuid(path).empty() ? ver_detail::k_error_version : METALL_VERSION;
  }

  /// Durable at the next flush.
  bool set_description(const std::string& description) noexcept {
    return ask(false, [&] {
      native().set_store_attribute(detail::description_key, description);
      return true;
    });
  }
  /// Durable on return, unless this process has the store open for writing: then at its next flush. False if
  /// another process has it open.
  static bool set_description(const path_type& path, const std::string& description) noexcept {
    return detail::or_else(false, __FILE__, __LINE__, [&] {
      const auto describe = [&](detail::native_manager& manager) {
        manager.set_store_attribute(detail::description_key, description);
      };
      if (detail::open_store::with_open(path, [&](detail::open_store& open) { describe(open.manager()); }))
        return true;
      detail::native_manager manager(open_only, detail::plain_path(path));
      describe(manager);
      manager.close();
      return true;
    });
  }
  /// Where there is none: false, and the text is left as it is.
  bool get_description(std::string* description) const noexcept {
    return description != nullptr && ask(false, [&] { return read_description(native(), description); });
  }
  static bool get_description(const path_type& path, std::string* description) noexcept {
    return description != nullptr && detail::or_else(false, __FILE__, __LINE__, [&] {
             bool found = false;
             if (detail::open_store::with_open(path, [&](detail::open_store& open) {
                   found = read_description(open.manager(), description);
                 }))
               return found;
             return read_description(detail::native_manager(open_read_only, detail::plain_path(path)),
                                     description);
           });
  }

  /// On error not `good()`.
  static named_object_attribute_accessor_type access_named_object_attribute(const path_type& path) noexcept {
    return access<named_object_attribute_accessor_type>(path);
  }
  static unique_object_attribute_accessor_type access_unique_object_attribute(
      const path_type& path) noexcept {
    return access<unique_object_attribute_accessor_type>(path);
  }
  static anonymous_object_attribute_accessor_type access_anonymous_object_attribute(
      const path_type& path) noexcept {
    return access<anonymous_object_attribute_accessor_type>(path);
  }

  /// For containers in this store. A bad manager's allocates nothing.
  template <typename T = std::byte>
  allocator_type<T> get_allocator() const noexcept {
    if (!check_sanity()) return allocator_type<T>(nullptr);
    return allocator_type<T>(native().template get_allocator<T>());
  }

  static constexpr size_type chunk_size() noexcept { return ChunkSize; }
  /// Returns the address from which the offsets of attributes count.
  const void* get_address() const noexcept { return check_sanity() ? native().get_address() : nullptr; }
  /// The most bytes that the blocks in the store may have.
  size_type get_size() const noexcept { return check_sanity() ? native().get_size() : 0; }
  /// Also true of a bad manager.
  bool read_only() const noexcept { return !check_sanity() || native().read_only(); }
  /// Whether a store is open.
  bool check_sanity() const noexcept { return store_ != nullptr; }

  /// Writes what the heap counts to a stream.
  template <typename OutStream>
  void profile(OutStream* out) const noexcept {
    if (!check_sanity() || out == nullptr) return;
    ask(false, [&] {
      const perdure::heap_stats stats = native().memory().stats();
      *out << "allocated blocks\t" << stats.blocks << '\n'
           << "bytes in allocated blocks\t" << stats.used_bytes << '\n'
           << "bytes free for reuse\t" << stats.free_bytes << '\n'
           << "bytes of bookkeeping\t" << stats.metadata_bytes << '\n'
           << "bytes of the segment in use\t" << stats.segment_bytes << '\n';
      return true;
    });
  }

 private:
  detail::native_manager& native() const noexcept { return store_->manager(); }

  template <class Open>
  void open(Open&& open_native) noexcept {
    try {
      store_ = std::make_unique<detail::open_store>(std::forward<Open>(open_native)());
    } catch (...) {
      detail::log_exception(__FILE__, __LINE__);
    }
  }

  /// `failed` from a bad manager, and where `body` throws.
  template <class Result, class Body>
  Result ask(Result failed, Body&& body) const noexcept {
    if (!check_sanity()) return failed;
    return detail::or_else(std::move(failed), __FILE__, __LINE__, std::forward<Body>(body));
  }

  /// Runs a change of objects like `ask`, but destructors may throw.
  template <class Body>
  bool changing_objects(Body&& body) {
    if (!check_sanity()) return false;
    store_->objects_changed();
    try {
      return std::forward<Body>(body)();
    } catch (const perdure::error&) {
      detail::log_exception(__FILE__, __LINE__);
      return false;
    }
  }

  /// Without it, text in a store would be taken for a name.
  static const void* address(const void* object) noexcept { return object; }

  detail::object_attribute_iterator begin_of(const perdure::instance_kind kind) const noexcept {
    return ask(detail::object_attribute_iterator(),
               [&] { return detail::object_attribute_iterator(store_->objects(kind), 0); });
  }

  static bool read_description(const detail::native_manager& manager, std::string* description) {
    std::optional<std::string> known = manager.store_attribute(detail::description_key);
    if (!known) return false;
    *description = std::move(*known);
    return true;
  }

  template <class Accessor>
  static Accessor access(const path_type& path) noexcept {
    return detail::or_else(Accessor(), __FILE__, __LINE__, [&] { return Accessor(path); });
  }

  std::unique_ptr<detail::open_store> store_;
};

}  // namespace metall
