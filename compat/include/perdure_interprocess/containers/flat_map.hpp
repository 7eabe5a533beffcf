// Boost's container; give it an allocator of the store.
#pragma once

#include <boost/interprocess/containers/flat_map.hpp>

namespace perdure_interprocess {

using boost::interprocess::flat_map;
using boost::interprocess::flat_multimap;

}  // namespace perdure_interprocess
