// A manager is a heap in a datastore with a directory of named, typed objects: what most programs use.
//
//     perdure::manager store(perdure::open_or_create, "my.store");
//     auto* counter = store.find_or_construct<int>("counter")(0);
//     ++*counter;   // the next run finds it here
//
// The conventions are those of Boost.Interprocess and Metall.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <perdure/allocator.hpp>
#include <perdure/data_object.hpp>
#include <perdure/datastore.hpp>
#include <perdure/detail/construct_proxy.hpp>
#include <perdure/detail/manager_core.hpp>
#include <perdure/error.hpp>
#include <perdure/heap.hpp>
#include <perdure/object_info.hpp>
#include <perdure/open_mode.hpp>
#include <perdure/persistable.hpp>
#include <perdure/placement.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/type_stamp.hpp>
#include <perdure/write_guard.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure {

/// A function that is told of a checkpoint that failed in a manager's destructor: the store's path and the
/// reason. It must not throw.
using close_failure_handler = detail::close_failure_handler;

/// Replaces the handler of changes that are lost where nothing can be thrown, and returns the old one. They
/// are lost if a checkpoint fails in the destructor of a manager. They are also lost if the program ends by
/// `exit` (or returns from `main`) with a store open for writing that no destructor closes. Initially the
/// handler is null, which means: one line on the standard error stream, and the process, which may be about
/// to return 0, ends with status 1 instead, after the destructors of all global objects. An interpreter,
/// whose exit status is not the store's business, installs one. Thread-safe.
close_failure_handler set_close_failure_handler(close_failure_handler handler) noexcept;

template <class Placement>
class basic_manager;

namespace detail {
/// Access for the library's own parts to a manager. `invalid_argument` for one that is closed.
template <class Placement>
manager_core& core_of(const basic_manager<Placement>& store) {
  return store.core();
}
}  // namespace detail

/// An open store and its objects.
///
/// Thread safety: every member may be called from any thread at once, except construction, moving,
/// destruction, `close`, `discard` and iteration. These need threads that change the store to be quiet until
/// they return. The objects themselves are the caller's to protect, from each other by locks, and from being
/// checkpointed half done by `writing`.
///
/// After fork() the child of a reader reads on; that of a writer has nothing of the store's memory: touching
/// an object is a SIGSEGV, with a line on the standard error stream, and members throw `invalid_argument`. It
/// may close or destroy the manager, which makes no checkpoint then, or just end. More is in
/// docs/explanation/durability.md.
///
/// Names are any bytes, 1 to `max_name_length` of them; `unique_instance` names the only object of its type,
/// `anonymous_instance` an object without name. Pointers stay valid until the object is destroyed or the
/// manager closed. Members throw `perdure::error` (codes below each), `std::bad_alloc` where memory or the
/// store's capacity is exhausted, and what the objects' constructors throw.
template <class Placement>
class basic_manager {
  using core_mode = detail::manager_core::mode;

 public:
  /// The placement of the store: `relocatable` or `pinned`.
  using placement = Placement;
  /// The allocator of containers in the store.
  template <class T = std::byte>
  using allocator_type = typename Placement::template allocator<T>;

