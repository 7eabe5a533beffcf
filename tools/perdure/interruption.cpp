#include "interruption.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "complaint.hpp"

namespace perdure::cli {
namespace {

std::atomic<int> noted{0};
std::atomic<int> to_wake{-1};
static_assert(std::atomic<int>::is_always_lock_free);

constexpr std::array watched{SIGINT, SIGTERM, SIGHUP};

void note(int signal) {
  const int number = errno;
  noted.store(signal);
  const std::uint64_t one = 1;
  static_cast<void>(!::write(to_wake.load(), &one, sizeof one));
  errno = number;
}

void set_action(int signal, void (*from)(int), void (*to)(int)) {
  struct sigaction action {};
  if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != from) return;
  action = {};
  action.sa_handler = to;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

interruption_watch::interruption_watch()
    : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0 || stop_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  noted.store(0);
  to_wake.store(descriptor_);
  guard_ = std::thread([this] { end_after_a_while(); });
  for (const int signal : watched) set_action(signal, SIG_DFL, note);
}

interruption_watch::~interruption_watch() {
  for (const int signal : watched) set_action(signal, note, SIG_DFL);
  const std::uint64_t one = 1;
  static_cast<void>(!::write(stop_, &one, sizeof one));
  guard_.join();
  to_wake.store(-1);
  ::close(descriptor_);
  ::close(stop_);
}

void interruption_watch::end_after_a_while() const {
  constexpr int patience_ms = 4000;
  std::array<pollfd, 2> either{{{stop_, POLLIN, 0}, {descriptor_, POLLIN, 0}}};
  while (::poll(either.data(), either.size(), -1) < 0) {
  }
  if (either[0].revents != 0) return;
  int ready = 0;
  while ((ready = ::poll(either.data(), 1, patience_ms)) < 0) {
  }
  if (ready != 0) return;
  remark("perdure", "interrupted in the middle of its work: the store is as its last checkpoint left it");
  end_by(signal());
}

int interruption_watch::signal() noexcept {
  return noted.load();
}

void end_if_interrupted() {
  if (interruption_watch::signal() != 0) throw std::runtime_error("interrupted");
}

void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  std::abort();
}

}  // namespace perdure::cli
