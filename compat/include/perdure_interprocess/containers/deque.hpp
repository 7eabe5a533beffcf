// Boost's container; give it an allocator of the store.
#pragma once

#include <boost/interprocess/containers/deque.hpp>

namespace perdure_interprocess {

using boost::interprocess::deque;

}  // namespace perdure_interprocess
