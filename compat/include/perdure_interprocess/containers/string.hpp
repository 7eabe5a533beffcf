// Boost's container; give it an allocator of the store.
#pragma once

#include <boost/interprocess/containers/string.hpp>

namespace perdure_interprocess {

using boost::interprocess::basic_string;
using boost::interprocess::string;

}  // namespace perdure_interprocess
