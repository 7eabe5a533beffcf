// Boost's file_mapping, whose `remove` knows stores too.
#pragma once

#include <boost/interprocess/file_mapping.hpp>
#include <perdure_interprocess/detail/basic_file_mapping.hpp>

namespace perdure_interprocess {

using boost::interprocess::copy_on_write;
using boost::interprocess::mode_t;
using boost::interprocess::read_only;
using boost::interprocess::read_write;

#ifdef PERDURE_IN_PLACE_OF_BOOST
using boost::interprocess::file_mapping;  // ours already
#else
using file_mapping = basic_file_mapping<boost::interprocess::file_mapping>;
#endif

}  // namespace perdure_interprocess