  /// Creates a store in a new directory, or in place of an empty one, durable on return. Symbolic links are
  /// followed, also one to where nothing is yet. `already_exists`, `permission_denied`, `no_space`, `io`.
  basic_manager(create_only_t, const std::filesystem::path& path, const store_options& options = {})
      : basic_manager(core_mode::create, path, options) {}
  /// Opens a store at its last checkpoint. O(1) in the number of objects. `not_found`, `not_a_store`,
  /// `in_use`, `damaged`, `too_new`, `incompatible` (also a store that is not pinned, by a `pinned_manager`),
  /// `address_taken` (a pinned store).
  basic_manager(open_only_t, const std::filesystem::path& path, const store_options& options = {})
      : basic_manager(core_mode::open, path, options) {}
  /// Opens as `open_only`, for reading: objects must not be written to, and every member that would change
  /// the store throws `read_only`.
  basic_manager(open_read_only_t, const std::filesystem::path& path, const store_options& options = {})
      : basic_manager(core_mode::open_read_only, path, options) {}
  /// Opens as `open_read_only`, but objects may be changed, constructed and destroyed in memory. The changes
  /// are this process's own and are dropped when the manager is closed; `checkpoint` throws `read_only`.
  basic_manager(open_copy_on_write_t, const std::filesystem::path& path, const store_options& options = {})
      : basic_manager(core_mode::open_copy_on_write, path, options) {}
  /// Opens as `open_only`, or creates as `create_only` where nothing is at the path.
  basic_manager(open_or_create_t, const std::filesystem::path& path, const store_options& options = {})
      : basic_manager(core_mode::open_or_create, path, options) {}

  /// Takes over an open store, and leaves an empty manager. Assignment first closes the store that this
  /// manager had, as the destructor does.
  ///@{
  basic_manager(basic_manager&& other) noexcept
      : core_(std::move(other.core_)), commits_when_unwinding_(other.commits_when_unwinding_) {}
  basic_manager& operator=(basic_manager&& other) noexcept {
    if (this != &other) {
      close_quietly();
      core_ = std::move(other.core_);
      commits_when_unwinding_ = other.commits_when_unwinding_;
    }
    return *this;
  }
  ///@}
  /// Closes with a checkpoint. A failure is reported to the close failure handler and what changed since the
  /// last checkpoint is lost; call `close` to be told by an exception.
  ///
  /// When an exception that was thrown after the manager was made is what ends it, the program's changes may
  /// be half done: then it closes as by `discard`, and the last checkpoint stays as it is. (With the backing
  /// `shared_file` what was stored is in the files all the same.)
  ~basic_manager() {
    if (std::uncaught_exceptions() > exceptions_before_ && !commits_when_unwinding_) discard();
    close_quietly();
  }
  /// Says whether the destructor makes its checkpoint also when an exception ends the manager. Initially it
  /// does not. For programs whose objects are whole whenever something is thrown.
  void commit_when_unwinding(bool commits = true) noexcept { commits_when_unwinding_ = commits; }

  /// Checkpoints (unless opened with `open_read_only` or `open_copy_on_write`, or in a forked child) and
  /// closes; the manager is then empty, as after a move. Does nothing on an empty one. If the checkpoint
  /// throws the store stays open, so the call may be repeated. `invalid_argument` inside `writing`.
  void close() {
    if (core_ == nullptr) return;
    core_->checkpoint_to_close();
    const std::unique_ptr<detail::manager_core> closing = std::move(core_);
    closing->close();
  }
  /// Returns whether a store is open (not closed, not moved from).
  bool is_open() const noexcept { return core_ != nullptr; }
  /// Closes without a checkpoint: what changed since the last one is dropped. The manager is then empty.
  void discard() noexcept { core_.reset(); }

  /// Makes the present state of all objects durable, atomically. `read_only`, `no_space`, `io`: then the
  /// previous checkpoint stays the durable one and the call may be repeated. Cost is proportional to the
  /// pages changed since the last one. A `label` (up to 63 bytes) is kept in the store's log.
  ///
  /// Other threads may go on. Allocations, the directory of objects, and what is stored inside `writing` are
  /// in it as a whole or not at all; of what threads write to objects outside it any part may be. Threads
  /// that want to allocate or to begin `writing` wait until the changed pages are copied, and the checkpoint
  /// waits for threads inside `writing`. `invalid_argument` if the calling thread is, `unsupported` where the
  /// kernel has been told since the store was opened to refuse membarrier(2).
  void checkpoint(std::string_view label = {}) { core().checkpoint(label); }
  /// Makes a checkpoint as `checkpoint` does, but returns as soon as the changed pages are copied; they
  /// become durable while the program goes on. The handle tells when, and what went wrong; a checkpoint that
  /// failed changes nothing but that, and the next has its changes too. Waits first for the last one, if that
  /// is still under way.
  pending_checkpoint checkpoint_async(std::string_view label = {}) { return core().checkpoint_async(label); }

