// Work in a process of its own, for libraries of others that a damaged file may bring to their end.
#pragma once

#include <functional>
#include <string>

namespace perdure::cli {

/// Returns in a forked child, which does the rest of the command. The process that called ends as the child
/// does; if that is by a signal that means a mistake, or by SIGPROF, which means a limit of time
/// (library_limits.hpp), it calls `give_up` and throws `bad_input`: `what` could not be dealt with. Before
/// any thread has been started.
void go_on_apart(const std::string& what, const std::function<void()>& give_up);

}  // namespace perdure::cli
