// State of an open manager: the store, the heap, the directory, and which objects are under
// construction.
//
// One lock guards the directory: finding shares it, changing it is exclusive. It is never held while
// constructors or destructors run. A thread that changes the directory begins a change of the heap first and
// takes the lock then: if it waited for a checkpoint with the lock held, it would hold up other threads,
// which that checkpoint waits for.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/owner_process.hpp"
#include "manager/debugger_record.hpp"
#include "manager/name_directory.hpp"
#include "manager/pending_constructions.hpp"
#include "perdure/detail/manager_core.hpp"
#include "perdure/error.hpp"

namespace perdure::detail {

/// While it lives, a process that ends by exit() has lost changes to the store, is told so, and ends with
/// status 1 (see `set_close_failure_handler`). Forked children have lost nothing.
class open_writer {
 public:
  explicit open_writer(const std::string& path);
  open_writer(const open_writer&) = delete;
  open_writer& operator=(const open_writer&) = delete;
  ~open_writer();

 private:
  base::owner_process owner_;
};

struct manager_core::state {
  class change;
  class view;

  // Destroyed in reverse: the heap before the segment it lives in.
  std::unique_ptr<datastore> store;
  std::unique_ptr<heap> memory;
  std::unique_ptr<name_directory> directory;
  std::string path;
  bool writable = false;
  bool known_layouts_only = false;
  std::optional<open_writer>
      loses_at_exit;  // its changes would be kept by a checkpoint, and it is not closed

  std::mutex making_listener;
  std::shared_ptr<checkpoint_listener> listener;  // or null
  std::mutex departing;  // held by one checkpoint, until its pages are copied, or if it is prepared, decided
  std::atomic<std::thread::id> prepared_by{};  // the thread that has prepared a checkpoint
  std::atomic<bool> is_joint{false};           // checkpoints of this store are made with those of others
  mutable std::shared_mutex lock;
  pending_constructions pending;
  std::optional<shown_to_debuggers> shown;  // while it is open

  /// Finds heap and directory in the store's memory, or makes the directory that is missing there.
  void attach();
  /// Makes heap and directory in empty memory.
  void format();

  // As the functions of these names in manager_core.
  void require_writable() const;
  void require_memory() const;
  /// `errc::unsupported` where only types of known layouts are taken and this is none.
  void require_known(const type_stamp& type) const;
  /// `errc::invalid_argument` in the thread that has prepared a checkpoint, which would wait for itself.
  void require_none_prepared() const;

  // With the lock held:

  /// `errc::wrong_type` unless the object was stored as that type.
  void require_type(const void* object, const type_stamp& type, type_match match, instance_kind kind,
                    std::string_view key) const;
  /// `errc::invalid_argument` unless an object is at the address.
  void require_object(const void* object) const;
  /// Null where there is none; `errc::wrong_type` where it is of another type.
  void* find_as(const object_name& name, const type_stamp& type, type_match match) const;
  /// Null where no object has the name.
  void* find_named(const object_name& name) const;
  /// `errc::not_found` where no object has the name, `errc::invalid_argument` where none is at the address.
  object_record& record_of(const object_name& name) const;
  object_record& record_of(const void* object) const;

 private:
  void format_directory();
  void* find_unique_by_layout(const type_stamp& type) const;
};

/// While it lives, the calling thread alone may change the directory. Throws as `require_writable` does.
class manager_core::state::change {
 public:
  explicit change(state& of) : heap_((of.require_writable(), *of.memory)), lock_(of.lock) {}

 private:
  const heap_change heap_;
  const std::unique_lock<std::shared_mutex> lock_;
};

/// While it lives, the directory stays as it is. Throws as `require_memory` does.
class manager_core::state::view {
 public:
  explicit view(const state& of) : lock_((of.require_memory(), of.lock)) {}

 private:
  const std::shared_lock<std::shared_mutex> lock_;
};

}  // namespace perdure::detail