  /// Prepares a checkpoint as `datastore::prepare` does: the first of two phases, for stores that must have a
  /// checkpoint all or none. Threads may go on as after `checkpoint_async`; other checkpoints of this manager
  /// wait until it is decided or abandoned, and so does its end. It must end before the manager, in this
  /// thread, of which other checkpoints are refused until then (`invalid_argument`).
  std::unique_ptr<prepared_checkpoint> prepare(std::string_view label = {}) { return core().prepare(label); }

  /// Holds checkpoints up while the guard lives, so that what this thread writes meanwhile is in a checkpoint
  /// as a whole or not at all. See `write_guard` for what must not be done inside. `read_only`,
  /// `std::bad_alloc`.
  ///
  ///     {
  ///       const auto guard = store.writing();
  ///       from->balance -= sum;
  ///       to->balance += sum;
  ///     }
  write_guard writing() {
    core().require_writable();
    return write_guard(core().memory());
  }

  /// Gives the memory of all pages back to the system, as `datastore::trim` does; threads may go on.
  void trim() { core().store().trim(); }

  /// Checks these bytes now, as `datastore::require_sound` does, in a store opened with `verify_mode::lazy`.
  void require_sound(const void* address, std::size_t bytes) const {
    core().store().require_sound(address, bytes);
  }
  /// Prepares these bytes to be written to, as `datastore::make_writable` does, with the `dax` backing.
  void make_writable(void* address, std::size_t bytes) { core().store().make_writable(address, bytes); }

  /// Copies the store as of its last checkpoint to a new path; what changed since is not in it. Other threads
  /// may go on. With the backing `shared_file` the copy has what the store holds now, and other threads
  /// wait until it is made, as during a checkpoint. Takes no space for what the file system can share.
  /// `already_exists`, `no_space`, `io`; `invalid_argument` with `shared_file` inside a `write_guard`.
  void snapshot(const std::filesystem::path& to) const { core().snapshot(to); }
  /// Copies a store as of its last checkpoint, as `store_maintenance::copy` does. `in_use`, and as above.
  /// `copy_async` does so in a thread; its handle throws what the copy throws.
  ///@{
  static void copy(const std::filesystem::path& from, const std::filesystem::path& to) {
    store_maintenance::copy(from, to);
  }
  static pending_copy copy_async(const std::filesystem::path& from, const std::filesystem::path& to) {
    return store_maintenance::copy_async(from, to);
  }
  ///@}

  /// Returns the datastore, for what the manager does not offer itself. Do not close it: close the manager.
  datastore& store() const { return core().store(); }
  /// Returns the heap, from which allocators take memory.
  heap& memory() const { return core().memory(); }
  /// Returns the store's directory.
  const std::filesystem::path& path() const { return core().store().path(); }
  /// Returns whether objects must not be changed.
  bool read_only() const { return !core().writable(); }

  /// Returns whether a store is at the path, open or not, sound or not.
  static bool exists(const std::filesystem::path& path) { return detail::store_exists(path); }
  /// Deletes the store at the path. Returns false if nothing is there. `not_a_store` (nothing is touched) if
  /// something else is; `in_use`, `permission_denied`, `io`.
  static bool remove(const std::filesystem::path& path) { return detail::remove_store(path); }

  /// Verifies like `store_maintenance::verify`; if all bytes are whole, also the heap and all objects.
  static verify_report verify(const std::filesystem::path& path, const verify_options& options = {}) {
    return detail::verify_store(path, options);
  }

