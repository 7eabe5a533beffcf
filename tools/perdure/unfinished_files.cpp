#include "unfinished_files.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

namespace perdure::cli {
namespace {

// Written before `begun` is set, read by the handler only while it is.
std::array<char, 4096> unfinished;
std::atomic<bool> begun{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void remove_and_end(int signal) {
  remove_unfinished();
  // SA_RESETHAND has put the default action back.
  ::raise(signal);
}

void handle(int signal) {
  struct sigaction before {};
  if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction action {};
  action.sa_handler = remove_and_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void remove_unfinished() noexcept {
  if (begun.load()) ::unlink(unfinished.data());
}

void remove_if_interrupted(const std::filesystem::path& file) {
  const std::string& name = file.native();
  if (begun.load() || name.size() >= unfinished.size()) return;
  std::memcpy(unfinished.data(), name.c_str(), name.size() + 1);
  begun.store(true);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal);
}

void finished(const std::filesystem::path& file) noexcept {
  if (begun.load() && file.native() == unfinished.data()) begun.store(false);
}

}  // namespace perdure::cli
