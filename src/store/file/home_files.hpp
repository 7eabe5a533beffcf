// The files heap.NNN: every page of the segment at its own place.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "os/file.hpp"
#include "segment/private_segment.hpp"
#include "store/file/file_stamps.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

/// Not thread-safe, except that `sync` may run beside reads and writes of pages.
class home_files {
 public:
  /// Makes the first file of a new store, empty but for its header, and syncs it.
  static void create(const os::file& directory, const layout::super_slot& super);
  /// Opens the files that are there. Throws `damaged` when a file is missing, belongs to another store, or is
  /// shorter than `segment_bytes` needs.
  home_files(const os::file& directory, const layout::super_slot& super, bool writable);

  /// Bytes of the segment that the files hold.
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::size_t count() const noexcept { return files_.size(); }
  /// Throws `damaged` when the files hold less.
  void require(std::uint64_t segment_bytes) const;
  /// Makes the files hold at least that much, as holes. Not durable before `sync`.
  void extend(std::uint64_t segment_bytes);
  /// Cuts the files down to that much, durably.
  void truncate(std::uint64_t segment_bytes);

  std::vector<detail::file_extent> extents(std::uint64_t segment_bytes) const;
  os::mapped_medium medium() const noexcept;
  const std::vector<os::file>& files() const noexcept { return files_; }

  void write(std::uint64_t page, std::uint64_t pages, const std::byte* from);
  void read(std::uint64_t page, std::byte* to) const { read(page, 1, to); }
  void read(std::uint64_t page, std::uint64_t pages, std::byte* to) const;
  /// Makes the pages read as zero.
  void punch(detail::page_run pages);
  /// Reserves disk space for the pages, so that writing them cannot fail for lack of it.
  void reserve_space(detail::page_run pages);
  /// Writes into each file that the checkpoint with this index has changed that it has. Not durable on
  /// return.
  void stamp(std::span<const layout::journal_entry> index, const known_checkpoint& by);
  /// The same, into all.
  void stamp_all(const known_checkpoint& by);
  /// Into all, and they forget earlier ones.
  void stamp_anew(const known_checkpoint& by);
  /// The stamps of the files that hold so much of the segment.
  std::span<const file_stamps> stamps_within(std::uint64_t segment_bytes) const noexcept;
  /// Returns what the files say together of the checkpoint that home is at, of that length. Nothing where
  /// they have forgotten it.
  std::optional<std::uint64_t> stamps_at(std::uint64_t epoch, std::uint64_t segment_bytes) const noexcept;
  /// Makes everything written so far durable, the files' names included.
  void sync();
  /// The same, also for everything that was written through shared mappings.
  void sync_all();
  /// Makes the names in the store's directory durable. To be called before anything is overwritten or cut. A
  /// writer that was killed may have renamed an empty journal over one whose checkpoint had failed: that
  /// rename is seen here, but a power failure may still undo it, and then the failed checkpoint counts again.
  void sync_names();

  std::uint64_t allocated_bytes() const;
  static std::string name_of(std::size_t index);

 private:
  struct part {
    std::size_t file;
    std::uint64_t offset;  // in the file
    std::uint64_t bytes;
  };
  // Calls `visit` for each file that holds a piece of [offset, offset + bytes) of the segment.
  template <class Visit>
  void for_parts(std::uint64_t offset, std::uint64_t bytes, Visit&& visit) const;
  void create_file();
  void count_bytes();

  os::file directory_;
  layout::uuid_bytes uuid_;
  std::uint64_t file_bytes_;
  std::vector<os::file> files_;
  std::vector<std::uint64_t> sizes_;  // segment bytes in each
  std::vector<char> unsynced_;
  std::vector<file_stamps> stamps_;
  std::vector<char> header_unsure_;  // no sync has succeeded since the header was written, as far as is known
  bool names_unsynced_;  // true at first: an earlier writer may have been killed before it synced them
  std::uint64_t bytes_ = 0;
  std::uint64_t written_since_writeback_ = 0;
};

}  // namespace perdure::store
