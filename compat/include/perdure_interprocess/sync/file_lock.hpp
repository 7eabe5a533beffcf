// Boost's own.
#pragma once

#include <boost/interprocess/sync/file_lock.hpp>

namespace perdure_interprocess {

using boost::interprocess::file_lock;

}  // namespace perdure_interprocess
