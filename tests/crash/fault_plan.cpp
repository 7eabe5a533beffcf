#include "crash/fault_plan.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace perdure::crash {

namespace {

using os::file_operation;

thread_local bool dies_after = false;
thread_local bool was_interrupted = false;
thread_local unsynced_pages::pages lost_before;

bool can_meet(fault kind, const os::file_call& call) {
  const file_operation what = call.operation;
  const bool transfer = what == file_operation::read || what == file_operation::write;
  switch (kind) {
    case fault::sync_error:
      return what == file_operation::sync || what == file_operation::sync_data;
    case fault::short_transfer:
      return transfer && call.bytes > 1;
    case fault::no_space:
      return what == file_operation::write || what == file_operation::reserve_space ||
             what == file_operation::resize || what == file_operation::punch ||
             what == file_operation::sync || what == file_operation::sync_data ||
             what == file_operation::make_directory || what == file_operation::rename ||
             (what == file_operation::open && (call.flags & O_CREAT) != 0);
    case fault::interrupted:
      // The others do not wait for anything and are not interrupted.
      return transfer || what == file_operation::open || what == file_operation::resize ||
             what == file_operation::reserve_space || what == file_operation::punch ||
             what == file_operation::sync || what == file_operation::sync_data;
    case fault::write_back:
      return what == file_operation::write || what == file_operation::sync ||
             what == file_operation::sync_data;
    case fault::kill_before:
    case fault::kill_after:
      return what != file_operation::read;
    default:
      return true;
  }
}

ino_t identity_of(int descriptor) {
  struct stat status;
  return ::fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

}  // namespace

const char* name_of(fault kind) {
  switch (kind) {
    case fault::none:
      return "none";
    case fault::io_error:
      return "EIO";
    case fault::sync_error:
      return "EIO of a sync";
    case fault::no_space:
      return "ENOSPC";
    case fault::interrupted:
      return "EINTR";
    case fault::short_transfer:
      return "short transfer";
    case fault::write_back:
      return "failed write-back";
    case fault::kill_before:
      return "kill before";
    case fault::kill_after:
      return "kill after";
  }
  return "";
}

bool is_on(const os::file_call& call, std::string_view prefix) {
  if (call.operation == file_operation::open || call.descriptor < 0) return false;
  const std::string link = "/proc/self/fd/" + std::to_string(call.descriptor);
  char path[PATH_MAX];
  const ssize_t bytes = ::readlink(link.c_str(), path, sizeof path);
  if (bytes <= 0) return false;
  const std::string_view name(path, static_cast<std::size_t>(bytes));
  return name.substr(name.rfind('/') + 1).starts_with(prefix);
}

// Before the call, whatever becomes of it.
void fault_plan::note_write_back(const os::file_call& call) {
  switch (call.operation) {
    case file_operation::write:
      return unsynced_.writing(call.descriptor, call.offset, call.bytes);
    case file_operation::resize:
      return unsynced_.resized(call.descriptor, call.bytes);
    case file_operation::punch:
      return unsynced_.punched(call.descriptor, call.offset, call.bytes);
    case file_operation::sync:
    case file_operation::sync_data:
      return unsynced_.sync_begun(call.descriptor);
    default:
      return;
  }
}

os::file_observer::verdict fault_plan::before(const os::file_call& call) {
  dies_after = false;
  lost_before.clear();
  const bool is_sync = call.operation == file_operation::sync || call.operation == file_operation::sync_data;
  if (kind_ == fault::write_back) {
    note_write_back(call);
    if (is_sync && lost_some_ != 0 && identity_of(call.descriptor) == lost_some_) {
      lost_some_ = 0;
      lost_before = unsynced_.lose(call.descriptor, random_stream(first_, 1));
      return {.error = EIO};
    }
  }
  if (!can_meet(kind_, call) || (!in_.empty() && !is_on(call, in_))) return {};
  const std::uint64_t number = calls_++;
  if (kind_ == fault::none || lifted_ || number < first_ || (number > first_ && !sticky_)) return {};
  struck_ = true;
  switch (kind_) {
    case fault::io_error:
    case fault::sync_error:
      return {.error = EIO};
    case fault::no_space:
      return {.error = ENOSPC};
    case fault::interrupted:
      // Sticky: every call is interrupted once, and its repetition is not.
      was_interrupted = !was_interrupted;
      return {.error = was_interrupted ? EINTR : 0};
    case fault::short_transfer:
      return {.at_most = std::max<std::uint64_t>(1, call.bytes / 2 / 512 * 512)};
    case fault::write_back:
      lost_before = unsynced_.lose(call.descriptor, random_stream(first_));
      if (is_sync) return {.error = EIO};
      lost_some_ = identity_of(call.descriptor);
      // That write is of the lost ones, or comes after them.
      unsynced_.writing(call.descriptor, call.offset, call.bytes);
      return {};
    case fault::kill_before:
      ::_exit(9);
    case fault::kill_after:
      dies_after = true;
      return {};
    case fault::none:
      break;
  }
  return {};
}

const unsynced_pages::pages& fault_plan::lost_before_call() {
  return lost_before;
}

void fault_plan::after(const os::file_call& call, int error) {
  const bool is_sync = call.operation == file_operation::sync || call.operation == file_operation::sync_data;
  if (kind_ == fault::write_back && is_sync && error == 0) unsynced_.sync_ended(call.descriptor);
  if (dies_after) ::_exit(9);
}

}  // namespace perdure::crash
