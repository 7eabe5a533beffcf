// What a program stores to a file through a mapping, which no system call tells.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "crash/call_log.hpp"

namespace perdure::crash {

class watched_file {
 public:
  /// Knows what the file holds now.
  explicit watched_file(int descriptor);

  /// Appends, as pieces of a write, the lines of whole pages from `offset` on that differ from what was
  /// known; they are known from now on. What is mapped beyond the end of the file is not looked at.
  void find_stores(std::uint64_t offset, std::span<const std::byte> memory, std::vector<page_write>& found);

  /// What system calls did.
  void written(int descriptor, std::uint64_t offset, std::uint64_t bytes);
  void punched(std::uint64_t offset, std::uint64_t bytes);
  void resized(std::uint64_t bytes);

 private:
  std::vector<std::byte> known_;
};

}  // namespace perdure::crash
