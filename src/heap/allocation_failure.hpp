// What a heap throws when it has no block to give: of a store, a `std::bad_alloc` that says which store it
// was, what was asked for, and what can be done. Of other memory, a process's own among it, a plain
// `std::bad_alloc`, as room for an exception must be found then too.
#pragma once

#include <cstddef>

#include "segment/segment.hpp"

namespace perdure::detail {

/// There is no block of that size: the memory's capacity is used up, or the system gives no more.
[[noreturn]] void throw_no_block(const segment& memory, std::size_t bytes);
/// So many elements are more bytes than can be counted. Throws `std::bad_array_new_length`, which is a
/// `std::bad_alloc`.
[[noreturn]] void throw_no_such_length(const segment& memory, std::size_t elements,
                                       std::size_t element_bytes);
/// No heap aligns blocks like that.
[[noreturn]] void throw_no_such_alignment(const segment& memory, std::size_t alignment);

}  // namespace perdure::detail
