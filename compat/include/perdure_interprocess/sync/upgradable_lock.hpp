// Boost's own.
#pragma once

#include <boost/interprocess/sync/upgradable_lock.hpp>

namespace perdure_interprocess {

using boost::interprocess::upgradable_lock;

}  // namespace perdure_interprocess
