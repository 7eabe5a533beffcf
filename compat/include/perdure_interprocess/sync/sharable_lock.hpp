// Boost's own.
#pragma once

#include <boost/interprocess/sync/sharable_lock.hpp>

namespace perdure_interprocess {

using boost::interprocess::sharable_lock;

}  // namespace perdure_interprocess
