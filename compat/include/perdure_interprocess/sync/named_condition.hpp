// Boost's own.
#pragma once

#include <boost/interprocess/sync/named_condition.hpp>

namespace perdure_interprocess {

using boost::interprocess::named_condition;

}  // namespace perdure_interprocess
