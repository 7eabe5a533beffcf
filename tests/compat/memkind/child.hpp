// What must happen in a process of its own: settings that hold for good.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

/// Runs `body` in a child that begins anew; passes if no expectation failed there. What failed there is on
/// the standard error output.
template <class Body>
void in_a_child(const Body& body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        body();
        std::fflush(nullptr);
        std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}
