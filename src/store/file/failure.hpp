// Turns failed system calls into errors a person can act on.
#pragma once

#include <filesystem>
#include <perdure/error.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "base/error_code.hpp"

namespace perdure::store {

/// "cannot <action> <store>: <what the system said>; <what to do>".
[[noreturn]] void throw_failure(const std::string& action, const std::filesystem::path& store,
                                const std::system_error& failure);

/// Runs `work`; a failed system call in it is thrown as `perdure::error`.
template <class Work>
decltype(auto) reporting(const std::string& action, const std::filesystem::path& store, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::system_error& failure) {
    throw_failure(action, store, failure);
  }
}

/// Returns whether this process may not do what it asked for, or nobody may on that mount.
bool is_refusal(const std::system_error& failure) noexcept;

[[noreturn]] void throw_damaged(const std::filesystem::path& file, const std::string& what);

}  // namespace perdure::store
