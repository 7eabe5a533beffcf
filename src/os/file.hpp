// Files and directories: whole reads and writes, durability, space, locks.
//
// Every failure is thrown as std::system_error naming the operation and the path. Short transfers and
// EINTR are dealt with here, so callers see all or an error.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace perdure::os {

enum class lock_mode { shared, exclusive };

/// The bytes of a file that a lock covers; the file need not have them. By default all that there can be.
struct lock_range {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;  ///< 0: up to the end, wherever it will be
};

/// The identity of a process that it writes into a lock file.
struct process_identity {
  std::string host;
  std::string boot_id;
  std::int64_t pid = 0;
};
process_identity this_process();

/// An owned descriptor of a file or directory, with the path it was opened by (for messages).
class file {
 public:
  file() = default;
  file(int descriptor, std::filesystem::path path) : descriptor_(descriptor), path_(std::move(path)) {}
  file(file&& other) noexcept;
  file& operator=(file&& other) noexcept;
  ~file();

  /// Opens a directory; symbolic links on the way to it are followed.
  static file open_directory(const std::filesystem::path& path);
  /// Opens the regular file `name` inside `directory`, without waiting. No symbolic link is followed: finding
  /// one is ELOOP. Anything else of that name is ENXIO: opening a FIFO would wait for ever,
  /// and reading a device may do anything. `flags` as for open(2); O_CLOEXEC is added. New files get mode
  /// 0600 less the umask.
  static file open_in(const file& directory, const std::string& name, int flags);
  /// The same, but no file if there is nothing of that name.
  static file open_if_there(const file& directory, const std::string& name, int flags);

  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  int descriptor() const noexcept { return descriptor_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  void close() noexcept;

  std::uint64_t size() const;
  std::uint64_t allocated_bytes() const;
  /// False once the file has been removed. Some file systems in user space say so of every file.
  bool has_name() const;
  /// Returns whether a mapping of the file is one of the medium itself, with no page cache in between (DAX).
  bool is_direct_access() const noexcept;

  /// Reads up to `bytes`; fewer only at the end of the file.
  std::size_t read_at(void* to, std::size_t bytes, std::uint64_t offset) const;
  void write_at(const void* from, std::size_t bytes, std::uint64_t offset) const;
  /// Writes all parts one after the other. Changes `parts`.
  void write_at(std::span<iovec> parts, std::uint64_t offset) const;

  void resize(std::uint64_t bytes) const;
  /// Takes disk space for a range without changing the file's size. False where the file system cannot.
  bool reserve_space(std::uint64_t offset, std::uint64_t bytes) const;
  /// Makes a range read as zero, giving its space back where the file system can (elsewhere it is
  /// overwritten with zeros). Never changes the file's size.
  void punch(std::uint64_t offset, std::uint64_t bytes) const;

  /// Lets the device begin to write what is dirty, without waiting. A hint: errors come from `sync_data`.
  void start_writeback() const noexcept;
  /// Makes the content durable, and what is needed to read it back, size included.
  void sync_data() const;
  /// Makes all metadata durable too; of a directory, its entries.
  void sync() const;

  /// Takes an open-file-description lock. False if somebody else has a conflicting one.
  /// The lock goes when the last copy of this descriptor is closed, also by the death of the process.
  bool try_lock(lock_mode mode, lock_range range = {}) const;
  /// The same, but waits until others have let go.
  void lock(lock_mode mode, lock_range range) const;
  void unlock(lock_range range) const;
  /// The kind of lock by somebody else that would keep this file from an exclusive one; nothing if there is
  /// none.
  std::optional<lock_mode> foreign_lock(lock_range range = {}) const;

 private:
  int descriptor_ = -1;
  std::filesystem::path path_;
};

/// Like file::read_at, but returns -1 with errno, and no observer sees it. Async-signal-safe.
std::ptrdiff_t try_read_at(int descriptor, void* to, std::size_t bytes, std::uint64_t offset) noexcept;

/// The same for a signal handler: no cancellation point, and one system call, so it may read fewer bytes. The
/// observer sees it, and must then be async-signal-safe.
std::ptrdiff_t read_once(int descriptor, void* to, std::size_t bytes, std::uint64_t offset) noexcept;
std::ptrdiff_t write_once(int descriptor, const void* from, std::size_t bytes, std::uint64_t offset) noexcept;

/// Like file::resize and file::reserve_space, but false with errno, also where the file system cannot
/// reserve. Async-signal-safe if the observer is.
bool try_resize(int descriptor, std::uint64_t bytes) noexcept;
bool try_reserve_space(int descriptor, std::uint64_t offset, std::uint64_t bytes) noexcept;

/// Makes an empty directory with mode 0700 less the umask. EEXIST when there is something of that name.
void make_directory(const std::filesystem::path& path);
/// Gives a directory the name `to`, atomically, if nothing or an empty directory is there: ENOTEMPTY, EEXIST
/// or ENOTDIR otherwise. Both on one file system.
void rename_directory(const std::filesystem::path& from, const std::filesystem::path& to);
/// Gives `from` the name `to` inside one directory; a file that had that name loses it.
void rename_in(const file& directory, const std::string& from, const std::string& to);
/// Removes a name inside a directory; a missing one is no error.
void remove_in(const file& directory, const std::string& name);
/// The same of an empty directory inside another; ENOTEMPTY or EEXIST where something is in it.
void remove_directory_in(const file& directory, const std::string& name);
/// Removes the directory at `path` if it is empty. Does nothing where it is not, or cannot be removed.
void remove_if_empty(const std::filesystem::path& path) noexcept;
/// Removes a directory inside another with all that is in it; symbolic links are not followed.
void remove_tree_in(const file& directory, const std::string& name);
/// Returns whether a file system is mounted at this very path, or a directory bound to it.
bool is_mount_point(const std::filesystem::path& path);
bool exists_in(const file& directory, const std::string& name);
/// Returns whether the name inside a directory is that of this open file.
bool is_named(const file& directory, const std::string& name, const file& opened);

}  // namespace perdure::os
