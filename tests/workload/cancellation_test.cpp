#include <gtest/gtest.h>

#include <atomic>
#include <perdure/workload/cancellation.hpp>
#include <perdure/workload/parallel.hpp>

namespace {
namespace workload = perdure::workload;

TEST(Cancellation, EndsALoopBetweenTwoPieces) {
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> pieces{0};
    const workload::cancellable scope(stop);
    EXPECT_THROW(workload::parallel_for(threads, 1'000'000, 1,
                                        [&](std::size_t, std::size_t) {
                                          if (pieces.fetch_add(1) == 100) stop = true;
                                        }),
                 workload::cancelled);
    EXPECT_LT(pieces, 1'000'000U);
  }
}

TEST(Cancellation, ReachesLoopsInsideTasksOfOtherThreads) {
  std::atomic<bool> stop{true};
  std::atomic<unsigned> ended{0};
  const workload::cancellable scope(stop);
  EXPECT_THROW(workload::run_threads(4,
                                     [&](unsigned) {
                                       try {
                                         workload::end_if_cancelled();
                                       } catch (const workload::cancelled&) {
                                         ended.fetch_add(1);
                                         throw;
                                       }
                                     }),
               workload::cancelled);
  EXPECT_EQ(ended, 4U);
}

TEST(Cancellation, EndsNoWorkOfAThreadThatDidNotAskForIt) {
  std::atomic<bool> stop{true};
  { const workload::cancellable scope(stop); }
  std::size_t elements = 0;
  workload::parallel_for(1, 1000, 10, [&](std::size_t begin, std::size_t end) { elements += end - begin; });
  EXPECT_EQ(elements, 1000U);
  EXPECT_NO_THROW(workload::end_if_cancelled());
}

}  // namespace
