// What an action throws: its code, its message, and whether they are as expected.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <perdure/error.hpp>
#include <string>
#include <utility>

namespace perdure {

/// The code of the `perdure::error` that `body` throws; `ok` if it throws none.
inline errc code_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const error& failure) {
    return failure.code();
  }
  return errc::ok;
}

/// Its message.
inline std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const error& failure) {
    return failure.what();
  }
  return {};
}

/// Whether it throws one with that code and those words in its message.
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
