// What the tests of kinds share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <perdure/kind.hpp>

namespace perdure {

/// Little address space, as ThreadSanitizer leaves little.
inline kind_options small_kind(const char* name = "small") {
  kind_options options;
  options.name = name;
  options.capacity = std::size_t{2} << 30;
  return options;
}

inline std::unique_ptr<kind> make_small_kind(bool check_frees = false) {
  kind_options options = small_kind();
  options.check_frees = check_frees;
  return kind::create(memory_request{}, options);
}

}  // namespace perdure
