// Watches what a process asks of its files, and lets some of that fail.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/file_observer.hpp"

namespace perdure {

/// Says of a call on a file of that name with which error it is to fail; 0: it is made. Called on any thread,
/// and in signal handlers of stores.
using judge_of_calls = std::function<int(const os::file_call& call, std::string_view file)>;

/// Asks a judge about all calls while it lives. There is one at a time.
class watched_calls final : public os::file_observer {
 public:
  explicit watched_calls(judge_of_calls judge) : judge_(std::move(judge)) { os::observe_files(this); }
  watched_calls(const watched_calls&) = delete;
  watched_calls& operator=(const watched_calls&) = delete;
  ~watched_calls() override { os::observe_files(nullptr); }

  verdict before(const os::file_call& call) override {
    // Nothing is allocated: see above.
    std::array<char, 64> link{};
    std::array<char, 1024> target{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", call.descriptor);
    const ::ssize_t length = ::readlink(link.data(), target.data(), target.size());
    const std::string_view path(target.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
    return {judge_(call, path.substr(path.rfind('/') + 1))};
  }
  void after(const os::file_call&, std::int64_t, int) override {}

 private:
  const judge_of_calls judge_;
};

/// Fails calls of these kinds on files of that name (that begin so, if it ends with a dot): all, or only the
/// one of that number, counted from 1.
inline judge_of_calls failing(std::vector<os::file_operation> operations, std::string name, int with,
                              int only = 0) {
  return [operations = std::move(operations), name = std::move(name), with, only,
          count = std::make_shared<std::atomic<int>>(0)](const os::file_call& call, std::string_view file) {
    if (std::find(operations.begin(), operations.end(), call.operation) == operations.end()) return 0;
    if (name.ends_with('.') ? !file.starts_with(name) : file != name) return 0;
    return only == 0 || ++*count == only ? with : 0;
  };
}
inline judge_of_calls failing(os::file_operation operation, std::string name, int with, int only = 0) {
  return failing(std::vector{operation}, std::move(name), with, only);
}

/// Ends the process, for a forked child, at the call of that number of those that change what is on disk,
/// counted from 0: as a kill at that moment would. Its status is `ended_at_call` then.
inline constexpr int ended_at_call = 42;
inline judge_of_calls ending_at(int number) {
  return [left = std::make_shared<std::atomic<int>>(number)](const os::file_call& call, std::string_view) {
    const bool changes =
        call.operation != os::file_operation::read && call.operation != os::file_operation::open;
    if (changes && left->fetch_sub(1) == 0) ::_exit(ended_at_call);
    return 0;
  };
}

}  // namespace perdure
