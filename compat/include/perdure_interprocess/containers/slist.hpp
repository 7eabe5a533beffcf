// Boost's container; give it an allocator of the store.
#pragma once

#include <boost/interprocess/containers/slist.hpp>

namespace perdure_interprocess {

using boost::interprocess::slist;

}  // namespace perdure_interprocess
