// Boost's own: works with the allocator and the deleter of a store.
#pragma once

#include <boost/interprocess/smart_ptr/weak_ptr.hpp>

namespace perdure_interprocess {

using boost::interprocess::make_managed_weak_ptr;
using boost::interprocess::managed_weak_ptr;
using boost::interprocess::weak_ptr;

}  // namespace perdure_interprocess
