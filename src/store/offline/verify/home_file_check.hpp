// Verifies that the home files are there, are this store's, and are long enough; not their pages.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "os/file.hpp"
#include "store/file/file_stamps.hpp"
#include "store/file/layout.hpp"
#include "store/offline/verify/findings.hpp"

namespace perdure::store {

struct checked_home_file {
  os::file file;
  std::uint64_t bytes = 0;  ///< length within the segment, at most; 0 where the file cannot be used
  std::optional<file_stamps> stamps{};  ///< where the header is sound
};

/// By place in the segment.
std::vector<checked_home_file> check_home_files(const os::file& directory, const layout::super_slot& super,
                                                findings& found);

}  // namespace perdure::store
