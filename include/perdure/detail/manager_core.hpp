// The part of a manager that does not depend on the types of its objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/datastore.hpp>
#include <perdure/detail/checkpoint_listener.hpp>
#include <perdure/heap.hpp>
#include <perdure/object_info.hpp>
#include <perdure/open_mode.hpp>
#include <perdure/type_stamp.hpp>
#include <perdure/verify.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure::detail {

class object_construction;
class pending_constructions;

/// Refers to what is to be called with an object; that must outlive it. Not `std::function`: <functional> is
/// a tenth of what every program that includes this compiles.
class object_visitor {
 public:
  template <class Look>
    requires std::is_invocable_v<const Look&, const object_info&>
  object_visitor(const Look& look) noexcept
      : look_(&look), call_([](const void* called, const object_info& object) {
          (*static_cast<const Look*>(called))(object);
        }) {}
  void operator()(const object_info& object) const { call_(look_, object); }

 private:
  const void* look_;
  void (*call_)(const void*, const object_info&);
};

/// Store, heap and directory of one open manager. Thread-safe except where noted.
class manager_core {
 public:
  enum class mode { create, open, open_read_only, open_copy_on_write, open_or_create };

  static std::unique_ptr<manager_core> open(mode how, const std::filesystem::path& path,
                                            const store_options& options, bool must_be_pinned);
  manager_core(const manager_core&) = delete;
  manager_core& operator=(const manager_core&) = delete;
  /// Closes without a checkpoint.
  ~manager_core();

  /// These wait for changes that other threads have begun, and keep them from beginning more.
  void checkpoint(std::string_view label = {});
  pending_checkpoint checkpoint_async(std::string_view label = {});
  std::unique_ptr<prepared_checkpoint> prepare(std::string_view label);
  /// From now on `prepare` only makes checkpoints, for one of several stores that have them together; the
  /// others are refused, and so is closing with one (`invalid_argument`).
  void make_checkpoints_joint() noexcept;
  /// Like `datastore::snapshot`; waits for changes only with the backing `shared_file`.
  void snapshot(const std::filesystem::path& to) const;
  /// The checkpoint with which a manager closes, which it must not do inside a write_guard. None of a store
  /// that is open for reading, and none in a forked child, which has changed nothing.
  void checkpoint_to_close();
  /// Without a checkpoint; the core is of no use afterwards.
  void close();

  datastore& store() noexcept;
  heap& memory() noexcept;
  /// Bytes that the blocks in the store may take.
  std::size_t capacity() const noexcept;
  /// Bytes that blocks may still take.
  std::size_t free_memory() const;
  /// Bytes of address space that are reserved.
  std::size_t address_space() const noexcept;
  /// Bytes of the segment that are accessible.
  std::size_t size() const noexcept;
  /// Throws `errc::read_only` naming the path, if the store was opened so, and `errc::invalid_argument` in a
  /// forked child.
  void require_writable() const;
  /// Throws `errc::invalid_argument` in a forked child that does not have the memory.
  void require_memory() const;
  bool writable() const noexcept;
  /// Throws `errc::invalid_argument`, saying that `what` would wait for the calling thread, if that is inside
  /// a write_guard of this store.
  void require_no_failed_moves() const;
  void require_not_writing(const char* what) const;

  /// `{nullptr, 0}` where there is none; `errc::wrong_type` where it was stored as another type.
  std::pair<void*, std::size_t> find(const object_name& name, const type_stamp& type,
                                     type_match match = type_match::whole) const;

  /// Takes an object out of the directory, so that no one finds it any more, for the caller to destroy its
  /// elements and then `release` it. `{nullptr, 0}` where there is none.
  std::pair<void*, std::size_t> withdraw(const object_name& name, const type_stamp& type,
                                         type_match match = type_match::whole);
  std::pair<void*, std::size_t> withdraw(const void* object, const type_stamp& type);
  void release(void* withdrawn) noexcept;

  /// Removes the object that begins at the address, without its destructor. False if no object does.
  bool deallocate_object(void* address);

