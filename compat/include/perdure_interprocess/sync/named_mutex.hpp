// Boost's own.
#pragma once

#include <boost/interprocess/sync/named_mutex.hpp>

namespace perdure_interprocess {

using boost::interprocess::named_mutex;

}  // namespace perdure_interprocess
