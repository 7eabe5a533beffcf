// Forks and waits.
#include "apart.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <perdure/error.hpp>
#include <system_error>

#include "interruption.hpp"
#include "progress.hpp"

namespace perdure::cli {
namespace {

volatile std::sig_atomic_t working_child = 0;

void pass_on(int signal) {
  ::kill(static_cast<pid_t>(working_child), signal);
}

}  // namespace

void go_on_apart(const std::string& what, const std::function<void()>& give_up) {
  const pid_t parent = ::getpid();
  // Of several threads a child has only the one that forks.
  stop_progress();
  const pid_t child = ::fork();
  if (child < 0) throw error(errc::io, "cannot start a process: " + std::generic_category().message(errno));
  if (child == 0) {
    // Nothing is left behind by a caller that is killed.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    start_progress();
    return;
  }
  working_child = child;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
      action.sa_handler = pass_on;
      ::sigaction(signal, &action, nullptr);
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw error(errc::io, "cannot wait for a process: " + std::generic_category().message(errno));
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const bool is_mistake = signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS || signal == SIGFPE ||
                          signal == SIGILL || signal == SIGSYS;
  if (signal == SIGPROF) {
    give_up();
    throw error(errc::bad_input,
                what +
                    ": its library took too long over one part of it: it is damaged, or give "
                    "--no-limits to wait for it");
  }
  if (!is_mistake) end_by(signal);
  give_up();
  throw error(errc::bad_input,
              what + ": its library did not survive it (" + ::strsignal(signal) + "): it is damaged");
}

}  // namespace perdure::cli