  /// Constructs a new object, as `construct<T>(name)(args…)`, or an array of n elements, each from the same
  /// arguments, as `construct<T>(name)[n](args…)`. An allocator-aware `T` gets the store's allocator, unless
  /// the arguments hold one. The object can be found once all its constructors have returned; if one throws,
  /// the elements before it are destroyed and their memory is given back. `already_exists`, `read_only`,
  /// `invalid_argument` (empty or too long name).
  template <class T>
  auto construct(const object_name& name) {
    return detail::construct_proxy<T, Placement>(core(), name, detail::if_exists::fail, false);
  }
  /// Constructs as above, but returns null instead of an error or `std::bad_alloc`. What constructors throw
  /// is still thrown.
  template <class T>
  auto construct(const object_name& name, std::nothrow_t) {
    return detail::construct_proxy<T, Placement>(core(), name, detail::if_exists::fail, true);
  }
  /// Constructs as `construct`, or returns the object of this name if there is one. Many threads may ask at
  /// once: one constructs, and the others wait for it. With `std::nothrow` it returns null instead of an
  /// error or `std::bad_alloc`.
  ///@{
  template <class T>
  auto find_or_construct(const object_name& name) {
    return detail::construct_proxy<T, Placement>(core(), name, detail::if_exists::use, false);
  }
  template <class T>
  auto find_or_construct(const object_name& name, std::nothrow_t) {
    return detail::construct_proxy<T, Placement>(core(), name, detail::if_exists::use, true);
  }
  ///@}
  /// Constructs as the functions without `_it`, from iterators: `construct_it<T>(name)[n](iterators…)` makes
  /// element i from what the iterators point to after i increments.
  ///@{
  template <class T>
  auto construct_it(const object_name& name) {
    return detail::iterator_construct_proxy<T, Placement>(core(), name, detail::if_exists::fail, false);
  }
  template <class T>
  auto construct_it(const object_name& name, std::nothrow_t) {
    return detail::iterator_construct_proxy<T, Placement>(core(), name, detail::if_exists::fail, true);
  }
  template <class T>
  auto find_or_construct_it(const object_name& name) {
    return detail::iterator_construct_proxy<T, Placement>(core(), name, detail::if_exists::use, false);
  }
  template <class T>
  auto find_or_construct_it(const object_name& name, std::nothrow_t) {
    return detail::iterator_construct_proxy<T, Placement>(core(), name, detail::if_exists::use, true);
  }
  ///@}

  /// Returns the object and its number of elements; `{nullptr, 0}` if there is none. Throws `wrong_type`,
  /// which names both types, if the object was constructed as another type. O(1).
  template <class T>
  std::pair<T*, std::size_t> find(const object_name& name) const {
    const auto [object, length] = core().find(name, type_stamp_of<std::remove_cv_t<T>>());
    return {static_cast<T*>(object), length};
  }
  /// Finds an object that was stored as a type of another name but the same layout. Types inside may have
  /// other names too, where they are aggregates, enumerations, or specialisations of the same template. Other
  /// template arguments (orders, hashes) are the caller's to match. The unique instance of a type of another
  /// name is looked for among all, in time proportional to the objects of all kinds; `wrong_type` if several
  /// would do.
  template <class T>
  std::pair<T*, std::size_t> find(const object_name& name, same_layout_t) const {
    const auto [object, length] =
        core().find(name, type_stamp_of<std::remove_cv_t<T>>(), detail::type_match::layout);
    return {static_cast<T*>(object), length};
  }

  /// Destroys the object. Returns false if there is none. `wrong_type`, `read_only`.
  template <class T>
  bool destroy(const object_name& name) {
    return destroy_elements<T>(core().withdraw(name, type_stamp_of<T>()));
  }
  /// Destroys an object that `find` finds with `same_layout`.
  template <class T>
  bool destroy(const object_name& name, same_layout_t) {
    return destroy_elements<T>(core().withdraw(name, type_stamp_of<T>(), detail::type_match::layout));
  }
  /// Destroys the object at this address, whatever its kind. Returns false if it is null. `wrong_type`,
  /// `read_only`, `invalid_argument` if no object was constructed at the address.
  template <class T>
  bool destroy_ptr(const T* object) {
    if (object == nullptr) return false;
    return destroy_elements<std::remove_cv_t<T>>(
        core().withdraw(object, type_stamp_of<std::remove_cv_t<T>>()));
  }

