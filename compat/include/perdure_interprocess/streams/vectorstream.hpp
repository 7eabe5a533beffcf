// Boost's own.
#pragma once

#include <boost/interprocess/streams/vectorstream.hpp>

namespace perdure_interprocess {

using boost::interprocess::basic_ivectorstream;
using boost::interprocess::basic_ovectorstream;
using boost::interprocess::basic_vectorbuf;
using boost::interprocess::basic_vectorstream;

}  // namespace perdure_interprocess
