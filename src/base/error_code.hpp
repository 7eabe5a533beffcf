// Error codes for failed system calls.
#pragma once

#include <perdure/error.hpp>
#include <system_error>

namespace perdure::base {

/// `io` for every errno that has no code of its own.
errc code_of(const std::system_error& failure) noexcept;

}  // namespace perdure::base
