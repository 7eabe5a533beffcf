// Boost's own.
#pragma once

// Boost 1.81's upgradable_lock.hpp does not include what it uses.
#include <boost/interprocess/detail/simple_swap.hpp>
#include <boost/interprocess/sync/upgradable_lock.hpp>

namespace perdure_interprocess {

using boost::interprocess::upgradable_lock;

}  // namespace perdure_interprocess
