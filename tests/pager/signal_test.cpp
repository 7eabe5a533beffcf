// What signals, and the cancelling of threads, do to the pager, which lives in a handler.
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "os/thread_sanitizer.hpp"
#include "patterned_file.hpp"
#include "support/child_process.hpp"

namespace perdure::pager {
namespace {

class signals : public pager_test {
 protected:
  // That the pager lives in, in the tier under test.
  static int own_signal() { return tier_under_test() == tier::guard ? SIGSEGV : SIGBUS; }

  static bool has_all(const region& mapped) {
    for (std::size_t i = 0; i < mapped.size() / sizeof(std::uint64_t); i += 101)
      if (words_of(mapped)[i] != pattern(i)) return false;
    return true;
  }
};

TEST_F(signals, that_are_sent_are_nothing_to_a_program_that_ignores_them) {
  const auto file = make_file(200);
  for (const int sent : {SIGBUS, SIGSEGV})
    EXPECT_EQ(result_of_child([&] {
                ::signal(sent, SIG_IGN);
                const region mapped = map(file, with_budget(16));
                if (!has_all(mapped)) return 1;
                ::raise(sent);
                ::kill(::getpid(), sent);
                return has_all(mapped) ? 0 : 2;
              }),
              0)
        << sent;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which have handlers of their own
TEST_F(signals, that_are_sent_end_a_program_that_does_not_handle_them) {
  const auto file = make_file(200);
  for (const int sent : {SIGBUS, SIGSEGV})
    EXPECT_EQ(result_of_child([&] {
                ::signal(sent, SIG_DFL);
                const region mapped = map(file, with_budget(16));
                if (!has_all(mapped)) return 1;
                ::kill(::getpid(), sent);
                return 2;
              }),
              128 + sent)
        << sent;
}
TEST_F(signals, that_are_sent_reach_a_handler_that_is_there_for_one) {
  const auto file = make_file(200);
  EXPECT_EQ(result_of_child([&] {
              static volatile sig_atomic_t codes = 0;
              struct sigaction once {};
              once.sa_sigaction = [](int, siginfo_t* info, void*) { codes = codes * 100 - info->si_code; };
              once.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESETHAND);
              ::sigaction(own_signal(), &once, nullptr);
              const region mapped = map(file, with_budget(16));
              ::raise(own_signal());
              if (codes != -SI_TKILL || !has_all(mapped)) return 1;
              ::raise(own_signal());
              return 2;
            }),
            128 + own_signal());
}
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose frames are larger
// An alternate stack for this thread, with memory before it that tells whether it was overrun.
class alternate_stack {
 public:
  explicit alternate_stack(std::size_t bytes) : memory_(before + bytes, 0x5a) {
    stack_t wanted{};
    wanted.ss_sp = memory_.data() + before;
    wanted.ss_size = bytes;
    is_there_ = ::sigaltstack(&wanted, nullptr) == 0;
  }
  bool is_there() const { return is_there_; }
  bool was_overrun() const {
    return !std::all_of(memory_.begin(), memory_.begin() + before, [](unsigned char c) { return c == 0x5a; });
  }

 private:
  static constexpr std::ptrdiff_t before = 16384;
  std::vector<unsigned char> memory_;
  bool is_there_ = false;
};

TEST_F(signals, are_answered_on_small_alternate_stacks) {
  constexpr std::size_t enough = 3072;  // docs/explanation/pager.md
  const auto file = make_file(250);
  for (const mode how : {mode::read_only, mode::private_copy, mode::write_back})
    for (const std::size_t budget : {std::size_t{4}, std::size_t{64}})
      EXPECT_EQ(result_of_child([&] {
                  const region mapped = map(file, with_budget(budget, how));
                  if (!has_all(mapped)) return 1;
                  const alternate_stack small(::getauxval(AT_MINSIGSTKSZ) + enough);
                  if (!small.is_there()) return 2;
                  for (std::size_t i = 0; i < 400; ++i) {
                    std::uint64_t* const word = words_of(mapped) + pattern(i) % (250 * words_of_page);
                    if (how != mode::read_only && i % 2 == 0) {
                      *static_cast<volatile std::uint64_t*>(word) = *word;
                    } else if (*word != pattern(static_cast<std::size_t>(word - words_of(mapped)))) {
                      return 3;
                    }
                  }
                  return has_all(mapped) ? small.was_overrun() ? 4 : 0 : 5;
                }),
                0)
          << static_cast<int>(how) << " with " << budget;
}

TEST_F(signals, end_a_program_whose_alternate_stack_is_too_small) {
  const auto file = make_file(100);
  const auto touch_on_small_stack = [&] {
    const region mapped = map(file, with_budget(8));
    const alternate_stack small(::getauxval(AT_MINSIGSTKSZ) + 512);
    if (!small.is_there()) ::_exit(0);
    ::_exit(has_all(mapped) && !small.was_overrun() ? 1 : 2);
  };
  EXPECT_EXIT(touch_on_small_stack(), testing::KilledBySignal(own_signal()),
              "perdure: the alternate signal stack .* is too small");
}
#endif

struct shared_by_threads {
  const region* mapped;
  int type;
  std::atomic<std::size_t> touches{0};
  std::atomic<bool> is_cancelled{false};
  std::atomic<std::size_t> wrong{0};
};

void* touch_until_cancelled(void* argument) {
  auto& shared = *static_cast<shared_by_threads*>(argument);
  ::pthread_setcanceltype(shared.type, nullptr);
  const std::size_t all = shared.mapped->size() / sizeof(std::uint64_t);
  for (std::size_t i = 0, touched_since = 0; touched_since < 100; i += 7919) {
    if (words_of(*shared.mapped)[i % all] != pattern(i % all)) ++shared.wrong;
    ++shared.touches;
    if (shared.is_cancelled) ++touched_since;
  }
  ::pthread_testcancel();
  return nullptr;
}

TEST_F(signals, of_cancelled_threads_wait_until_the_touch_is_answered) {
#ifdef PERDURE_THREAD_SANITIZER
  GTEST_SKIP() << "ThreadSanitizer does not know what becomes of threads that are cancelled anywhere";
#endif
  const auto file = make_file(500);
  for (const int type : {PTHREAD_CANCEL_ASYNCHRONOUS, PTHREAD_CANCEL_DEFERRED}) {
    const region mapped = map(file, with_budget(16));
    for (int round = 0; round < 10; ++round) {
      shared_by_threads shared{&mapped, type};
      pthread_t thread;
      ASSERT_EQ(::pthread_create(&thread, nullptr, touch_until_cancelled, &shared), 0);
      while (shared.touches < 50) std::this_thread::yield();
      ::pthread_cancel(thread);
      shared.is_cancelled = true;
      void* result = nullptr;
      ::pthread_join(thread, &result);
      EXPECT_EQ(result, PTHREAD_CANCELED);
      EXPECT_EQ(shared.wrong, 0u);
    }
    EXPECT_TRUE(has_all(mapped));
  }
}

}  // namespace
}  // namespace perdure::pager
