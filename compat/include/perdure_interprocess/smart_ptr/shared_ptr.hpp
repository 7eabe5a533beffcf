// Boost's own: works with the allocator and the deleter of a store.
#pragma once

#include <boost/interprocess/smart_ptr/shared_ptr.hpp>

namespace perdure_interprocess {

using boost::interprocess::const_pointer_cast;
using boost::interprocess::dynamic_pointer_cast;
using boost::interprocess::static_pointer_cast;

using boost::interprocess::make_managed_shared_ptr;
using boost::interprocess::managed_shared_ptr;
using boost::interprocess::shared_ptr;

}  // namespace perdure_interprocess
