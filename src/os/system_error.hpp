// How this layer reports failed system calls.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace perdure::os {

/// Throws std::system_error for `errno`, with a message of the form "operation: subject".
[[noreturn]] inline void throw_errno(const char* operation, const std::string& subject, int error = errno) {
  throw std::system_error(error, std::generic_category(),
                          subject.empty() ? std::string(operation) : std::string(operation) + " " + subject);
}

}  // namespace perdure::os
