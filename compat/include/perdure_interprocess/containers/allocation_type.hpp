// How memory may be had: Boost's own flags.
#pragma once

#include <boost/interprocess/containers/allocation_type.hpp>

namespace perdure_interprocess {

using boost::interprocess::allocate_new;
using boost::interprocess::allocation_type;
using boost::interprocess::expand_bwd;
using boost::interprocess::expand_fwd;
using boost::interprocess::nothrow_allocation;
using boost::interprocess::shrink_in_place;
using boost::interprocess::try_shrink_in_place;
using boost::interprocess::zero_memory;

}  // namespace perdure_interprocess
