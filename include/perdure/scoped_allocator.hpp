// An allocator adaptor that passes itself on to inner containers.
#pragma once

#include <boost/container/scoped_allocator.hpp>

namespace perdure {

/// Passes the outer allocator (or one of its own for each level) to inner containers explicitly.
///
/// `perdure::allocator` passes itself on already; this is for other allocators and for containers of
/// containers that are to take their memory from different places.
template <class Outer, class... Inner>
using scoped_allocator = boost::container::scoped_allocator_adaptor<Outer, Inner...>;

}  // namespace perdure
