// Which of Boost's allocator interfaces an allocator has.
#pragma once

#include <boost/interprocess/containers/version_type.hpp>

namespace perdure_interprocess {

using boost::interprocess::version;
using boost::interprocess::version_type;

}  // namespace perdure_interprocess
