// Calls that may fail on some ranks and then throw on all of them.
#pragma once

#include <exception>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <type_traits>
#include <utility>

namespace perdure::graph {

/// Collective. Throws on all ranks the error of the lowest rank that has one, in the same words. The number
/// of the rank precedes the words unless all ranks have an error. Returns if no rank has one. Exceptions
/// other than `perdure::error` become `out_of_memory` (`std::bad_alloc`) or `io`.
void throw_joint_error(rank_exchange& ranks, const std::exception_ptr& own);

/// Collective. Throws on all ranks the error of the lowest rank that has one, in the same words. Returns if
/// no rank has one.
void throw_first_error(rank_exchange& ranks, const std::optional<error>& own);

/// Collective. Calls `work()` on each rank and returns its result if it throws on no rank. Otherwise throws
/// what `throw_joint_error` throws. `work` must not make a collective call.
template <class Work>
auto joint_call(rank_exchange& ranks, Work&& work) {
  std::exception_ptr failure;
  if constexpr (std::is_void_v<std::invoke_result_t<Work&>>) {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    throw_joint_error(ranks, failure);
  } else {
    std::invoke_result_t<Work&> result{};
    try {
      result = work();
    } catch (...) {
      failure = std::current_exception();
    }
    throw_joint_error(ranks, failure);
    return result;
  }
}

}  // namespace perdure::graph
