// Where a region's pages come from and go to: the program's file, and the spill file beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/pager.hpp>
#include <span>
#include <string>

#include "os/file.hpp"
#include "os/parallel_io.hpp"
#include "pager/fault_log.hpp"
#include "pager/page_states.hpp"

namespace perdure::pager::detail {

inline constexpr std::size_t page_bytes = 4096;

/// Neighbouring pages that are on the same disk file, and the memory they are read to or written from.
struct page_run {
  page_number first = 0;
  std::size_t count = 0;
  bool spilled = false;
  std::byte* memory = nullptr;
  std::optional<failed_transfer> failed{};
  bool held = false;  ///< stores to it wait
};

/// An open regular file that is to be mapped.
class file_io {
 public:
  /// Throw std::system_error and perdure::error.
  static file_io open(const std::filesystem::path& path, const options& wanted);
  static file_io adopt(int descriptor, const options& wanted);

  std::uint64_t size() const noexcept { return size_; }
  std::size_t pages() const noexcept {
    return static_cast<std::size_t>((size_ + page_bytes - 1) / page_bytes);
  }
  const os::file& file() const noexcept { return file_; }
  std::string name() const { return file_.path().string(); }
  bool is_direct() const noexcept { return static_cast<bool>(direct_); }
  /// Uses the page cache from now on.
  void stop_direct() noexcept { direct_.close(); }

  /// Makes the spill file.
  void open_spill(const std::filesystem::path& directory);

  /// Whole pages; those of the spill file, or the program's. What lies beyond the end of the file is zero.
  /// `to` must be aligned to a page. Async-signal-safe.
  std::optional<failed_transfer> read(page_number first, std::size_t count, bool spilled,
                                      std::byte* to) const noexcept;
  /// Each run as `read` would; on a device that can, all at a time. Async-signal-safe.
  void read_all(std::span<page_run> runs, os::parallel_io& io,
                std::span<os::transfer_request> requests) const noexcept {
    transfer_all(runs, false, io, requests);
  }

  /// To the spill file, if there is one. Never makes the program's file longer than it was.
  /// Async-signal-safe.
  std::optional<failed_transfer> write(page_number first, std::size_t count,
                                       const std::byte* from) const noexcept;

  /// Each run as `write` would.
  void write_all(std::span<page_run> runs, os::parallel_io& io,
                 std::span<os::transfer_request> requests) const noexcept {
    transfer_all(runs, true, io, requests);
  }

  /// What is in the page cache on our account is of no more use. Async-signal-safe.
  void drop_cached() const noexcept;

 private:
  file_io(os::file opened, const options& wanted);

  /// Of these pages, bytes that are on disk: the last page of the program's file may be cut short.
  std::size_t bytes_held(page_number first, std::size_t count, bool spilled) const noexcept;
  template <class Once>
  std::optional<failed_transfer> transfer(failure::operation what, int at_none, page_number first,
                                          std::size_t count, bool spilled, Once&& once) const noexcept;
  void transfer_all(std::span<page_run> runs, bool writes, os::parallel_io& io,
                    std::span<os::transfer_request> requests) const noexcept;

  os::file file_;
  os::file direct_;  // the same file past the page cache, where that is possible
  os::file spill_;
  os::file direct_spill_;
  std::uint64_t size_ = 0;
};

}  // namespace perdure::pager::detail
