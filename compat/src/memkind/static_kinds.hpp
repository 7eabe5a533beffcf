// The static kinds' objects, in order of their partitions.
#pragma once

#include "memkind/kind_table.hpp"

namespace perdure::memkind_compat {

bool is_static(memkind_t one) noexcept;
/// MEMKIND_SUCCESS, or why its strict form is not to be had.
int availability(const memkind& one) noexcept;

}  // namespace perdure::memkind_compat
