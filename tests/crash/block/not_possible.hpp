// What this machine lacks or forbids, so that a rig cannot do its work here. The program then skips.
#pragma once

#include <cstdio>
#include <stdexcept>

namespace perdure::crash {

class not_possible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The exit status that ctest takes for a skipped test.
inline constexpr int skipped = 77;

/// The exit status of a rig: that of `run`, or of what kept it from running.
template <class Run>
int run_if_possible(const char* rig, Run&& run) {
  try {
    return run();
  } catch (const not_possible& reason) {
    std::printf("%s skipped: %s\n", rig, reason.what());
    return skipped;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", rig, failure.what());
    return 1;
  }
}

}  // namespace perdure::crash
