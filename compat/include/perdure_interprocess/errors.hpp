// Error codes: Boost's own.
#pragma once

#include <boost/interprocess/errors.hpp>

namespace perdure_interprocess {

using boost::interprocess::error_code_t;
using boost::interprocess::error_info;
using boost::interprocess::native_error_t;

using boost::interprocess::already_exists_error;
using boost::interprocess::busy_error;
using boost::interprocess::corrupted_error;
using boost::interprocess::invalid_argument;
using boost::interprocess::io_error;
using boost::interprocess::is_directory_error;
using boost::interprocess::lock_error;
using boost::interprocess::mode_error;
using boost::interprocess::no_error;
using boost::interprocess::not_empty_error;
using boost::interprocess::not_found_error;
using boost::interprocess::not_recoverable;
using boost::interprocess::not_such_file_or_directory;
using boost::interprocess::other_error;
using boost::interprocess::out_of_memory_error;
using boost::interprocess::out_of_resource_error;
using boost::interprocess::out_of_space_error;
using boost::interprocess::owner_dead_error;
using boost::interprocess::path_error;
using boost::interprocess::read_only_error;
using boost::interprocess::security_error;
using boost::interprocess::sem_error;
using boost::interprocess::size_error;
using boost::interprocess::system_error;
using boost::interprocess::timeout_when_locking_error;
using boost::interprocess::timeout_when_waiting_error;

}  // namespace perdure_interprocess
