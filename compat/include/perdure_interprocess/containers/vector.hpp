// Boost's container; give it an allocator of the store.
#pragma once

#include <boost/interprocess/containers/vector.hpp>

namespace perdure_interprocess {

using boost::interprocess::vector;

}  // namespace perdure_interprocess
