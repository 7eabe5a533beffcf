// Boost's own.
#pragma once

#include <boost/interprocess/sync/scoped_lock.hpp>

namespace perdure_interprocess {

using boost::interprocess::scoped_lock;

}  // namespace perdure_interprocess
