// What is known of an open store in ordinary memory, and how it is found from an address inside the store.
//
// A segment manager is no object of its own: its address is the first byte of the store, so that a pointer to
// it can be kept in the store as Boost's programs do. All it does, it does through this.
#pragma once

#include <mutex>
#include <perdure/heap.hpp>
#include <perdure/manager.hpp>
#include <perdure_interprocess/exceptions.hpp>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace perdure_interprocess::detail {

[[noreturn]] inline void throw_not_open() {
  throw store_exception(
      perdure::error(perdure::errc::invalid_argument, "the address belongs to no store that is open"));
}

template <class Placement>
class open_file {
 public:
  using manager_type = perdure::basic_manager<Placement>;

  explicit open_file(manager_type opened) : manager_(std::move(opened)) {
    manager_.commit_when_unwinding();  // as a mapped file keeps what was stored to it
    const std::unique_lock lock(registry().mutex);
    registry().files.push_back(this);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    const std::unique_lock lock(registry().mutex);
    std::erase(registry().files, this);
  }

  /// The open store in which the address lies; throws if there is none.
  static open_file& containing(const void* address) {
    const perdure::heap* const memory = perdure::heap::containing(address);
    const std::shared_lock lock(registry().mutex);
    for (open_file* const file : registry().files)
      if (file->manager_.is_open() && &file->manager_.memory() == memory) return *file;
    throw_not_open();
  }

  manager_type& manager() noexcept { return manager_; }
  /// Held by whoever looks for, constructs or destroys a named or unique object. Recursive because
  /// constructors, and functions given to `atomic_func`, do the same.
  std::recursive_mutex& objects() noexcept { return objects_; }

 private:
  struct open_files {
    std::shared_mutex mutex;
    std::vector<open_file*> files;
  };
  static open_files& registry() {
    static open_files all;
    return all;
  }

  manager_type manager_;
  std::recursive_mutex objects_;
};

}  // namespace perdure_interprocess::detail
