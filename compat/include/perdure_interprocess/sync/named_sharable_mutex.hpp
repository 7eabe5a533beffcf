// Boost's own.
#pragma once

#include <boost/interprocess/sync/named_sharable_mutex.hpp>

namespace perdure_interprocess {

using boost::interprocess::named_sharable_mutex;

}  // namespace perdure_interprocess
