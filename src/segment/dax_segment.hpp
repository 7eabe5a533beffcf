// Persistent memory: the segment is the home files themselves, on a DAX file system. A write to it changes
// what the next opening finds, so a witness sees the first write to each piece of memory before it happens.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "os/guarded_range.hpp"
#include "os/mapping.hpp"
#include "os/page_tracker.hpp"
#include "segment/private_segment.hpp"

namespace perdure::detail {

class dax_segment final : public tracked_segment {
 public:
  /// The unit that is protected and shown to the witness. The smaller it is, the fewer unchanged bytes are
  /// saved for a single write; the larger, the fewer faults has a program that writes everywhere.
  static constexpr std::size_t granule = std::size_t{16} << 10;

  /// Returns the files' extents for [0, bytes), after making them that long if need be, with disk space for
  /// [from, bytes). Throws std::system_error.
  using extend_files = std::function<std::vector<file_extent>(std::size_t from, std::size_t bytes)>;

  /// Maps the first `size` bytes. The witness must outlive the segment.
  dax_segment(os::reservation memory, std::size_t size, extend_files extend, os::write_witness& witness);
  ~dax_segment() override;

  void grow(std::size_t bytes) override;
  /// Does nothing: the pages are the files' own, and the store makes holes when it is told what is released.
  void discard(page_run) override {}

  void collect_dirty(page_run where, std::vector<page_run>& dirty) override;
  void hold_writers(page_run pages) override;
  void admit_writers(page_run pages) noexcept override;

  /// Shows these pages to the witness, and makes them writable, ahead of the first write to them. Throws
  /// std::system_error.
  void admit_ahead(page_run pages);

  std::string_view tracker() const noexcept { return os::name_of(tracker_->kind()); }

  /// In a forked child, which does not have the memory: the destructor leaves the address range alone.
  void forget() noexcept { memory_.forget(); }

 private:
  void map_from(std::size_t offset, std::size_t bytes);

  os::reservation memory_;
  extend_files extend_;
  std::unique_ptr<os::guarded_range> range_;
  std::unique_ptr<os::page_tracker> tracker_;
  std::vector<os::byte_range> collected_;  // reported by the tracker, not yet handed on
};

}  // namespace perdure::detail
