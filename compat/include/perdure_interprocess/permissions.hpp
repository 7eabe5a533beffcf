// Accepted where a store is created, and without effect: a store belongs to the user who made it.
#pragma once

#include <boost/interprocess/permissions.hpp>

namespace perdure_interprocess {

using boost::interprocess::permissions;

}  // namespace perdure_interprocess