  // Arrays of plain data, whose types are known at run time only, and for programs in other languages. Any of
  // them is found as what it is: `construct<double>("x")[n]()` makes what `find_data("x")` finds, and the
  // other way round; so are structs of numbers.

  /// Creates an object of `length` elements of zeros. `alignment` is a power of two up to 2 MiB, 0 the type's
  /// own; it is 16 at least. `already_exists`, `read_only`, `invalid_argument` (elements of any length,
  /// absurd numbers).
  data_object create_data(const object_name& name, const data_type& type, std::uint64_t length,
                          std::size_t alignment = 0) {
    return detail::construct_data(core(), name, type, length, alignment, detail::if_exists::fail);
  }
  /// Finds an object of plain data; without data where there is none. `wrong_type` where the object is more
  /// than plain data.
  data_object find_data(const object_name& name) const { return detail::find_data(core(), name); }
  /// Finds or creates an object of plain data. `wrong_type` where there is one of another type, of fewer
  /// elements, or less aligned; else as `create_data`.
  data_object find_or_create_data(const object_name& name, const data_type& type, std::uint64_t length,
                                  std::size_t alignment = 0) {
    return detail::construct_data(core(), name, type, length, alignment, detail::if_exists::use);
  }
  /// Destroys an object of plain data. Returns false where there is none. `wrong_type`, `read_only`.
  bool destroy_data(const object_name& name) { return detail::destroy_data(core(), name); }

  // What is known of an object, by its address: `invalid_argument` if no object was constructed there.

  /// Returns a named object's name, a unique object's type name (mangled), and nothing for an anonymous one.
  /// The view is valid until the object is destroyed.
  std::string_view get_instance_name(const void* object) const {
    const object_info info = core().describe(object);
    return info.kind() == instance_kind::unique ? info.mangled_type_name() : info.name();
  }
  /// Returns how the object is found again.
  instance_kind get_instance_kind(const void* object) const { return core().describe(object).kind(); }
  /// Returns the number of elements.
  std::size_t get_instance_length(const void* object) const { return core().describe(object).length(); }
  /// Returns the element type as its author wrote it.
  std::string get_instance_type_name(const void* object) const { return core().describe(object).type_name(); }
  /// Returns all that is known of the object.
  object_info get_instance_info(const void* object) const { return core().describe(object); }

  // Attributes: small values (up to 1 MiB) under keys (up to 4 KiB), for descriptions, units, versions.
  // An object is given by name or by address. To pass the address of a `char` object cast it to `const
  // void*`, else it is read as a name. `not_found` where no object has the name, `invalid_argument` for other
  // addresses.

  /// Adds the attribute or replaces its value. `read_only`, `invalid_argument` (too long, or too many).
  ///@{
  void set_attribute(const object_name& name, std::string_view key, std::string_view value) {
    core().set_attribute(name, key, value);
  }
  void set_attribute(const char* name, std::string_view key, std::string_view value) {
    core().set_attribute(object_name(name), key, value);
  }
  void set_attribute(const void* object, std::string_view key, std::string_view value) {
    core().set_attribute(object, key, value);
  }
  ///@}
  /// Returns the value of an attribute; nothing if the object has none of that key.
  ///@{
  std::optional<std::string> attribute(const object_name& name, std::string_view key) const {
    return core().attribute_of(name, key);
  }
  std::optional<std::string> attribute(const char* name, std::string_view key) const {
    return core().attribute_of(object_name(name), key);
  }
  std::optional<std::string> attribute(const void* object, std::string_view key) const {
    return core().attribute_of(object, key);
  }
  ///@}
  /// Returns all attributes of an object.
  ///@{
  std::vector<perdure::attribute> attributes(const object_name& name) const {
    return core().attributes_of(name);
  }
  std::vector<perdure::attribute> attributes(const char* name) const {
    return core().attributes_of(object_name(name));
  }
  std::vector<perdure::attribute> attributes(const void* object) const {
    return core().attributes_of(object);
  }
  ///@}
  /// Removes an attribute. Returns false if the object has no such attribute. `read_only`.
  ///@{
  bool remove_attribute(const object_name& name, std::string_view key) {
    return core().remove_attribute(name, key);
  }
  bool remove_attribute(const char* name, std::string_view key) {
    return core().remove_attribute(object_name(name), key);
  }
  bool remove_attribute(const void* object, std::string_view key) {
    return core().remove_attribute(object, key);
  }
  ///@}