  /// Describes an object; `errc::invalid_argument` if the address is not that of an object.
  object_info describe(const void* object) const;
  std::size_t count(instance_kind kind) const noexcept;
  object_range objects(instance_kind kind) const;
  /// Shows the named object, whatever its type, while no thread can destroy it; false where there is none.
  /// `look` must not use the manager.
  bool visit(const object_name& name, object_visitor look) const;
  /// Visits every object of a kind, like the function above.
  void visit_all(instance_kind kind, object_visitor look) const;

  /// Returns the listener to the checkpoints of this store: the one there is, or the one that `make` makes,
  /// which ends with the store. `make` may use the manager, and must be the same function for all who ask.
  std::shared_ptr<checkpoint_listener> listener(std::shared_ptr<checkpoint_listener> (*make)(manager_core&));

  void set_attribute(const object_name& name, std::string_view key, std::string_view value);
  void set_attribute(const void* object, std::string_view key, std::string_view value);
  std::optional<std::string> attribute_of(const object_name& name, std::string_view key) const;
  std::optional<std::string> attribute_of(const void* object, std::string_view key) const;
  std::vector<attribute> attributes_of(const object_name& name) const;
  std::vector<attribute> attributes_of(const void* object) const;
  bool remove_attribute(const object_name& name, std::string_view key);
  bool remove_attribute(const void* object, std::string_view key);

  void set_store_attribute(std::string_view key, std::string_view value);
  std::optional<std::string> store_attribute(std::string_view key) const;
  std::vector<attribute> store_attributes() const;
  bool remove_store_attribute(std::string_view key);

  /// Waits for running changes to finish, like a checkpoint, unless the store is open read-only; so do the
  /// next two.
  std::vector<std::string> check() const;
  bool all_memory_deallocated() const;
  void zero_free_memory();

 private:
  void complete_changes() const;
  void await_application() const;
  void require_checkpoints() const;
  void require_alone() const;
  std::vector<page_run> released_pages();

  friend class object_construction;
  struct state;
  explicit manager_core(std::unique_ptr<state> s) noexcept;
  std::unique_ptr<state> state_;
};

/// Action when the name is taken.
enum class if_exists { fail, use };

/// An object between its name being reserved and its being published (or given up, by the destructor).
///
/// No lock is held meanwhile, so constructors may use the manager. Another thread that asks for the same
/// name waits for the outcome; the same thread (a constructor that constructs its own name) gets
/// `errc::already_exists`, and so does a thread that would wait for itself through others.
class object_construction {
 public:
  /// Throws `already_exists`, `wrong_type`, `read_only`, `invalid_argument` (an empty or too long name),
  /// `std::bad_alloc`. A new object is aligned to `alignment` too: a power of two up to 2 MiB.
  object_construction(manager_core& core, const object_name& name, const type_stamp& type, std::size_t length,
                      if_exists policy, std::size_t alignment = 1);
  object_construction(const object_construction&) = delete;
  object_construction& operator=(const object_construction&) = delete;
  ~object_construction();

  /// The object was there already (`if_exists::use`); nothing is to be constructed.
  bool exists() const noexcept { return exists_; }
  /// Uninitialised memory for the elements, or the existing object.
  void* object() const noexcept { return object_; }
  void publish() noexcept;

 private:
  friend class pending_constructions;

  manager_core::state& state_;
  std::string_view key_;
  instance_kind kind_;
  const void* owner_;  // the thread's mark (pending_constructions)
  void* object_ = nullptr;
  bool exists_ = false;
  bool pending_ = false;
};

/// Where failures of a manager's destructor go. Null: one line on the standard error stream.
using close_failure_handler = void (*)(const std::filesystem::path& path, const char* what);

void report_close_failure(const std::filesystem::path& path, const char* what) noexcept;

/// Implementations of `manager::exists` and `manager::remove`.
bool store_exists(const std::filesystem::path& path);
bool remove_store(const std::filesystem::path& path);

/// Implementation of `manager::verify`.
verify_report verify_store(const std::filesystem::path& path, const verify_options& options);

}  // namespace perdure::detail
