// Boost's own: works with the allocator and the deleter of a store.
#pragma once

#include <boost/interprocess/smart_ptr/enable_shared_from_this.hpp>

namespace perdure_interprocess {

using boost::interprocess::enable_shared_from_this;

}  // namespace perdure_interprocess
