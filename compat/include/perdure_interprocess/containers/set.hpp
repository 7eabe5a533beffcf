// Boost's container; give it an allocator of the store.
#pragma once

#include <boost/interprocess/containers/set.hpp>

namespace perdure_interprocess {

using boost::interprocess::multiset;
using boost::interprocess::set;

}  // namespace perdure_interprocess
