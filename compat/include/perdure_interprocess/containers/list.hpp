// Boost's container; give it an allocator of the store.
#pragma once

#include <boost/interprocess/containers/list.hpp>

namespace perdure_interprocess {

using boost::interprocess::list;

}  // namespace perdure_interprocess
