// Boost's own: works with the allocator and the deleter of a store.
#pragma once

#include <boost/interprocess/smart_ptr/scoped_ptr.hpp>

namespace perdure_interprocess {

using boost::interprocess::scoped_ptr;

}  // namespace perdure_interprocess
