// Boost's own.
#pragma once

#include <boost/interprocess/sync/named_recursive_mutex.hpp>

namespace perdure_interprocess {

using boost::interprocess::named_recursive_mutex;

}  // namespace perdure_interprocess
