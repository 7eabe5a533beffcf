#include "crash/library_child.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string_view>

namespace perdure::crash {
namespace {

constexpr int code_of_violation = 3;
constexpr int code_of_failed_library = 4;
constexpr int code_of_slow_library = 5;
constexpr int most_frames = 64;

bool is_own(std::string_view object, const char* program) {
  return object == program || object.find("/perdure_") != std::string_view::npos;
}

/// Whether functions of such a library do what their caller asked for.
bool is_of_caller(std::string_view object) {
  for (const std::string_view name :
       {"/libc.so", "/libc-", "/libm.so", "/libstdc++.so", "/libgcc_s.so", "/ld-linux", "linux-vdso"})
    if (object.find(name) != std::string_view::npos) return true;
  return false;
}

enum class owner { unknown, caller, library, perdure };

/// Returns who has defined the function that an address is in.
owner owner_of(void* address, const char* program) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return owner::unknown;
  if (is_of_caller(info.dli_fname)) return owner::caller;
  return is_own(info.dli_fname, program) ? owner::perdure : owner::library;
}

/// Returns the function that is at work, and what it returns to.
std::array<void*, 2> innermost(const void* context) {
  const mcontext_t& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {reinterpret_cast<void*>(registers.gregs[REG_RIP]),
          *reinterpret_cast<void**>(registers.gregs[REG_RSP])};
#else
  return {reinterpret_cast<void*>(registers.pc), reinterpret_cast<void*>(registers.regs[30])};
#endif
}

/// Ends the process, and says by its exit status whose function was the innermost one.
void judge(int signal, siginfo_t* /*unused*/, void* context) {
  Dl_info self{};
  ::dladdr(reinterpret_cast<void*>(&judge), &self);
  std::array<void*, most_frames> frames{};
  int count = 2;
  const std::array<void*, 2> first = innermost(context);
  std::copy(first.begin(), first.end(), frames.begin());
  int at = 0;
  // A call to nowhere has no frame that could be unwound.
  if (owner_of(first[0], self.dli_fname) != owner::unknown) {
    count = ::backtrace(frames.data(), most_frames);
    at = 2;  // this handler, and the kernel's return from it
  }
  for (; at < count; ++at) {
    const owner found = owner_of(frames[static_cast<std::size_t>(at)], self.dli_fname);
    if (found == owner::perdure) break;
    if (found == owner::library) ::_exit(signal == SIGPROF ? code_of_slow_library : code_of_failed_library);
  }
  std::fprintf(stderr, "signal %d in Perdure's code:\n", signal);
  ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  ::_exit(code_of_violation);
}

void judge_signals() {
  // A library may have used up the stack.
  static std::array<char, std::size_t{1} << 17> stack;
  const stack_t other{stack.data(), 0, stack.size()};
  ::sigaltstack(&other, nullptr);
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF}) {
    struct sigaction action {};
    action.sa_sigaction = judge;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

child_end run_in_child(const std::function<void()>& work) {
  // The first call loads a library, which a handler must not.
  static const int loaded = [] {
    std::array<void*, 1> frame{};
    return ::backtrace(frame.data(), 1);
  }();
  static_cast<void>(loaded);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) {
    judge_signals();
    try {
      work();
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "not an error of the library's: %s\n", failure.what());
      ::_exit(code_of_violation);
    }
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("cannot wait for a process");
  if (WIFEXITED(status)) {
    switch (WEXITSTATUS(status)) {
      case 0:
        return child_end::done;
      case code_of_failed_library:
        return child_end::library_failed;
      case code_of_slow_library:
        return child_end::library_slow;
      default:
        return child_end::violation;
    }
  }
  std::fprintf(stderr, "the child ended by signal %d\n", WTERMSIG(status));
  return child_end::violation;
}

}  // namespace perdure::crash