  // The store itself may have attributes too: a description, its origin.

  /// Adds an attribute of the store or replaces its value. `read_only`, `invalid_argument` as
  /// `set_attribute`.
  void set_store_attribute(std::string_view key, std::string_view value) {
    core().set_store_attribute(key, value);
  }
  /// Returns the value of an attribute of the store; nothing if it has none of that key.
  std::optional<std::string> store_attribute(std::string_view key) const {
    return core().store_attribute(key);
  }
  /// Returns all attributes of the store.
  std::vector<perdure::attribute> store_attributes() const { return core().store_attributes(); }
  /// Removes an attribute of the store. Returns false if it has no such attribute. `read_only`.
  bool remove_store_attribute(std::string_view key) { return core().remove_store_attribute(key); }

  /// Returns the number of objects of a kind. O(1).
  ///@{
  std::size_t get_num_named_objects() const { return core().count(instance_kind::named); }
  std::size_t get_num_unique_objects() const { return core().count(instance_kind::unique); }
  std::size_t get_num_anonymous_objects() const { return core().count(instance_kind::anonymous); }
  ///@}

  /// Returns the objects of a kind, in no particular order. A pass over one kind costs time proportional to
  /// the objects of all kinds.
  ///@{
  object_range named_objects() const { return core().objects(instance_kind::named); }
  object_range unique_objects() const { return core().objects(instance_kind::unique); }
  object_range anonymous_objects() const { return core().objects(instance_kind::anonymous); }
  ///@}
  /// Returns where the pass over a kind begins or ends.
  ///@{
  object_iterator named_begin() const { return named_objects().begin(); }
  object_iterator named_end() const { return named_objects().end(); }
  object_iterator unique_begin() const { return unique_objects().begin(); }
  object_iterator unique_end() const { return unique_objects().end(); }
  object_iterator anonymous_begin() const { return anonymous_objects().begin(); }
  object_iterator anonymous_end() const { return anonymous_objects().end(); }
  ///@}

  /// Returns an allocator for containers in this store. It is copyable, and valid while the store is open,
  /// and when stored in it.
  template <class T = std::byte>
  allocator_type<T> get_allocator() const {
    return allocator_type<T>(core().memory());
  }

