// Wall time that results report.
#pragma once

#include <chrono>

namespace perdure::graph {

/// Wall time since it was made.
class elapsed {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace perdure::graph
