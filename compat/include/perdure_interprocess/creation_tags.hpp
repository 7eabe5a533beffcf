// Tags that choose how a store is opened: Boost's own, so that named mutexes and the like take them too.
#pragma once

#include <boost/interprocess/creation_tags.hpp>

namespace perdure_interprocess {

using boost::interprocess::create_only;
using boost::interprocess::create_only_t;
using boost::interprocess::open_copy_on_write;
using boost::interprocess::open_copy_on_write_t;
using boost::interprocess::open_only;
using boost::interprocess::open_only_t;
using boost::interprocess::open_or_create;
using boost::interprocess::open_or_create_t;
using boost::interprocess::open_read_only;
using boost::interprocess::open_read_only_t;
using boost::interprocess::open_read_private_t;

}  // namespace perdure_interprocess
