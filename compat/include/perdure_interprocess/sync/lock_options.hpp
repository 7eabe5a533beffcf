// Boost's own.
#pragma once

#include <boost/interprocess/sync/lock_options.hpp>

namespace perdure_interprocess {

using boost::interprocess::accept_ownership;
using boost::interprocess::accept_ownership_type;
using boost::interprocess::defer_lock;
using boost::interprocess::defer_lock_type;
using boost::interprocess::try_to_lock;
using boost::interprocess::try_to_lock_type;

}  // namespace perdure_interprocess
