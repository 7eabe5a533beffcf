// Boost's file_lock, which knows stores too.
#pragma once

#include <boost/interprocess/sync/file_lock.hpp>
#include <perdure_interprocess/detail/basic_file_lock.hpp>

namespace perdure_interprocess {

#ifdef PERDURE_IN_PLACE_OF_BOOST
using boost::interprocess::file_lock;  // ours already
#else
using file_lock = basic_file_lock<boost::interprocess::file_lock>;
#endif

}  // namespace perdure_interprocess
