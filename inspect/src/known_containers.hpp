// Containers of other libraries, of whose bytes the program knows some.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "stored_types.hpp"

namespace perdure::cli {

struct known_container {
  type_form form = type_form::unknown;
  bool holds_addresses = false;
  std::uint64_t number_at = 0;
};

/// What a type is by its mangled name, if it then has the size that it is known to have: a comparison or a
/// hash with something in it, and a version of a library that keeps its containers otherwise, show in the
/// size.
std::optional<known_container> container_named(std::string_view mangled, std::uint64_t size);

}  // namespace perdure::cli
