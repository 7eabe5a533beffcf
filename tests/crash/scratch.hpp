// Where the rigs work: in memory if possible, since they write much and nothing of it must last.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "support/scratch_directory.hpp"

namespace perdure::crash {

/// PERDURE_CRASH_DIR, if set.
inline std::filesystem::path place_for_rigs() {
  const char* const wish = std::getenv("PERDURE_CRASH_DIR");
  return wish != nullptr ? wish : fast_directory();
}

/// Whether the long form of the tests is asked for.
inline bool thorough_tests_wanted() {
  const char* wish = std::getenv("PERDURE_LONG_TESTS");
  return wish != nullptr && *wish != '\0' && *wish != '0';
}

}  // namespace perdure::crash
