// Containers that are known by the names of their types: those of Boost and of the standard library, and
// Perdure's own in stores from before forms were recorded.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "stored_types.hpp"

namespace perdure::inspect {

struct known_container {
  type_form form = type_form::unknown;
  pointer_form pointers = pointer_form::distance_from_pointer;
  std::array<std::uint64_t, 3> places = {};
};

/// Returns what a type is by its mangled name, if it has the size that such types are known to have: a
/// comparison or a hash with something in it, and a version of a library that keeps its containers otherwise,
/// show in the size.
std::optional<known_container> container_named(std::string_view mangled, std::uint64_t size);

}  // namespace perdure::inspect
