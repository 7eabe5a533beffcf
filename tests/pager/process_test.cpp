// Forked children, and handlers of other signals.
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <atomic>
#include <optional>
#include <thread>

#include "os/thread_sanitizer.hpp"
#include "patterned_file.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"

namespace perdure::pager {
namespace {

class in_a_process : public pager_test {};

TEST_F(in_a_process, a_child_lacks_the_region_and_may_forget_it) {
  std::optional<region> mapped = map(make_file(3000), with_budget(1024, mode::write_back));
  words_of(*mapped)[0] = 1;
  EXPECT_EQ(result_of_child([&] {
              mapped.reset();
              return 7;
            }),
            7);
  EXPECT_EQ(
      result_of_child([&] {
        const bool refused =
            fails_with(errc::invalid_argument, "parent", [&] { mapped->flush(); }) &&
            fails_with(errc::invalid_argument, "parent",
                       [&] {
                         mapped->prefetch({0, 1});
                       }) &&
            fails_with(errc::invalid_argument, "parent", [&] { mapped->advise({}, advice::dont_need); }) &&
            fails_with(errc::invalid_argument, "parent", [&] { auto p = mapped->pin(mapped->data(), 1); });
        return refused ? 5 : 6;
      }),
      5);
  // It dies of it, in whatever way sanitizers have of dying.
  const int result = result_of_child([&] { return words_of(*mapped)[0] == 1 ? 42 : 43; });
  EXPECT_TRUE(result != 42 && result != 43) << result;
  for (std::size_t i = 1; i < 3000 * words_of_page; i += 100) ASSERT_EQ(words_of(*mapped)[i], pattern(i));
  mapped.reset();
  EXPECT_EQ(words_in(path("data"))[0], 1u);
}

TEST_F(in_a_process, a_child_may_map_anew) {
  const auto file = make_file(100);
  const region mapped = map(file, with_budget(8));
  EXPECT_EQ(words_of(mapped)[0], pattern(0));
  EXPECT_EQ(result_of_child([&] {
              const region own = map(file, with_budget(8));
              for (std::size_t i = 0; i < 100 * words_of_page; ++i)
                if (words_of(own)[i] != pattern(i)) return 1;
              return 0;
            }),
            0);
}

TEST_F(in_a_process, a_child_may_have_the_kernels_mapping_in_its_place) {
#ifdef PERDURE_THREAD_SANITIZER
  GTEST_SKIP() << "what ThreadSanitizer maps for itself in the child may lie there";
#endif
  region mapped = map(make_file(100), with_budget(8));
  EXPECT_EQ(words_of(mapped)[0], pattern(0));
  EXPECT_EQ(result_of_child([&] {
              mapped.hand_over(true);
              for (std::size_t i = 0; i < 100 * words_of_page; ++i)
                if (words_of(mapped)[i] != pattern(i)) return 1;
              return fails_with(errc::already_exists, "", [&] { mapped.hand_over(); }) ? 0 : 2;
            }),
            0);
  EXPECT_EQ(mapped.tier(), tier_under_test());
  EXPECT_EQ(words_of(mapped)[99 * words_of_page], pattern(99 * words_of_page));
}

TEST_F(in_a_process, a_region_can_be_handed_over_while_threads_touch_it) {
  const auto file = make_file(500);
  for (int round = 0; round < 20; ++round) {
    region mapped = map(file, with_budget(32));
    std::atomic<bool> done{false};
    std::atomic<std::size_t> wrong{0};
    std::atomic<std::size_t> touches{0};
    const auto touch = [&](std::size_t start) {
      // The bytes are the same whoever maps them; ThreadSanitizer takes a mapping for a store.
      os::begin_ordered_reads();
      for (std::size_t i = start; !done; i += 7919, ++touches)
        if (words_of(mapped)[i % (500 * words_of_page)] != pattern(i % (500 * words_of_page))) ++wrong;
      os::end_ordered_reads();
    };
    std::thread first(touch, 0);
    std::thread second(touch, 1234567);
    while (touches < 300) std::this_thread::yield();
    mapped.hand_over(round % 2 == 0);
    const std::size_t before = touches;
    while (touches < before + 300) std::this_thread::yield();
    done = true;
    first.join();
    second.join();
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(::munmap(mapped.data(), mapped.size()), 0);
  }
}

TEST_F(in_a_process, forks_do_not_disturb_threads_that_touch) {
  const region mapped = map(make_file(500), with_budget(16));
  std::atomic<bool> done{false};
  std::atomic<std::size_t> wrong{0};
  std::thread toucher([&] {
    for (std::size_t i = 0; !done; i += 7919)
      if (words_of(mapped)[i % (500 * words_of_page)] != pattern(i % (500 * words_of_page))) ++wrong;
  });
  for (int i = 0; i < 30; ++i) EXPECT_EQ(result_of_child([] { return 3; }), 3);
  done = true;
  toucher.join();
  EXPECT_EQ(wrong, 0u);
}

// Handlers that touch the region interrupt threads that touch the region.
const region* touched_by_handler = nullptr;
std::atomic<std::size_t> ticks{0};
std::atomic<std::size_t> wrong_ticks{0};

void on_tick(int) {
  const int saved = errno;
  const std::size_t word = ++ticks * 104729 % (500 * words_of_page);
  if (words_of(*touched_by_handler)[word] != pattern(word)) ++wrong_ticks;
  errno = saved;
}

TEST_F(in_a_process, handlers_of_other_signals_may_touch_it) {
#ifdef PERDURE_THREAD_SANITIZER
  GTEST_SKIP() << "ThreadSanitizer runs handlers with SIGBUS blocked";
#endif
  const region mapped = map(make_file(500), with_budget(16));
  touched_by_handler = &mapped;
  struct sigaction action {};
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 200}, {0, 200}};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  std::size_t wrong = 0;
  for (std::size_t i = 0; ticks < 200; i += 7919)
    if (words_of(mapped)[i % (500 * words_of_page)] != pattern(i % (500 * words_of_page))) ++wrong;
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::signal(SIGALRM, SIG_DFL);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(wrong_ticks, 0u);
}

}  // namespace
}  // namespace perdure::pager
