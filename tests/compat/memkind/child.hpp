// What must happen in a process of its own: settings that hold for good.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

/// Runs `body` in a child; passes if no expectation failed there.
template <class Body>
void in_a_child(const Body& body) {
  EXPECT_EXIT(
      {
        body();
        std::fflush(nullptr);
        std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}
