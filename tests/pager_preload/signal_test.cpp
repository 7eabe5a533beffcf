// Programs that handle or block the signal that the pager lives in.
#include <setjmp.h>
#include <signal.h>

#include <thread>

#include "preloaded_test.hpp"

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

}  // namespace
}  // namespace perdure::pager_preload
