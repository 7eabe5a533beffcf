// Boost's own.
#pragma once

#include <boost/interprocess/sync/named_condition_any.hpp>

namespace perdure_interprocess {

using boost::interprocess::named_condition_any;

}  // namespace perdure_interprocess
