// Where a region's pages come from and go to: the program's file, and the spill file beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/pager.hpp>
#include <span>
#include <string>

#include "os/file.hpp"
#include "os/parallel_io.hpp"
#include "pager/fault_log.hpp"
#include "pager/page_source.hpp"

namespace perdure::pager::detail {

/// An open regular file of which a part, or all, is to be mapped. Pages are counted from the beginning of the
/// part.
class file_io final : public page_source {
 public:
  /// Throw std::system_error and perdure::error.
  static std::unique_ptr<file_io> open(const std::filesystem::path& path, const options& wanted);
  static std::unique_ptr<file_io> adopt(int descriptor, const options& wanted);

  /// Bytes that are mapped.
  std::uint64_t size() const noexcept { return size_; }
  /// Where the mapped bytes begin in the file.
  std::uint64_t begin() const noexcept { return begin_; }
  std::uint64_t offset_of(page_number page) const noexcept override {
    return begin_ + std::uint64_t{page} * page_size;
  }
  std::size_t pages() const noexcept override {
    return static_cast<std::size_t>((size_ + page_size - 1) / page_size);
  }
  const os::file& file() const noexcept { return file_; }
  int descriptor() const noexcept override { return file_.descriptor(); }
  std::string name() const override { return file_.path().string(); }
  bool is_direct() const noexcept override { return static_cast<bool>(direct_); }
  /// Uses the page cache from now on.
  void stop_direct() noexcept { direct_.close(); }

  /// Makes the spill file.
  void open_spill(const std::filesystem::path& directory);

  /// Whole pages; those of the spill file, or the program's. What lies beyond the end of the file is zero.
  /// `to` must be aligned to a page. Async-signal-safe.
  std::optional<failed_transfer> read(page_number first, std::size_t count, bool spilled,
                                      std::byte* to) const noexcept override;

  /// To the spill file, if there is one. Never makes the program's file longer than it was.
  /// Async-signal-safe.
  std::optional<failed_transfer> write(page_number first, std::size_t count,
                                       const std::byte* from) const noexcept;

  /// If there is a spill file, all pages go there.
  bool spills(page_number) const noexcept override { return static_cast<bool>(spill_); }
  void write_all(std::span<page_transfer> runs, os::parallel_io& io,
                 std::span<os::transfer_request> requests) noexcept override;
  void sync() override { file_.sync_data(); }

  void drop_cached() const noexcept override;

 private:
  file_io(os::file opened, const options& wanted);

  void read_each(std::span<page_transfer> runs, os::parallel_io& io, std::span<os::transfer_request> requests,
                 arrival done, void* context) const noexcept override;

  /// How many bytes of these pages are on disk: the last page of the program's file may be cut short.
  std::size_t bytes_held(page_number first, std::size_t count, bool spilled) const noexcept;
  template <class Once>
  std::optional<failed_transfer> transfer(failure::operation what, int at_none, page_number first,
                                          std::size_t count, bool spilled, Once&& once) const noexcept;
  /// Returns whether the run can be transferred past the page cache as a whole; the end of the file cannot.
  bool is_direct(const page_transfer& run, bool writes) const noexcept;
  /// One request for each of these runs that can be transferred so, tagged with the run's place among them.
  std::span<os::transfer_request> direct_requests(std::span<page_transfer> runs, bool writes,
                                                  std::span<os::transfer_request> requests) const noexcept;
  static bool is_whole(const os::transfer_request& request) noexcept {
    return request.result == static_cast<std::ptrdiff_t>(request.bytes);
  }

  os::file file_;
  os::file direct_;  // the same file past the page cache, where that is possible
  os::file spill_;
  os::file direct_spill_;
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace perdure::pager::detail
