// Notes which files of a process, and which directories, are not durable yet.
#pragma once

#include <fcntl.h>

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "support/watched_calls.hpp"

namespace perdure {

/// Follows the calls of a process while it lives. Knows files by their last names: there must be one of each.
/// LOCK and log, which need not be durable, are passed over.
class unsynced_files {
 public:
  /// Calls `at_rename` with what is not durable when a name is about to be changed.
  explicit unsynced_files(std::function<void(const std::set<std::string>& names)> at_rename = {})
      : at_rename_(std::move(at_rename)), calls_([this](const os::file_call& call, std::string_view file) {
          note(call, std::string(file));
          return 0;
        }) {}

  std::set<std::string> names() const {
    const std::scoped_lock lock(mutex_);
    return names_;
  }

 private:
  void note(const os::file_call& call, const std::string& file) {
    using enum os::file_operation;
    const std::string_view opened = call.operation == open ? call.name : "";
    for (const std::string_view name : {"LOCK", "log"})
      if (file == name || opened == name) return;
    const std::scoped_lock lock(mutex_);
    switch (call.operation) {
      case sync:
      case sync_data:
        names_.erase(file);
        break;
      case rename:
        if (at_rename_) at_rename_(names_);
        if (call.descriptor != -1) names_.insert(file);
        break;
      case open:
        if ((call.flags & O_CREAT) != 0) names_.insert(file);
        break;
      case write:
      case resize:
      case punch:
        names_.insert(file);
        break;
      default:
        break;
    }
  }

  const std::function<void(const std::set<std::string>& names)> at_rename_;
  mutable std::mutex mutex_;
  std::set<std::string> names_;
  const watched_calls calls_;
};

}  // namespace perdure
