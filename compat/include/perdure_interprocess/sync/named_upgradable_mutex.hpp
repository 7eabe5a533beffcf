// Boost's own.
#pragma once

#include <boost/interprocess/sync/named_upgradable_mutex.hpp>

namespace perdure_interprocess {

using boost::interprocess::named_upgradable_mutex;

}  // namespace perdure_interprocess
