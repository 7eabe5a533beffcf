// Boost's own.
#pragma once

#include <boost/interprocess/sync/named_semaphore.hpp>

namespace perdure_interprocess {

using boost::interprocess::named_semaphore;

}  // namespace perdure_interprocess
