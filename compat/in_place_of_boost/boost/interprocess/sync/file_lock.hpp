// Boost's file_lock, which knows stores too. (C++11, as Boost's.)
#pragma once
#pragma GCC system_header

#include <boost/interprocess/interprocess_fwd.hpp>

#define file_lock file_lock_of_boost
#include_next <boost/interprocess/sync/file_lock.hpp>
#undef file_lock

#include <perdure_interprocess/detail/basic_file_lock.hpp>

namespace boost {
namespace interprocess {

using file_lock = perdure_interprocess::basic_file_lock<file_lock_of_boost>;

}  // namespace interprocess
}  // namespace boost
