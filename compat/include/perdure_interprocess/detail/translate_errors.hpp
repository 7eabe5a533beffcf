// Turns Perdure's exceptions into Boost's.
#pragma once

#include <new>
#include <perdure_interprocess/exceptions.hpp>
#include <utility>

namespace perdure_interprocess::detail {

/// Calls `body`; what else it throws passes unchanged.
template <class Body>
decltype(auto) translate_errors(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const perdure::error& failure) {
    throw store_exception(failure);
  } catch (const std::bad_alloc&) {
    throw bad_alloc();
  }
}

}  // namespace perdure_interprocess::detail
