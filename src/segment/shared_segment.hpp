// A shared mapping of the home files: the kernel writes pages back when it likes. For comparison with
// other systems, and for stores on tmpfs.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "base/owner_process.hpp"
#include "segment/private_segment.hpp"

namespace perdure::detail {

class shared_segment final : public segment {
 public:
  /// Returns the files' extents for [0, bytes), after making the files that long, with disk space reserved
  /// where the file system can: a write to a hole on a full disk is a SIGBUS. Throws std::system_error.
  using extend_files = std::function<std::vector<file_extent>(std::size_t bytes)>;

  shared_segment(os::reservation memory, std::size_t size, extend_files extend);

  void grow(std::size_t bytes) override;
  void discard(page_run pages) override;
  /// A child has the files' own pages, as its parent has.
  possession held() const noexcept override;

 private:
  void map_from(std::size_t offset, std::size_t bytes);

  os::reservation memory_;
  extend_files extend_;
  std::mutex growing_;
  std::size_t open_ = 0;
  base::owner_process owner_;
};

}  // namespace perdure::detail
