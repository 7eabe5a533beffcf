#include "os/write_faults.hpp"

#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "os/system_error.hpp"

namespace perdure::os {

namespace {

// Slots are never freed, only emptied, so the handler can walk them without a lock.
struct slot {
  std::atomic<std::byte*> base{nullptr};
  std::atomic<std::size_t> bytes{0};
  std::atomic<store_admission> admit{nullptr};
  std::atomic<void*> context{nullptr};
};

std::array<slot, 1024> slots;
std::atomic<std::size_t> slots_used{0};  // the furthest one ever taken, plus one
std::mutex slots_changing;
struct sigaction previous_action;

bool is_store([[maybe_unused]] const ucontext_t* context) noexcept {
#if defined(__x86_64__)
  return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  return true;
#endif
}

bool admit_store(std::byte* address) noexcept {
  const std::size_t used = slots_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const slot& watched = slots[i];
    std::byte* const base = watched.base.load(std::memory_order_acquire);
    if (base == nullptr || address < base || address >= base + watched.bytes.load(std::memory_order_relaxed))
      continue;
    return watched.admit.load(std::memory_order_relaxed)(watched.context.load(std::memory_order_relaxed),
                                                         address);
  }
  return false;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const bool ours = info->si_code == SEGV_ACCERR && is_store(static_cast<const ucontext_t*>(context)) &&
                    admit_store(static_cast<std::byte*>(info->si_addr));
  errno = saved;
  if (ours) return;
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
    // Returning repeats the faulting instruction, now with the action that ends the process.
    ::signal(signal, SIG_DFL);
  } else {
    previous_action.sa_handler(signal);
  }
}

void install_handler() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  struct sigaction current {};
  if (::sigaction(SIGSEGV, nullptr, &current) != 0) throw_errno("sigaction", "SIGSEGV");
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_fault) return;
  previous_action = current;
  if (::sigaction(SIGSEGV, &action, nullptr) != 0) throw_errno("sigaction", "SIGSEGV");
}

}  // namespace

write_fault_watch::write_fault_watch(std::byte* base, std::size_t bytes, store_admission admit,
                                     void* context) {
  const std::scoped_lock lock(slots_changing);
  install_handler();
  const auto found =
      std::find_if(slots.begin(), slots.end(), [](const slot& s) { return s.base.load() == nullptr; });
  if (found == slots.end()) throw_errno("track stores:", "too many stores are open", EMFILE);
  slot_ = static_cast<std::size_t>(found - slots.begin());
  found->bytes = bytes;
  found->admit = admit;
  found->context = context;
  found->base.store(base, std::memory_order_release);
  slots_used.store(std::max(slots_used.load(), slot_ + 1), std::memory_order_release);
}

write_fault_watch::~write_fault_watch() {
  const std::scoped_lock lock(slots_changing);
  slots[slot_].base.store(nullptr, std::memory_order_release);
}

}  // namespace perdure::os
