// Memory that the caller owns, handed out by Boost.Interprocess's best-fit allocator: a heap of Perdure's
// needs address space of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <perdure/kind.hpp>

namespace perdure::memkind_compat {

/// One that is too small to hold anything hands out nothing.
std::shared_ptr<kind_allocation> allocation_over(void* area, std::size_t bytes);

}  // namespace perdure::memkind_compat
