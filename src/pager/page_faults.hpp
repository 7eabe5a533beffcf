// How the kernel is told which pages are there and which are protected, so that touches of others become
// signals, which the touching thread answers itself.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>

#include "os/memory_faults.hpp"

namespace perdure::pager::detail {

class page_faults {
 public:
  page_faults() = default;
  page_faults(const page_faults&) = delete;
  page_faults& operator=(const page_faults&) = delete;
  virtual ~page_faults() = default;

  /// Replaces a reserved range by memory of which no page is there yet, and which forked children do not
  /// have. Throws std::system_error.
  virtual void watch(std::byte* base, std::size_t bytes, bool is_writable) = 0;
  /// Returns the touches as which os::fault_watch reports these faults.
  virtual os::watched_touches signalled() const noexcept = 0;
  /// Returns whether protected pages cannot be read either.
  virtual bool hides_protected() const noexcept = 0;

  // What follows is async-signal-safe, and returns 0 or an errno.

  /// Puts pages where none are.
  virtual int install(std::byte* at, const std::byte* from, std::size_t bytes,
                      bool is_protected) const noexcept = 0;
  /// Protects pages that are there, or lifts the protection.
  virtual int protect(std::byte* at, std::size_t bytes, bool is_protected) const noexcept = 0;
  /// Where the bytes of pages that are there can be read, also while they are protected.
  virtual std::byte* content(std::byte* at) const noexcept = 0;
  /// Takes pages away, with as few interruptions of other processors as the kernel allows.
  virtual void drop(std::span<const iovec> parts) const noexcept = 0;

  /// Waits for calls under way, and lets further ones fail, until `go_on`: the range is becoming the kernel's
  /// own mapping.
  virtual void stop() noexcept = 0;
  virtual void go_on() noexcept = 0;
};

}  // namespace perdure::pager::detail
