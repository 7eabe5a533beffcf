// userfaultfd in its SIGBUS mode: a thread that touches a missing page, or writes to a protected one, gets a
// SIGBUS and brings the page in itself, with no other thread and no message in between.
#pragma once

#include "os/file.hpp"
#include "pager/page_faults.hpp"

namespace perdure::pager::detail {

class user_faults final : public page_faults {
 public:
  /// Throws std::system_error where the kernel or its settings do not have it.
  user_faults();

  void watch(std::byte* base, std::size_t bytes, bool is_writable) override;
  os::watched_touches signalled() const noexcept override { return os::watched_touches::missing; }
  bool hides_protected() const noexcept override { return false; }

  int install(std::byte* at, const std::byte* from, std::size_t bytes,
              bool is_protected) const noexcept override;
  int protect(std::byte* at, std::size_t bytes, bool is_protected) const noexcept override;
  std::byte* content(std::byte* at) const noexcept override { return at; }
  void drop(std::span<const iovec> parts) const noexcept override;

  // Nothing to do: the kernel refuses calls for a range that userfaultfd watches no longer.
  void stop() noexcept override {}
  void go_on() noexcept override {}

 private:
  int copy(std::byte* at, const std::byte* from, std::size_t bytes, bool is_protected) const noexcept;

  os::file descriptor_;
  os::file self_;  // a pidfd, to drop many ranges in one call
  bool drops_in_batches_ = false;
};

}  // namespace perdure::pager::detail
