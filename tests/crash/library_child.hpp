// Readers that use a library of others, which a damaged file may bring to its end: each file in a process of
// its own, under the limits of the program (tools/perdure/library_limits.hpp).
#pragma once

#include <functional>
#include <string>

namespace perdure::crash {

enum class child_end {
  done,            ///< `work` returned
  library_failed,  ///< a signal, while a function of a foreign library was the innermost one
  library_slow,    ///< the limit of processor time, in a foreign library
  violation,       ///< a signal in Perdure's own code, or an exception that left `work`
};

/// Runs `work` in a forked child and returns how that ended. Prints a violation. What the program and its
/// modules (`perdure_*.so`) define is Perdure's own code; the C and C++ libraries are their callers'.
child_end run_in_child(const std::function<void()>& work);

}  // namespace perdure::crash
