// What becomes of a forked child.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <utility>

namespace perdure {

/// Waits for a child: its exit code, or 128 and the signal that ended it; -1 for what is no child.
inline int result_of(pid_t child) {
  int status = 0;
  if (child <= 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The result of a forked child that does `work` and ends with the number that it returns, at once, without
/// destructors of what is around it; with 1 and a message where it throws.
template <class Work>
int result_of_child(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 1;
    try {
      status = std::forward<Work>(work)();
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "in the child process: %s\n", failure.what());
    }
    ::_exit(status);
  }
  return result_of(child);
}

/// Whether such a child ends with 0.
template <class Work>
bool in_another_process(Work&& work) {
  return result_of_child(std::forward<Work>(work)) == 0;
}

}  // namespace perdure
