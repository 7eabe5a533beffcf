// An allocator for containers of containers.
#pragma once

#include <boost/container/scoped_allocator.hpp>

namespace metall::container {

/// Passes itself on to inner containers. `metall::manager::allocator_type` does so without it too.
template <class OuterAlloc, class... InnerAlloc>
using scoped_allocator_adaptor = boost::container::scoped_allocator_adaptor<OuterAlloc, InnerAlloc...>;

}  // namespace metall::container
