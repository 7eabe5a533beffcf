// Guard regions over a file in memory, for systems that forbid userfaultfd: a touch of a guarded page is a
// SIGSEGV. A page is filled through the file before its guard is lifted, so no thread sees it half full. A
// page that is guarded again can still be read, and written to disk, through a second mapping, while threads
// that write to it wait.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/file.hpp"
#include "os/mapping.hpp"
#include "pager/page_faults.hpp"
#include "pager/page_source.hpp"

namespace perdure::pager::detail {

class guard_faults final : public page_faults {
 public:
  /// Throws std::system_error where the kernel has no guards for mapped files (before Linux 6.15).
  guard_faults();

  /// Returns the bytes of page tables that the kernel needs while so many bytes are watched.
  static constexpr std::uint64_t page_table_bytes(std::uint64_t bytes, bool is_writable) noexcept {
    constexpr std::uint64_t bytes_of_an_entry = 8;
    return bytes / page_size * bytes_of_an_entry * (is_writable ? 2 : 1);
  }

  void watch(std::byte* base, std::size_t bytes, bool is_writable) override;
  os::watched_touches signalled() const noexcept override { return os::watched_touches::guarded; }
  bool hides_protected() const noexcept override { return true; }

  int install(std::byte* at, const std::byte* from, std::size_t bytes,
              bool is_protected) const noexcept override;
  int protect(std::byte* at, std::size_t bytes, bool is_protected) const noexcept override;
  std::byte* content(std::byte* at) const noexcept override { return alias_.base() + (at - base_); }
  void drop(std::span<const iovec> parts) const noexcept override;

  void stop() noexcept override;
  void go_on() noexcept override;

 private:
  class passage;
  void make_alias(std::size_t bytes);

  os::file memory_;
  std::byte* base_ = nullptr;
  bool is_writable_ = false;
  os::reservation alias_;  // the second mapping, where guarded pages are read; of writable ranges only
  os::file self_;          // a pidfd, to drop many ranges in one call
  // Calls under way, and whether more may begin: a guard that is set late would be set in a mapping that is
  // no longer the pager's.
  mutable std::atomic<std::uint32_t> inside_{0};
  std::atomic<bool> is_stopped_{false};
};

}  // namespace perdure::pager::detail
