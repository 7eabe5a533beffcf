// Boost's own, between threads and processes. A lock held at a checkpoint is held when the store is opened
// again.
#pragma once

#include <boost/interprocess/sync/null_mutex.hpp>

namespace perdure_interprocess {

using boost::interprocess::null_mutex;

}  // namespace perdure_interprocess
