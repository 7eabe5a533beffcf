// The pages of a region: what every part of the pager works on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/mapping.hpp"
#include "pager/dirty_parts.hpp"
#include "pager/fault_log.hpp"
#include "pager/page_faults.hpp"
#include "pager/page_source.hpp"
#include "pager/page_states.hpp"
#include "pager/scratch_pool.hpp"
#include "pager/write_forecast.hpp"

namespace perdure::pager::detail {

/// The state of each page, the memory in which the program sees it, where its bytes come from and go to, and
/// how the kernel puts it there, protects it and takes it away; with what threads need for working on that.
class region_pages {
 public:
  /// Owns neither the source nor the faults nor the memory at `base`. Throws std::system_error.
  region_pages(page_source& from, page_faults& told_by, std::byte* base, bool may_be_written)
      : source(from),
        faults(told_by),
        is_writable(may_be_written),
        log(from.name()),
        base_(base),
        memory_of_states_((from.pages() * sizeof(page) + page_size - 1) / page_size * page_size, page_size),
        states_(reinterpret_cast<page*>(memory_of_states_.base())) {
    // Zero memory is a valid array of absent pages.
    os::map_anonymous(memory_of_states_.base(), memory_of_states_.size(), os::access::read_write);
  }

  page& operator[](std::size_t number) noexcept { return states_[number]; }
  const page& operator[](std::size_t number) const noexcept { return states_[number]; }

  std::byte* base() const noexcept { return base_; }
  std::byte* address_of(std::size_t number) const noexcept { return base_ + number * page_size; }

  // Both return 0 or an errno, as do the functions of `faults`.
  int protect(page_span pages) const noexcept {
    return faults.protect(address_of(pages.first), pages.count * page_size, true);
  }
  int unprotect(page_span pages) const noexcept {
    return faults.protect(address_of(pages.first), pages.count * page_size, false);
  }

  failed_transfer failure_at(page_number number, failure::operation what, int error) const noexcept {
    return {what, source.offset_of(number), error};
  }

  page_source& source;
  page_faults& faults;
  const bool is_writable;
  dirty_parts dirtied;
  write_forecast forecast;
  fault_log log;
  scratch_pool scratches;

 private:
  std::byte* const base_;
  os::reservation memory_of_states_;
  page* const states_;
};

}  // namespace perdure::pager::detail
