// The file `crc`: what each page of the segment must look like at home.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "os/file.hpp"
#include "os/mapping.hpp"
#include "store/file/file_stamps.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

/// Has one entry for each page: never written, released, or the page's checksum. In memory it describes the
/// epoch that was applied last; the file may be some epochs behind. A table page is read when it is first
/// needed, so opening costs nothing. Not thread-safe.
class checksum_table {
 public:
  static void create(const os::file& directory, const layout::super_slot& super);
  /// Throws `damaged` when the file is missing, foreign, or shorter than the segment needs.
  checksum_table(const os::file& directory, const layout::super_slot& super, bool writable);

  /// Reads the bytes of a page at home; called when a torn table page must be made anew.
  using page_reader = std::function<void(std::uint64_t page, std::byte* to)>;
  /// From now on a table page with a wrong checksum is recomputed from the pages at home, of which there
  /// are `pages`, instead of being damage. Only right while a committed journal is being applied: then a
  /// torn table page is what an interrupted `flush` of that same journal left.
  void rebuild_from(page_reader read, std::uint64_t pages);
  void stop_rebuilding() { read_home_ = nullptr; }
  /// Reads, or rebuilds, the table pages that describe these pages.
  void load(std::span<const detail::page_run> pages);

  std::uint32_t get(std::uint64_t page);
  void set(std::uint64_t page, std::uint32_t entry);

  /// Reads a table page from the file, whatever is in memory. False unless it is sound; it may be torn while
  /// `flush` writes it. Async-signal-safe, and may be called by any thread at any time.
  bool read_from_file(std::size_t index, layout::table_page& to) const noexcept;

  /// Takes disk space for the table pages that hold the entries of these pages (sorted).
  void reserve_space(std::span<const detail::page_run> pages);
  /// How many table pages `flush` would write.
  std::size_t changed_table_pages() const noexcept { return changed_.size(); }
  /// Writes the changed table pages and makes the file long enough for the segment. Not yet durable.
  void flush(std::uint64_t segment_bytes);
  void sync() { file_.sync_data(); }
  /// Writes that the file has the entries of this checkpoint. Not durable before `sync`.
  void stamp(const known_checkpoint& by) { stamps_.write(file_, by); }
  /// The same, and it forgets earlier ones.
  void stamp_anew(const known_checkpoint& by) { stamps_.write_anew(file_, by); }
  const file_stamps& stamps() const noexcept { return stamps_; }

  std::uint64_t allocated_bytes() const { return file_.allocated_bytes(); }

 private:
  layout::table_page& at(std::uint64_t page);
  void load(std::size_t index);
  bool is_sound(std::size_t index, const layout::table_page& page) const noexcept;
  void rebuild(std::size_t index);

  static std::uint64_t file_bytes_for(std::uint64_t segment_bytes);

  os::file file_;
  file_stamps stamps_;
  std::array<std::uint8_t, 8> store_;
  std::size_t pages_;       // table pages for the whole capacity
  os::reservation memory_;  // for all table pages; touched as they are loaded
  std::vector<bool> loaded_;
  std::vector<std::size_t> changed_;
  std::vector<bool> is_changed_;
  page_reader read_home_;
  std::uint64_t home_pages_ = 0;
};

}  // namespace perdure::store
