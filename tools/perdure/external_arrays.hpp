// The arrays of a search in a file without a name, of which the pager keeps a part in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <perdure/graph/bfs.hpp>
#include <perdure/pager.hpp>

namespace perdure::cli {

class external_arrays {
 public:
  /// Makes the file in `directory` and takes its disk space, for a search of so many vertices. Of the file no
  /// more than `budget` bytes are in memory. Throws `no_space`, `permission_denied`, `not_found`, `io`.
  external_arrays(const std::filesystem::path& directory, std::uint64_t vertices, std::uint64_t budget);

  /// The arrays, with parents.
  graph::bfs_arrays arrays() const noexcept;
  /// Size of the file.
  std::uint64_t bytes() const noexcept { return region_.size(); }
  pager::statistics statistics() const { return region_.statistics(); }
  /// Returns whether the budget is kept: not by the pager's tier `plain`.
  bool keeps_budget() const noexcept { return region_.tier() != pager::tier::plain; }

 private:
  std::size_t vertices_;
  pager::region region_;
};

}  // namespace perdure::cli
