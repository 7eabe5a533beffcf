// The pair that Boost's maps hold.
#pragma once

#include <boost/interprocess/containers/pair.hpp>

namespace perdure_interprocess {

using boost::interprocess::pair;

}  // namespace perdure_interprocess
