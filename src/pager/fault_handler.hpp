// Answers the faults of a region: the signals of threads that touch what is not in memory, or not writable
// yet.
#pragma once

#include <cstddef>
#include <optional>

#include "base/owner_process.hpp"
#include "os/memory_faults.hpp"
#include "pager/hand_over.hpp"
#include "pager/page_loader.hpp"
#include "pager/read_ahead.hpp"
#include "pager/region_pages.hpp"

namespace perdure::pager::detail {

class fault_handler {
 public:
  fault_handler(region_pages& pages, page_loader& loader, read_ahead& ahead, base::owner_process owner,
                const hand_over& kernels) noexcept
      : pages_(pages), loader_(loader), ahead_(ahead), owner_(owner), hand_over_(kernels) {}
  fault_handler(const fault_handler&) = delete;
  fault_handler& operator=(const fault_handler&) = delete;

  /// Has the kernel tell of touches of all pages of the source, and answers them from now on, until it is
  /// destroyed. Throws std::system_error.
  void start();

  /// Brings a page in, or makes it writable, until the touch can succeed as far as can be told: another
  /// thread may always be faster, and evict it. Signals must be blocked; async-signal-safe.
  std::optional<failed_transfer> bring_in(page_number number, os::touch how) noexcept;

  /// Returns the effect of a touch: where protected pages cannot be read, every touch makes a page writable.
  os::touch in_effect(os::touch how) const noexcept {
    return pages_.is_writable && pages_.faults.hides_protected() ? os::touch::write : how;
  }

 private:
  static bool on_touch(void* self, std::byte* address, os::touch how) noexcept;
  std::optional<failed_transfer> make_writable(page_number number) noexcept;

  region_pages& pages_;
  page_loader& loader_;
  read_ahead& ahead_;
  const base::owner_process owner_;
  const hand_over& hand_over_;
  std::optional<os::fault_watch> watch_;
};

}  // namespace perdure::pager::detail
