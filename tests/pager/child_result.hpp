// What becomes of a forked child.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace perdure {

/// The exit code of a forked child that does `work`, or 128 and the signal that ended it.
template <class Work>
int result_of_child(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(std::forward<Work>(work)());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace perdure
