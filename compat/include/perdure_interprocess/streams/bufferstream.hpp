// Boost's own.
#pragma once

#include <boost/interprocess/streams/bufferstream.hpp>

namespace perdure_interprocess {

using boost::interprocess::basic_bufferbuf;
using boost::interprocess::basic_bufferstream;
using boost::interprocess::basic_ibufferstream;
using boost::interprocess::basic_obufferstream;
using boost::interprocess::bufferbuf;
using boost::interprocess::bufferstream;
using boost::interprocess::ibufferstream;
using boost::interprocess::obufferstream;

}  // namespace perdure_interprocess
