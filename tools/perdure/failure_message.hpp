// Messages of exceptions, as users read them.
#pragma once

#include <exception>
#include <string>

namespace perdure::cli {

/// Returns the message of a failure in words of the command line: options instead of the names that programs
/// use, and no text of the standard library's own.
std::string failure_message(const std::exception& failure);

}  // namespace perdure::cli
