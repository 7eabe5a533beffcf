// Boost's container; give it an allocator of the store.
#pragma once

#include <boost/interprocess/containers/stable_vector.hpp>

namespace perdure_interprocess {

using boost::interprocess::stable_vector;

}  // namespace perdure_interprocess