  /// Allocates memory that is in no directory: keep an `offset_ptr` (or a handle) to it somewhere. Aligned to
  /// 16 bytes (8 for up to 8 bytes). `read_only`, `std::bad_alloc`; with `std::nothrow` null instead of
  /// `std::bad_alloc`.
  ///@{
  void* allocate(std::size_t bytes) {
    core().require_writable();
    return core().memory().allocate(bytes);
  }
  void* allocate(std::size_t bytes, std::nothrow_t) {
    core().require_writable();
    try {
      return core().memory().allocate(bytes);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  ///@}
  /// Allocates as `allocate`, aligned to `alignment`, a power of two up to 2 MiB; `invalid_argument` if it is
  /// none.
  void* allocate_aligned(std::size_t bytes, std::size_t alignment) {
    core().require_writable();
    if (!std::has_single_bit(alignment) || alignment > std::size_t{2} << 20)
      throw error(errc::invalid_argument, core().store().path().string() + ": an alignment of " +
                                              std::to_string(alignment) +
                                              " bytes is asked for: take a power of two up to 2 MiB");
    return core().memory().allocate(bytes, alignment);
  }
  /// Gives memory of `allocate` and `allocate_aligned` back; null is ignored. An object is removed by it too,
  /// without its destructor. `read_only`.
  void deallocate(void* block) {
    if (!core().deallocate_object(block)) core().memory().deallocate(block);
  }

  /// Returns the first byte of the store.
  void* get_address() const { return core().memory().base(); }
  /// Returns the store's capacity: bytes that its blocks may take, those of its directory included. The
  /// address range is longer: see `belongs_to_segment`.
  std::size_t get_size() const { return core().capacity(); }
  /// Returns the bytes that blocks may still take. Blocks that threads have cached count as taken.
  std::size_t get_free_memory() const { return core().free_memory(); }
  /// Returns whether the address lies in the store's address range.
  bool belongs_to_segment(const void* address) const {
    // A difference that wraps around is greater than any range.
    return reinterpret_cast<std::uintptr_t>(address) -
               reinterpret_cast<std::uintptr_t>(core().memory().base()) <
           core().address_space();
  }
  /// Converts an address of this store to a number that names it in every process, and back. Neither is
  /// checked.
  ///@{
  std::uint64_t get_handle_from_address(const void* address) const {
    return core().memory().offset_of(address);
  }
  void* get_address_from_handle(std::uint64_t handle) const { return core().memory().at(handle); }
  ///@}

  /// Checks the heap and the directory. `check` returns what is wrong, one sentence each, and nothing when
  /// they are sound; `check_sanity` returns whether they are. Reads the bookkeeping of every object. Threads
  /// that change the store wait.
  ///@{
  std::vector<std::string> check() const { return core().check(); }
  bool check_sanity() const { return check().empty(); }
  ///@}
  /// Returns whether the store holds no object and nothing from `allocate` or an allocator.
  bool all_memory_deallocated() const { return core().all_memory_deallocated(); }
  /// Overwrites with zeros what freed blocks left in memory, so that the next checkpoint leaves nothing of it
  /// in the store's files. Costs a pass over all free memory that was ever used, for which threads that
  /// change the store wait. `read_only`.
  void zero_free_memory() { core().zero_free_memory(); }

 private:
  friend detail::manager_core& detail::core_of<Placement>(const basic_manager&);

  basic_manager(core_mode mode, const std::filesystem::path& path, const store_options& options)
      : core_(detail::manager_core::open(mode, path, options, Placement::fixed_address)) {}

  detail::manager_core& core() const {
    if (core_ == nullptr) throw error(errc::invalid_argument, "this manager is closed: open a store first");
    return *core_;
  }

  void close_quietly() noexcept {
    if (core_ == nullptr) return;
    std::filesystem::path where;
    try {
      where = core_->store().path();
      close();
    } catch (const std::exception& failure) {
      detail::report_close_failure(where, failure.what());
      core_.reset();
    }
  }

  template <class T>
  bool destroy_elements(std::pair<void*, std::size_t> withdrawn) {
    const auto [object, length] = withdrawn;
    if (object == nullptr) return false;
    T* const first = static_cast<T*>(object);
    for (std::size_t i = length; i != 0; --i) std::destroy_at(first + (i - 1));
    core().release(object);
    return true;
  }

  std::unique_ptr<detail::manager_core> core_;
  // Of the constructing thread: a manager may itself be made while an exception unwinds the stack.
  int exceptions_before_ = std::uncaught_exceptions();
  bool commits_when_unwinding_ = false;
};

/// The usual manager: the store may be mapped at another address each time.
using manager = basic_manager<relocatable>;
/// Its store is always mapped at the same address, so plain pointers and `std::` containers survive.
using pinned_manager = basic_manager<pinned>;

}  // namespace perdure
