// An open store as Python holds it: what is open, and which views of its arrays live.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/datastore.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace perdure::python {

/// How a store is opened: the letters of h5py and zarr.
enum class open_letter { read, read_write, append, truncate, exclusive };

/// The groups that the names of arrays make, so that a group is found without a look at all names.
/// Thread-safe.
class group_names {
 public:
  /// Returns whether an array's name begins with `name` and "/". Lists all arrays if others have changed
  /// them.
  bool is_group(const untyped_arrays& arrays, const std::string& name);
  /// Counts an array that this process has created, or no longer counts one that it has erased.
  void add(std::string_view array);
  void remove(std::string_view array);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> members_;  // arrays below each group
  std::size_t count_ = 0;                                 // arrays that are in the numbers
};

/// A store, or a set of stores, that is open. Views share it, so its memory is mapped and its lock is held
/// until the last of them goes. The destructor makes no checkpoint. There are no views of a set that the
/// ranks of a program have open: its memory ends when they close it.
class session {
 public:
  session(open_letter how, const std::filesystem::path& path, const store_options& options);
  /// Opens a set of stores, one for each rank. Collective, and so are `checkpoint`, `snapshot` and the three
  /// ways to close it.
  session(open_letter how, const std::filesystem::path& path, const detail::set_options& options,
          std::unique_ptr<detail::rank_group> ranks);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  /// Returns the manager. Throws `unsupported` for a set of stores, which has none.
  manager& store() const;
  bool is_set() const noexcept { return !manager_; }
  /// Returns the set of stores that ranks have open, or null.
  detail::store_set* set() const noexcept { return set_.get(); }
  bool is_writable() const noexcept { return manager_ ? !manager_->read_only() : set_ && !set_->read_only(); }
  untyped_arrays& arrays() const noexcept { return *arrays_; }
  bool is_group(const std::string& name) const { return groups_.is_group(*arrays_, name); }
  /// Throws `invalid_argument` where a new array of this name would be a group too, or lie in an array.
  /// Returns whether there is such an array.
  bool require_free(const std::string& name) const;
  group_names& groups() const noexcept { return groups_; }
  /// Returns the checkpoint that is open.
  std::uint64_t epoch() const;
  void checkpoint(std::string_view label) const;
  void snapshot(const std::filesystem::path& to) const;
  /// A number that no other session of this process has had.
  std::uint64_t serial() const noexcept { return serial_; }
  /// Whether a forked child lacks the memory.
  bool loses_memory_at_fork() const;
  /// From now on the destructor leaves everything as it is: in a forked child the memory is the parent's.
  void abandon() noexcept { is_abandoned_ = true; }

 private:
  std::unique_ptr<manager> manager_;
  std::unique_ptr<detail::store_set> set_;  // of ranks
  std::shared_ptr<untyped_arrays> arrays_;
  mutable group_names groups_;
  std::uint64_t serial_;
  std::uint64_t epoch_of_set_ = 0;  // that this process reads alone
  bool is_abandoned_ = false;
};

/// A view of an array that lives, for the sentence that names it.
class live_views {
 public:
  void add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    ++names_[name];
    ++count_;
  }
  void remove(const std::string& name) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(name);
    if (--found->second == 0) names_.erase(found);
    --count_;
  }
  std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  /// Returns "temperature", "grid/x" (3), in the order of names, a few of them.
  std::string sentence() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::size_t, std::less<>> names_;
  std::size_t count_ = 0;
};

/// The store of one Python object. Thread-safe.
class open_store {
 public:
  open_store(open_letter how, std::filesystem::path path, store_options options);
  /// Opens a set of stores, one for each rank.
  open_store(open_letter how, std::filesystem::path path, detail::set_options options,
             std::unique_ptr<detail::rank_group> ranks);

  /// Returns what is open. Throws `invalid_argument` once the store is closed. In a forked child of a writer
  /// this is a reader, opened at the first call.
  std::shared_ptr<session> current() const;
  /// Returns what is open, for a change. Throws `read_only` and, in a forked child, `invalid_argument`.
  std::shared_ptr<session> current_to_change() const;
  bool is_open() const;
  bool is_writable() const;
  bool is_forked() const { return is_forked_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  const std::shared_ptr<live_views>& views() const noexcept { return views_; }
  /// Keeps threads that append to tables from each other.
  std::mutex& table_mutex() const noexcept { return tables_; }

  /// Makes a checkpoint if the store is open for writing, and closes it. While views live, throws
  /// `invalid_argument`, which names them, unless `force` is set: then they keep the store's memory.
  void close(bool force);
  /// Closes without a checkpoint. Views keep the memory as it is.
  void discard() noexcept;
  /// Closes like `discard`, and has the next collective member of other ranks throw.
  void give_up() noexcept;
  /// How many containers were destroyed, so that whoever knows the place of one finds it anew.
  std::uint64_t destroyed() const noexcept { return destroyed_.load(std::memory_order_relaxed); }
  void count_destroyed() noexcept { destroyed_.fetch_add(1, std::memory_order_relaxed); }
  /// Opens the newest checkpoint in the place of the one that a reader has open. Returns whether it is
  /// another one.
  bool refresh();
  /// Leaves the memory of a writer to the parent process. A forked child calls it first.
  void after_fork() noexcept;

 private:
  std::shared_ptr<session> take() noexcept;

  std::filesystem::path path_;
  store_options options_;
  mutable std::mutex mutex_;
  mutable std::mutex tables_;
  mutable std::shared_ptr<session> session_;
  std::shared_ptr<live_views> views_ = std::make_shared<live_views>();
  mutable std::shared_ptr<session> parents_;  // of a forked child, which leaves it alone
  std::atomic<std::uint64_t> destroyed_{0};
  bool is_open_ = true;
  bool is_forked_ = false;
};

}  // namespace perdure::python
