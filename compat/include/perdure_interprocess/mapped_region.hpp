// Boost's own.
#pragma once

#include <boost/interprocess/mapped_region.hpp>

namespace perdure_interprocess {

using boost::interprocess::mapped_region;

}  // namespace perdure_interprocess
