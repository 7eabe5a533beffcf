// Which backing the tests of stores use: PERDURE_TESTED_BACKING, read by the tests and by nothing else.
#pragma once

#include <cstdlib>
#include <perdure/datastore.hpp>
#include <string>

#include "os/persistent_memory.hpp"

namespace perdure::tested {

/// "dax": the test's directory is on a DAX file system. "pretended_dax": it need not be; the kernel's page
/// cache stands in for persistent memory.
inline std::string wish() {
  const char* const name = std::getenv("PERDURE_TESTED_BACKING");
  return name == nullptr ? "" : name;
}

inline backing chosen_backing() {
  static const backing chosen = [] {
    if (wish() == "pretended_dax") os::pretend_persistent_memory(true);
    return wish() == "dax" || wish() == "pretended_dax" ? backing::dax : backing::private_memory;
  }();
  return chosen;
}

inline bool in_persistent_memory() {
  return chosen_backing() == backing::dax;
}

inline store_options with_backing(store_options options) {
  if (options.backing == backing::private_memory) options.backing = chosen_backing();
  return options;
}

/// As those of `datastore`.
inline std::unique_ptr<datastore> create(const std::filesystem::path& path,
                                         const store_options& options = {}) {
  return datastore::create(path, with_backing(options));
}
inline std::unique_ptr<datastore> open(const std::filesystem::path& path, const store_options& options = {}) {
  return datastore::open(path, with_backing(options));
}

}  // namespace perdure::tested
