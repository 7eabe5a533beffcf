// Invariants of the library, which hold whatever a program, a disk or the kernel does.
//
// A violation is a mistake of this library. The process ends with one line that says where, before anything
// that follows from it is made durable. What others may get wrong (arguments, files, devices) is never
// checked here: it is an error that they are told of.
//
// Three levels, as in mimalloc. PERDURE_CHECKS, a CMake variable, chooses: 0 for users, 2 under the
// sanitizers.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#ifndef PERDURE_CHECKS
#define PERDURE_CHECKS 0
#endif

namespace perdure::base {

/// Async-signal-safe.
[[noreturn]] inline void end_by_violation(std::string_view line) noexcept {
  // That there is nobody to tell changes nothing.
  [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, line.data(), line.size());
  std::abort();
}

}  // namespace perdure::base

#define PERDURE_TEXT_OF_(value) #value
#define PERDURE_TEXT_OF(value) PERDURE_TEXT_OF_(value)

/// Checked always: costs nothing beside what stands next to it.
#define PERDURE_INVARIANT(condition)                                                  \
  (static_cast<bool>(condition)                                                       \
       ? static_cast<void>(0)                                                         \
       : ::perdure::base::end_by_violation("perdure: invariant violated at " __FILE__ \
                                           ":" PERDURE_TEXT_OF(__LINE__) ": " #condition "\n"))

/// Checked from level 1 on: where every nanosecond counts.
#if PERDURE_CHECKS >= 1
#define PERDURE_DEBUG_INVARIANT(condition) PERDURE_INVARIANT(condition)
#else
#define PERDURE_DEBUG_INVARIANT(condition) static_cast<void>(sizeof(!(condition)))
#endif

/// Checked from level 2 on: takes as long as the work that it checks.
#if PERDURE_CHECKS >= 2
#define PERDURE_PARANOID_INVARIANT(condition) PERDURE_INVARIANT(condition)
#else
#define PERDURE_PARANOID_INVARIANT(condition) static_cast<void>(sizeof(!(condition)))
#endif
