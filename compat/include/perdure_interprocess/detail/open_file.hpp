// State of an open store in ordinary memory, and how it is found from an address inside the store.
//
// A segment manager is no object of its own: its address is the first byte of the store, so that a pointer to
// it can be kept in the store as Boost's programs do. All it does, it does through this.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <perdure/heap.hpp>
#include <perdure/manager.hpp>
#include <perdure_interprocess/exceptions.hpp>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure_interprocess::detail {

[[noreturn]] inline void throw_not_open() {
  throw store_exception(
      perdure::error(perdure::errc::invalid_argument, "the address belongs to no store that is open"));
}

inline std::size_t saturated_sum(std::size_t a, std::size_t b) noexcept {
  return b > std::numeric_limits<std::size_t>::max() - a ? std::numeric_limits<std::size_t>::max() : a + b;
}

/// The capacity of a store that holds what fits into a file of Boost's of `size` bytes. Blocks are rounded up
/// to other sizes here, by up to a quarter, and what a store records of names and types takes other room.
/// None for no size.
inline std::size_t capacity_for(std::size_t size) noexcept {
  constexpr std::size_t for_records = std::size_t{32} << 10;
  return size == 0 ? 0 : saturated_sum(size, size / 4 + for_records);
}

template <class Placement>
class open_file {
 public:
  using manager_type = perdure::basic_manager<Placement>;

  explicit open_file(manager_type opened) : manager_(std::move(opened)) {
    manager_.commit_when_unwinding();  // as a mapped file keeps what was stored to it
    if (const auto known = manager_.store_attribute(size_key))
      size_ = std::strtoull(known->c_str(), nullptr, 10);
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

  /// Bytes as Boost counts them: what the program asked for when it created the store, and has grown it by.
  /// The capacity is somewhat more (`capacity_for`), so more may be in use. 0 of a store that was created
  /// otherwise.
  std::size_t asked_for() const noexcept { return size_; }
  void ask_for(std::size_t bytes) {
    manager_.set_store_attribute(size_key, std::to_string(bytes));
    size_ = bytes;
  }
  /// Bytes of allocated blocks. What a heap needs for itself counts for nothing: it is more than the files of
  /// some programs.
  std::size_t in_use() const { return manager_.memory().stats().used_bytes; }
  std::size_t size() const { return size_ == 0 ? manager_.get_size() : in_use() + free_memory(); }
  std::size_t free_memory() const {
    if (size_ == 0) return manager_.get_free_memory();
    const std::size_t used = in_use();
    return size_ > used ? size_ - used : 0;
  }

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

  static constexpr std::string_view size_key = "boost_interprocess_size";

  manager_type manager_;
  std::size_t size_ = 0;
  std::recursive_mutex objects_;
};

}  // namespace perdure_interprocess::detail
