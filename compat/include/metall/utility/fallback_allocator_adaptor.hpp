// The older name of what metall/container/fallback_allocator.hpp has.
#pragma once

#include <metall/container/fallback_allocator.hpp>

namespace metall::utility {

template <typename PrimaryAllocator>
using fallback_allocator_adaptor = metall::container::fallback_allocator_adaptor<PrimaryAllocator>;

}  // namespace metall::utility
