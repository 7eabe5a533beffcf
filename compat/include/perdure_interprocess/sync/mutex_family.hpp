// Boost's own; it names what a store does not use.
#pragma once

#include <boost/interprocess/sync/mutex_family.hpp>

namespace perdure_interprocess {

using boost::interprocess::mutex_family;
using boost::interprocess::null_mutex_family;

}  // namespace perdure_interprocess
