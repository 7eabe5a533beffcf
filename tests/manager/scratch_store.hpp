// A path for a store of one test, gone afterwards.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "perdure/datastore.hpp"
#include "perdure/error.hpp"

namespace perdure {

class scratch_store {
 public:
  scratch_store() {
    std::string pattern = (std::filesystem::temp_directory_path() / "perdure-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = pattern;
  }
  scratch_store(const scratch_store&) = delete;
  scratch_store& operator=(const scratch_store&) = delete;
  ~scratch_store() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  std::filesystem::path path() const { return directory_ / "store"; }
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
};

/// ThreadSanitizer leaves little address space: too little for two stores of the usual capacity, or one
/// that is pinned.
inline store_options small_store() {
  store_options options;
  options.capacity = std::size_t{4} << 30;
  return options;
}

/// Runs `body` in a child process, which ends at once afterwards, without destructors. True if it returned 0.
inline bool in_another_process(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 1;
    try {
      status = body();
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "in the child process: %s\n", failure.what());
    }
    ::_exit(status);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

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

}  // namespace perdure
