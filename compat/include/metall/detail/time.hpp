// How long something took, by the names that programs for Metall use.
#pragma once

#include <chrono>

namespace metall::mtlldetail {

/// Now, to be given to the function below.
inline std::chrono::high_resolution_clock::time_point elapsed_time_sec() {
  return std::chrono::high_resolution_clock::now();
}
/// Seconds since then.
inline double elapsed_time_sec(const std::chrono::high_resolution_clock::time_point& since) {
  return std::chrono::duration<double>(std::chrono::high_resolution_clock::now() - since).count();
}

}  // namespace metall::mtlldetail
