#include <gtest/gtest.h>

#include <perdure/progress.hpp>
#include <perdure/workload/parallel.hpp>

namespace {
namespace workload = perdure::workload;
using perdure::progress_record;
using perdure::progress_scope;
using perdure::progress_state;

TEST(Progress, IsThatOfTheStageThatBeganLast) {
  progress_record record;
  EXPECT_EQ(record.now().stage, "");
  EXPECT_EQ(record.now().total, 0U);
  const progress_scope scope(record);
  perdure::begin_progress_stage("copying", 100, "bytes");
  perdure::add_progress(30);
  perdure::add_progress(12);
  const progress_state now = record.now();
  EXPECT_EQ(now.stage, "copying");
  EXPECT_EQ(now.unit, "bytes");
  EXPECT_EQ(now.done, 42U);
  EXPECT_EQ(now.total, 100U);
  EXPECT_EQ(now.round, 0U);
  perdure::begin_progress_stage("syncing");
  EXPECT_EQ(record.now().stage, "syncing");
  EXPECT_EQ(record.now().done, 0U);
  EXPECT_EQ(record.now().total, 0U);
}

TEST(Progress, CountsTheRoundsOfAStage) {
  progress_record record;
  const progress_scope scope(record);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    perdure::begin_progress_round("iteration");
    EXPECT_EQ(record.now().round, round);
    EXPECT_EQ(record.now().stage, "iteration");
  }
  perdure::begin_progress_stage("writing");
  perdure::begin_progress_round("iteration");
  EXPECT_EQ(record.now().round, 1U);
}

TEST(Progress, CountsTheElementsOfALoopOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 4U}) {
    progress_record record;
    const progress_scope scope(record);
    perdure::begin_progress_round("iteration");
    workload::parallel_for(threads, 1000, 10, [&](std::size_t begin, std::size_t) {
      EXPECT_EQ(record.now().total, 1000U);
      // What is inside is a part of the loop.
      workload::parallel_for(threads, 50, 1, [](std::size_t, std::size_t) {});
      perdure::add_progress(begin);
    });
    EXPECT_EQ(record.now().done, 1000U);
    EXPECT_EQ(record.now().total, 1000U);
    EXPECT_EQ(record.now().round, 1U);
  }
}

TEST(Progress, ComesFromTasksOfOtherThreads) {
  progress_record record;
  const progress_scope scope(record);
  perdure::begin_progress_stage("counting", 4, "parts");
  workload::run_threads(4, [](unsigned) { perdure::add_progress(1); });
  EXPECT_EQ(record.now().done, 4U);
}

TEST(Progress, OfWorkWithoutARecordGoesNowhere) {
  progress_record record;
  {
    const progress_scope scope(record);
    const progress_scope none(nullptr);
    perdure::begin_progress_stage("hidden");
    perdure::add_progress(1);
  }
  EXPECT_EQ(perdure::current_progress(), nullptr);
  perdure::add_progress(1);
  EXPECT_EQ(record.now().stage, "");
  EXPECT_EQ(record.now().done, 0U);
}

}  // namespace
