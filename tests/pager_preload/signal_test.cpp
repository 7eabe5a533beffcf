// Programs that handle or block the signal that the pager lives in.
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <thread>

#include "preloaded_test.hpp"

// The C library has it, and no header declares it any more.
extern "C" sighandler_t bsd_signal(int number, sighandler_t handler) noexcept;

namespace perdure::pager_preload {
namespace {

class signals : public preloaded_test {
 protected:
  void TearDown() override {
    ::signal(SIGBUS, SIG_DFL);
    preloaded_test::TearDown();
  }
};

volatile sig_atomic_t bus_errors = 0;
sigjmp_buf way_out;

void on_bus_error(int) {
  bus_errors = bus_errors + 1;
  siglongjmp(way_out, 1);
}

void on_bus_error_with_more(int signal, siginfo_t*, void*) {
  on_bus_error(signal);
}

TEST_F(signals, reach_a_handler_that_was_set_later_unless_they_are_the_pagers) {
  std::uint64_t* const words = map_paged();
  struct sigaction wanted {};
  wanted.sa_sigaction = on_bus_error_with_more;
  wanted.sa_flags = SA_SIGINFO;
  struct sigaction former {};
  EXPECT_EQ(::sigaction(SIGBUS, &wanted, &former), 0);
  EXPECT_EQ(former.sa_handler, SIG_DFL);
  bus_errors = 0;
  EXPECT_EQ(wrong_words(words), 0u);
  EXPECT_EQ(bus_errors, 0);
  ASSERT_EQ(::ftruncate(writable_, 1000 * page_bytes), 0);
  if (sigsetjmp(way_out, 1) == 0) {
    EXPECT_EQ(words[1400 * words_of_page], 0u);
    ADD_FAILURE() << "what is past the end could be read";
  }
  EXPECT_EQ(bus_errors, 1);
  EXPECT_EQ(::sigaction(SIGBUS, nullptr, &former), 0);
  EXPECT_EQ(former.sa_sigaction, on_bus_error_with_more);
  EXPECT_NE(::signal(SIGBUS, on_bus_error), SIG_ERR);
  if (sigsetjmp(way_out, 1) == 0) {
    EXPECT_EQ(words[1401 * words_of_page], 0u);
  }
  EXPECT_EQ(bus_errors, 2);
  EXPECT_EQ(wrong_words(words, 0, 1000), 0u);
  EXPECT_EQ(::sigaction(SIGBUS, nullptr, &former), 0);
  EXPECT_EQ(former.sa_handler, on_bus_error);
  EXPECT_EQ(::munmap(words, file_bytes), 0);
}

TEST_F(signals, may_be_blocked_by_threads_that_touch) {
  std::uint64_t* const words = map_paged();
  std::size_t wrong = 1;
  std::thread toucher([&] {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    wrong = wrong_words(words);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    wrong += wrong_words(words);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    wrong += wrong_words(words);
  });
  toucher.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(::munmap(words, file_bytes), 0);
}

const std::uint64_t* touched_by_handler = nullptr;
volatile sig_atomic_t wrong_in_handler = 0;

TEST_F(signals, may_be_blocked_by_handlers_that_touch) {
  std::uint64_t* const words = map_paged();
  touched_by_handler = words;
  struct sigaction wanted {};
  wanted.sa_handler = [](int) {
    for (std::size_t page = 0; page < pages; page += 7)
      if (touched_by_handler[page * words_of_page] != pattern(page * words_of_page)) wrong_in_handler = 1;
  };
  ::sigfillset(&wanted.sa_mask);
  ASSERT_EQ(::sigaction(SIGUSR1, &wanted, nullptr), 0);
  ::raise(SIGUSR1);
  EXPECT_EQ(wrong_in_handler, 0);
  ::signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(::munmap(words, file_bytes), 0);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// Older ways to say the same, each in a child, which would die of it.
class in_older_ways : public signals {
 protected:
  /// 0 if all can be read after `set`, and `was_set` says yes.
  template <class Set, class Check>
  int result_of(Set&& set, Check&& was_set) {
    return result_of_child([&] {
      const std::uint64_t* const words = map_paged();
      if (wrong_words(words, 0, 100) != 0) return 1;
      set();
      if (wrong_words(words) != 0) return 2;
      return was_set() ? 0 : 3;
    });
  }
  static bool handler_is(void (*wanted)(int)) {
    struct sigaction there {};
    return ::sigaction(SIGBUS, nullptr, &there) == 0 && there.sa_handler == wanted;
  }
  static bool is_blocked(int number) {
    sigset_t now;
    return ::pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0 && ::sigismember(&now, number) == 1;
  }
};

TEST_F(in_older_ways, handlers_are_set_for_what_is_not_the_pagers) {
  const auto is_ours = [] { return handler_is(on_bus_error); };
  const auto is_ignored = [] { return handler_is(SIG_IGN); };
  EXPECT_EQ(result_of([] { ::ssignal(SIGBUS, on_bus_error); }, is_ours), 0);
  EXPECT_EQ(result_of([] { ::__sysv_signal(SIGBUS, on_bus_error); }, is_ours), 0);
  EXPECT_EQ(result_of([] { ::sysv_signal(SIGBUS, on_bus_error); }, is_ours), 0);
  EXPECT_EQ(result_of([] { ::sigset(SIGBUS, on_bus_error); }, is_ours), 0);
  EXPECT_EQ(result_of([] { bsd_signal(SIGBUS, on_bus_error); }, is_ours), 0);
  EXPECT_EQ(result_of([] { ::sigignore(SIGBUS); }, is_ignored), 0);
  EXPECT_EQ(result_of([] { errno = 0, ::sysv_signal(SIGBUS, SIG_ERR); }, [] { return errno == EINVAL; }), 0);
  // A handler that was told to stay for one signal does no more.
  EXPECT_EQ(result_of([] { ::sysv_signal(SIGBUS, [](int) {}), ::raise(SIGBUS); },
                      [] { return handler_is(SIG_DFL); }),
            0);
}

TEST_F(in_older_ways, signals_are_blocked_but_for_the_pagers) {
  const auto usr1_is_blocked = [] { return is_blocked(SIGUSR1) && !is_blocked(SIGBUS); };
  const auto hold = [](auto held) { return [held] { held(SIGBUS), held(SIGSEGV), held(SIGUSR1); }; };
  EXPECT_EQ(result_of(hold([](int number) { ::sighold(number); }), usr1_is_blocked), 0);
  EXPECT_EQ(result_of(hold([](int number) { ::sigset(number, SIG_HOLD); }), usr1_is_blocked), 0);
  constexpr int three = 1 << (SIGBUS - 1) | 1 << (SIGSEGV - 1) | 1 << (SIGUSR1 - 1);
  EXPECT_EQ(result_of([&] { ::sigblock(three); }, usr1_is_blocked), 0);
  EXPECT_EQ(result_of([&] { ::sigsetmask(three); }, usr1_is_blocked), 0);
}

#pragma GCC diagnostic pop

TEST_F(in_older_ways, threads_begin_with_signals_blocked_but_for_the_pagers) {
  EXPECT_EQ(result_of_child([] {
              pthread_attr_t blocking;
              sigset_t all;
              ::sigfillset(&all);
              ::pthread_attr_init(&blocking);
              ::pthread_attr_setsigmask_np(&blocking, &all);
              pthread_t thread;
              const auto look = [](void*) -> void* {
                return is_blocked(SIGBUS) || is_blocked(SIGSEGV) || !is_blocked(SIGUSR1) ? nullptr : &way_out;
              };
              if (::pthread_create(&thread, &blocking, look, nullptr) != 0) return 1;
              void* result = nullptr;
              ::pthread_join(thread, &result);
              return result != nullptr ? 0 : 2;
            }),
            0);
}

/// Calls that wait with a mask of their own: a handler that runs meanwhile touches the mapping.
TEST_F(in_older_ways, waiting_calls_block_all_but_the_pagers) {
  const auto result_of_waiting = [&](auto wait) {
    return result_of_child([&] {
      touched_by_handler = map_paged();
      wrong_in_handler = 2;
      struct sigaction touching {};
      touching.sa_handler = [](int) { wrong_in_handler = wrong_words(touched_by_handler) == 0 ? 0 : 1; };
      ::sigaction(SIGUSR1, &touching, nullptr);
      sigset_t mask;
      ::sigemptyset(&mask);
      ::sigaddset(&mask, SIGUSR1);
      ::pthread_sigmask(SIG_BLOCK, &mask, nullptr);
      ::raise(SIGUSR1);
      ::sigfillset(&mask);
      ::sigdelset(&mask, SIGUSR1);
      return wait(mask) == -1 && errno == EINTR ? static_cast<int>(wrong_in_handler) : 3;
    });
  };
  static constexpr timespec minute{60, 0};
  EXPECT_EQ(result_of_waiting([](const sigset_t& mask) { return ::sigsuspend(&mask); }), 0);
  EXPECT_EQ(result_of_waiting([](const sigset_t& mask) { return ::ppoll(nullptr, 0, &minute, &mask); }), 0);
  EXPECT_EQ(result_of_waiting(
                [](const sigset_t& mask) { return ::pselect(0, nullptr, nullptr, nullptr, &minute, &mask); }),
            0);
  EXPECT_EQ(result_of_waiting([](const sigset_t& mask) {
              epoll_event event{};
              return ::epoll_pwait(::epoll_create1(0), &event, 1, 60'000, &mask);
            }),
            0);
  EXPECT_EQ(result_of_waiting([](const sigset_t& mask) {
              epoll_event event{};
              return ::epoll_pwait2(::epoll_create1(0), &event, 1, &minute, &mask);
            }),
            0);
}

TEST_F(signals, that_are_sent_are_the_programs) {
  std::uint64_t* const words = map_paged();
  for (const int sent : {SIGBUS, SIGSEGV}) {
    ::signal(sent, SIG_IGN);
    ::raise(sent);
    EXPECT_EQ(wrong_words(words, 0, 500), 0u);
    ::signal(sent, SIG_DFL);
    EXPECT_EQ(result_of_child([&] {
                ::raise(sent);
                return 0;
              }),
              128 + sent);
  }
  EXPECT_EQ(::munmap(words, file_bytes), 0);
}

}  // namespace
}  // namespace perdure::pager_preload
