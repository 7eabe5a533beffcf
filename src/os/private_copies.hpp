// Which pages of a private mapping are the process's own copies, by /proc/self/pagemap (Linux 4.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "os/file.hpp"

namespace perdure::os {

/// Opens the page map of this process; after a fork the child opens its own.
file open_pagemap();

/// Calls `visit(offset, bytes)` for each run of pages, from `address` on, that are present or swapped out and
/// not a file's. The shared zero page looks the same, and so do pages of anonymous memory that were only
/// read. `page` is the kernel's page size. Throws std::system_error.
template <class Visit>
void for_private_copies(const file& pagemap, std::uintptr_t address, std::size_t bytes, std::size_t page,
                        Visit&& visit);

/// Reads some entries, as many as there is room for; for `for_private_copies`.
void read_pagemap(const file& pagemap, std::uint64_t first_page, std::vector<std::uint64_t>& entries);

inline bool is_private_copy(std::uint64_t pagemap_entry) noexcept {
  constexpr std::uint64_t present = 1ULL << 63;
  constexpr std::uint64_t swapped = 1ULL << 62;
  constexpr std::uint64_t of_file = 1ULL << 61;
  return (pagemap_entry & (present | swapped)) != 0 && (pagemap_entry & of_file) == 0;
}

template <class Visit>
void for_private_copies(const file& pagemap, std::uintptr_t address, std::size_t bytes, std::size_t page,
                        Visit&& visit) {
  constexpr std::size_t most = std::size_t{32} << 10;
  std::vector<std::uint64_t> entries;
  const std::uint64_t first = address / page;
  const std::uint64_t pages = bytes / page;
  std::uint64_t begin = 0;  // of the run at hand
  std::uint64_t end = 0;
  for (std::uint64_t done = 0; done < pages; done += entries.size()) {
    entries.resize(pages - done < most ? pages - done : most);
    read_pagemap(pagemap, first + done, entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!is_private_copy(entries[i])) continue;
      if (end != done + i) {
        if (begin != end) visit(begin * page, (end - begin) * page);
        begin = done + i;
      }
      end = done + i + 1;
    }
  }
  if (begin != end) visit(begin * page, (end - begin) * page);
}

}  // namespace perdure::os
