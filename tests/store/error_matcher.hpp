// Expecting a perdure::error of a certain code, with certain words in its message.
#pragma once

#include <gtest/gtest.h>

#include <perdure/error.hpp>
#include <string>
#include <utility>

namespace perdure {

template <class Action>
::testing::AssertionResult fails_with(errc code, const std::string& words, Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const error& failure) {
    if (failure.code() != code) {
      return ::testing::AssertionFailure() << "code " << to_string(failure.code()) << ": " << failure.what();
    }
    if (std::string(failure.what()).find(words) == std::string::npos) {
      return ::testing::AssertionFailure() << "the message lacks \"" << words << "\": " << failure.what();
    }
    return ::testing::AssertionSuccess();
  } catch (const std::exception& failure) {
    return ::testing::AssertionFailure() << "another exception: " << failure.what();
  }
  return ::testing::AssertionFailure() << "no error";
}

}  // namespace perdure
