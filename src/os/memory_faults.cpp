// The handlers of SIGSEGV and SIGBUS: ask those who watch the memory that was touched, else the handler
// before.
#include "os/memory_faults.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <forward_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/signals_blocked.hpp"
#include "os/standard_error.hpp"
#include "os/system_error.hpp"

namespace perdure::os {

namespace {

// Slots are never freed, only emptied, so the handler can walk them without a lock.
struct slot {
  std::atomic<std::byte*> base{nullptr};
  std::atomic<std::size_t> bytes{0};
  std::atomic<watched_touches> which{watched_touches::writes};
  std::atomic<touch_admission> admit{nullptr};
  std::atomic<void*> context{nullptr};
};

std::array<slot, 8192> slots;
std::atomic<std::size_t> slots_used{0};  // the furthest one ever taken, plus one
std::mutex slots_changing;
// They are replaced while other threads may read them, so the actions that they pointed to are never freed.
std::atomic<const struct sigaction*> previous_segv{nullptr};
std::atomic<const struct sigaction*> previous_bus{nullptr};
const struct sigaction& keep(const struct sigaction& action) {
  static auto& all = *new std::forward_list<struct sigaction>;
  return all.emplace_front(action);
}

#if defined(__aarch64__)
// The processor's exception syndrome, which the kernel leaves among the records of the signal frame.
std::optional<std::uint64_t> syndrome_of(const ucontext_t* context) noexcept {
  const auto* at = reinterpret_cast<const std::byte*>(context->uc_mcontext.__reserved);
  const std::byte* const end = at + sizeof context->uc_mcontext.__reserved;
  while (at + sizeof(_aarch64_ctx) <= end) {
    const auto* const head = reinterpret_cast<const _aarch64_ctx*>(at);
    if (head->magic == ESR_MAGIC) return reinterpret_cast<const esr_context*>(at)->esr;
    if (head->magic == 0 || head->size == 0) break;
    at += head->size;
  }
  return std::nullopt;
}
#endif

// Nothing if it was an instruction that cannot be fetched: letting the thread try again would not help.
std::optional<touch> touch_of([[maybe_unused]] const ucontext_t* context) noexcept {
#if defined(__x86_64__)
  const auto code = context->uc_mcontext.gregs[REG_ERR];
  if ((code & 16) != 0) return std::nullopt;
  return (code & 2) != 0 ? touch::write : touch::read;
#elif defined(__aarch64__)
  const auto syndrome = syndrome_of(context);
  if (!syndrome) return touch::write;
  const std::uint64_t exception_class = *syndrome >> 26 & 0x3f;
  if (exception_class == 0x20 || exception_class == 0x21) return std::nullopt;
  return (*syndrome >> 6 & 1) != 0 ? touch::write : touch::read;
#else
  return touch::write;
#endif
}

enum class answer { nobodys, refused, admitted, no_room };

// Whether the stack that this runs on has room for answering, which takes 1,700 bytes at most, if it is the
// thread's alternate one.
bool has_room_to_answer(const ucontext_t& interrupted) noexcept {
  constexpr std::size_t enough = 2048;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t left = here - reinterpret_cast<std::uintptr_t>(interrupted.uc_stack.ss_sp);
  return left >= interrupted.uc_stack.ss_size || left >= enough;
}

answer ask(std::byte* address, touch how, watched_touches asked, bool has_room = true) noexcept {
  answer given = answer::nobodys;
  const std::size_t used = slots_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const slot& watched = slots[i];
    std::byte* const base = watched.base.load(std::memory_order_acquire);
    if (base == nullptr || address < base ||
        address >= base + watched.bytes.load(std::memory_order_relaxed) ||
        watched.which.load(std::memory_order_relaxed) != asked)
      continue;
    if (!has_room) return answer::no_room;
    if (watched.admit.load(std::memory_order_relaxed)(watched.context.load(std::memory_order_relaxed),
                                                      address, how))
      return answer::admitted;
    given = answer::refused;
  }
  return given;
}

bool is_admitted(std::byte* address, touch how, watched_touches asked) noexcept {
  return ask(address, how, asked) == answer::admitted;
}

void send_to_this_thread(siginfo_t& info) noexcept {
  ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::syscall(SYS_gettid), info.si_signo, &info);
}

