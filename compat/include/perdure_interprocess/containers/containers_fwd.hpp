// Tags of Boost's ordered containers.
#pragma once

#include <boost/interprocess/containers/containers_fwd.hpp>

namespace perdure_interprocess {

using boost::interprocess::ordered_range;
using boost::interprocess::ordered_unique_range;

}  // namespace perdure_interprocess
