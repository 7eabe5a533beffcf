// Notes in which order a process changes the files of a store.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "store/file/layout.hpp"
#include "support/watched_calls.hpp"

namespace perdure {

/// Notes calls on files of stores while it lives, a character each, and may let some of them fail. There is
/// one at a time.
class noted_calls {
 public:
  static constexpr char write_home = 'h';
  static constexpr char punch_home = 'p';
  static constexpr char reserve_home = 'r';
  static constexpr char sync_home = 's';
  static constexpr char write_table = 'c';
  static constexpr char reserve_table = 'e';
  static constexpr char sync_table = 't';
  static constexpr char write_super = 'b';
  static constexpr char write_journal = 'w';
  static constexpr char write_header = 'W';
  static constexpr char sync_journal = 'S';
  static constexpr char make_journal = 'n';
  static constexpr char rename_journal = 'N';
  static constexpr char sync_directory = 'd';

  /// Says of a call, by its character, with which error it is to fail; 0: it is made.
  using judge_of_notes = std::function<int(char what)>;

  explicit noted_calls(judge_of_notes judge = [](char) { return 0; })
      : judge_(std::move(judge)),
        calls_([this](const os::file_call& call, std::string_view file) { return note(call, file); }) {}

  std::string all() const {
    const std::scoped_lock lock(mutex_);
    return notes_;
  }
  /// Returns the notes before the first of that kind.
  std::string before(char what) const {
    std::string notes = all();
    return notes.substr(0, notes.find(what));
  }
  void forget() {
    const std::scoped_lock lock(mutex_);
    notes_.clear();
  }

 private:
  static char kind_of(const os::file_call& call, std::string_view file) {
    using enum os::file_operation;
    const auto begins = [](const char* name, std::string_view with) {
      return name != nullptr && std::string_view(name).starts_with(with);
    };
    const bool is_content = call.offset >= store::layout::home_data_offset;
    if (call.operation == rename && begins(call.new_name, "jrnl.")) return rename_journal;
    if (call.operation == open && begins(call.name, "jrnl.") && std::string_view(call.name).ends_with(".new"))
      return make_journal;
    if (call.operation == sync) return file.find('.') == std::string_view::npos ? sync_directory : '\0';
    if (file.starts_with("heap.")) {
      if (call.operation == write) return is_content ? write_home : '\0';
      if (call.operation == punch) return punch_home;
      if (call.operation == reserve_space) return reserve_home;
      if (call.operation == sync_data) return sync_home;
    }
    if (file == "crc") {
      if (call.operation == write) return write_table;
      if (call.operation == reserve_space) return reserve_table;
      if (call.operation == sync_data) return sync_table;
    }
    if (file == "super" && call.operation == write) return write_super;
    if (file == "jrnl.0" || file == "jrnl.1") {
      if (call.operation == write) return call.offset == 0 ? write_header : write_journal;
      if (call.operation == sync_data) return sync_journal;
    }
    return '\0';
  }
  int note(const os::file_call& call, std::string_view file) {
    const char what = kind_of(call, file);
    if (what == '\0') return 0;
    const std::scoped_lock lock(mutex_);
    notes_ += what;
    return judge_(what);
  }

  mutable std::mutex mutex_;
  std::string notes_;
  judge_of_notes judge_;
  watched_calls calls_;
};

}  // namespace perdure
