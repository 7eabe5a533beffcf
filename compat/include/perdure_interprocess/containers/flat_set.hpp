// Boost's container; give it an allocator of the store.
#pragma once

#include <boost/interprocess/containers/flat_set.hpp>

namespace perdure_interprocess {

using boost::interprocess::flat_multiset;
using boost::interprocess::flat_set;

}  // namespace perdure_interprocess
