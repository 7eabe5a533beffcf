// Boost's own, between threads and processes. A lock held at a checkpoint is held when the store is opened
// again.
#pragma once

#include <boost/interprocess/sync/interprocess_condition.hpp>

namespace perdure_interprocess {

using boost::interprocess::interprocess_condition;

}  // namespace perdure_interprocess
