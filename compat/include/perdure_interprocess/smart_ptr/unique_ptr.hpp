// Boost's own: works with the allocator and the deleter of a store.
#pragma once

#include <boost/interprocess/smart_ptr/unique_ptr.hpp>

namespace perdure_interprocess {

using boost::interprocess::make_managed_unique_ptr;
using boost::interprocess::managed_unique_ptr;
using boost::interprocess::unique_ptr;

}  // namespace perdure_interprocess