// Calls the handler that was there before, as the kernel would have.
void pass_on(std::atomic<const struct sigaction*>& kept, siginfo_t& info, ucontext_t& interrupted) {
  static constexpr struct sigaction default_action {};
  const struct sigaction& previous = *kept.load(std::memory_order_acquire);
  const bool takes_info = (previous.sa_flags & SA_SIGINFO) != 0;
  if (!takes_info && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN)) {
    const bool is_sent = info.si_code <= 0;
    // A signal that was sent can be ignored, a fault cannot.
    if (is_sent && previous.sa_handler == SIG_IGN) return;
    // Returning repeats the faulting instruction, now with the action that ends the process.
    ::signal(info.si_signo, SIG_DFL);
    if (is_sent) send_to_this_thread(info);
    return;
  }
  if ((previous.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) kept = &default_action;
  // That handler expects the signal mask that it asked for.
  sigset_t mask;
  ::sigorset(&mask, &interrupted.uc_sigmask, &previous.sa_mask);
  if ((previous.sa_flags & SA_NODEFER) == 0) ::sigaddset(&mask, info.si_signo);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (takes_info)
    previous.sa_sigaction(info.si_signo, &info, &interrupted);
  else
    previous.sa_handler(info.si_signo);
}

// The signal that the kernel sends where a page of a mapped file cannot be read.
void send_bus_error(void* address) noexcept {
  siginfo_t info{};
  info.si_signo = SIGBUS;
  info.si_code = BUS_ADRERR;
  info.si_addr = address;
  send_to_this_thread(info);
}

// Ends the process, which is better than to write over the memory before the stack: returning repeats the
// touch.
void end_at_next_touch(int signal) noexcept {
  constexpr std::string_view sentence =
      "perdure: the alternate signal stack of the thread that touched a mapped file is too small: it must "
      "have "
      "room for the kernel's frame, getauxval(AT_MINSIGSTKSZ), and 3072 bytes more\n";
  write_to_standard_error(sentence);
  ::signal(signal, SIG_DFL);
}

// Whether the touch is answered, so that the handler has only to return.
bool is_answered_guarded(std::byte* address, touch how, const ucontext_t& interrupted) noexcept {
  const base::kernel_signals before = base::block_only(base::all_signals);
  const answer given = ask(address, how, watched_touches::guarded, has_room_to_answer(interrupted));
  if (given == answer::no_room) end_at_next_touch(SIGSEGV);
  if (given == answer::refused) {
    send_bus_error(address);
    // Signals stay blocked until the handler returns, so the SIGBUS arrives then, as if the touch itself had
    // caused it.
    return true;
  }
  base::block_only(before);
  return given != answer::nobodys;
}

void on_segv(int, siginfo_t* info, void* context) {
  const int saved = errno;
  auto& interrupted = *static_cast<ucontext_t*>(context);
  const std::optional<touch> how = touch_of(&interrupted);
  auto* const address = static_cast<std::byte*>(info->si_addr);
  bool is_answered = false;
  bool is_withheld = false;
  if (how && info->si_code == SEGV_ACCERR) {
    is_withheld = is_admitted(address, *how, watched_touches::withheld);
    is_answered =
        !is_withheld && (is_admitted(address, *how, watched_touches::all) ||
                         (*how == touch::write && is_admitted(address, *how, watched_touches::writes)));
  } else if (how && info->si_code == SEGV_MAPERR) {
    is_answered = is_answered_guarded(address, *how, interrupted);
  }
  if (how && !is_answered && !is_withheld) ask(address, *how, watched_touches::unanswered);
  errno = saved;
  if (!is_answered) pass_on(previous_segv, *info, interrupted);
}

