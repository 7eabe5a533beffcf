// Filling memory with zeros.
#pragma once

#include <cstddef>

namespace perdure::os {

/// Fills a writable range of a private mapping without a file with zeros. A range of `least_given_back` bytes
/// or more loses its pages instead. That costs nothing where no page was touched, and more than filling where
/// all were touched and will be again. `errno` stays.
void clear_anonymous(void* address, std::size_t bytes, std::size_t least_given_back) noexcept;

}  // namespace perdure::os
