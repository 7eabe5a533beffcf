// The exception of a heap that has no block to give. A heap in a store throws a `std::bad_alloc` that says
// which store it was, what was asked for, and what can be done. Any other heap, such as a process's own,
// throws a plain `std::bad_alloc`: its exceptions need memory from the same heap.
#pragma once

#include <cstddef>

#include "segment/segment.hpp"

namespace perdure::detail {

/// The blocks that there are take the memory's limit.
[[noreturn]] void throw_no_allowance(const segment& memory, std::size_t bytes);
/// There is no block of that size: the memory's capacity is used up, or the system gives no more.
[[noreturn]] void throw_no_block(const segment& memory, std::size_t bytes);
/// So many elements are more bytes than can be counted. Throws `std::bad_array_new_length`, which is a
/// `std::bad_alloc`.
[[noreturn]] void throw_no_such_length(const segment& memory, std::size_t elements,
                                       std::size_t element_bytes);
/// No heap has blocks of that alignment.
[[noreturn]] void throw_no_such_alignment(const segment& memory, std::size_t alignment);

}  // namespace perdure::detail