void on_bus_error(int, siginfo_t* info, void* context) {
  const int saved = errno;
  auto& interrupted = *static_cast<ucontext_t*>(context);
  const std::optional<touch> how = touch_of(&interrupted);
  answer given = answer::nobodys;
  if (how && info->si_code == BUS_ADRERR)
    given = ask(static_cast<std::byte*>(info->si_addr), *how, watched_touches::missing,
                has_room_to_answer(interrupted));
  // The kernel itself had no such page to give, and no watch knows it.
  if (how && given == answer::nobodys && (info->si_code == BUS_ADRERR || info->si_code == BUS_MCEERR_AR))
    ask(static_cast<std::byte*>(info->si_addr), *how, watched_touches::unreadable);
  errno = saved;
  if (given == answer::no_room)
    end_at_next_touch(SIGBUS);
  else if (given != answer::admitted)
    pass_on(previous_bus, *info, interrupted);
}

using signal_handler = void (*)(int, siginfo_t*, void*);

// Installs the handler. Calls `note` with the one that was there before, unless it is the same.
template <class Note>
void install_handler(int signal, const char* name, signal_handler handler, bool with_signals_blocked,
                     Note&& note) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  // Not by sigfillset(3), which leaves out signals that the C library uses itself.
  const base::kernel_signals blocked = with_signals_blocked ? base::all_signals : base::cancelling_signal;
  ::sigemptyset(&action.sa_mask);
  std::memcpy(&action.sa_mask, &blocked, sizeof blocked);
  if (!with_signals_blocked) action.sa_flags |= SA_NODEFER;
  struct sigaction current {};
  if (::sigaction(signal, nullptr, &current) != 0) throw_errno("sigaction", name);
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == handler) return;
  note(current);
  if (::sigaction(signal, &action, nullptr) != 0) throw_errno("sigaction", name);
}

}  // namespace

fault_watch::fault_watch(std::byte* base, std::size_t bytes, watched_touches which, touch_admission admit,
                         void* context) {
  const std::scoped_lock lock(slots_changing);
  if (which == watched_touches::missing || which == watched_touches::unreadable) {
    install_handler(SIGBUS, "SIGBUS", on_bus_error, true,
                    [](const struct sigaction& previous) { previous_bus = &keep(previous); });
  } else {
    install_handler(SIGSEGV, "SIGSEGV", on_segv, false,
                    [](const struct sigaction& previous) { previous_segv = &keep(previous); });
  }
  const auto found =
      std::find_if(slots.begin(), slots.end(), [](const slot& s) { return s.base.load() == nullptr; });
  if (found == slots.end())
    throw_errno(
        (std::to_string(slots.size()) +
         " mappings (regions of the pager, stores, kinds of memory) have their touches answered already, "
         "which is the most of a process; unmap or close one first")
            .c_str(),
        "", EAGAIN);
  slot_ = static_cast<std::size_t>(found - slots.begin());
  found->bytes = bytes;
  found->which = which;
  found->admit = admit;
  found->context = context;
  found->base.store(base, std::memory_order_release);
  slots_used.store(std::max(slots_used.load(), slot_ + 1), std::memory_order_release);
}

// Takes no lock: in a forked child it may be held by a thread that does not exist there.
fault_watch::~fault_watch() {
  slots[slot_].base.store(nullptr, std::memory_order_release);
}

bool exchange_fault_handler(int signal, const struct sigaction* wanted, struct sigaction* former) {
  if (signal != SIGBUS && signal != SIGSEGV) return false;
  auto& kept = signal == SIGBUS ? previous_bus : previous_segv;
  const base::signals_blocked quiet;
  const std::scoped_lock lock(slots_changing);
  const struct sigaction* const previous = kept.load();
  if (previous == nullptr) return false;
  if (former != nullptr) *former = *previous;
  if (wanted != nullptr) kept = &keep(*wanted);
  return true;
}

}  // namespace perdure::os
