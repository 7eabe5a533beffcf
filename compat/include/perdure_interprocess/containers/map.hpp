// Boost's container; give it an allocator of the store.
#pragma once

#include <boost/interprocess/containers/map.hpp>

namespace perdure_interprocess {

using boost::interprocess::map;
using boost::interprocess::multimap;

}  // namespace perdure_interprocess
