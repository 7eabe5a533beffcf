// What this machine lacks or forbids, so that a rig cannot do its work here. The program then skips.
#pragma once

#include <stdexcept>

namespace perdure::crash {

class not_possible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The exit status that ctest takes for a skipped test.
inline constexpr int skipped = 77;

}  // namespace perdure::crash
