// Boost's own: works with the allocator and the deleter of a store.
#pragma once

#include <boost/interprocess/smart_ptr/intrusive_ptr.hpp>

namespace perdure_interprocess {

using boost::interprocess::intrusive_ptr;

}  // namespace perdure_interprocess
