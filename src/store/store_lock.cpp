#include "store/store_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <perdure/error.hpp>
#include <system_error>

namespace perdure {

namespace {

std::string holder_of(const os::file& file) {
  const std::optional<os::lock_mode> held = file.foreign_lock();
  if (held == os::lock_mode::shared) return "it is open for reading by another process";
  std::array<char, 512> text{};
  const std::size_t got = file.read_at(text.data(), text.size() - 1, 0);
  std::string holder(text.data(), got);
  while (!holder.empty() && holder.back() == '\n') holder.pop_back();
  if (holder.empty()) return "it is open for writing by another process";
  return "it is open for writing by " + holder;
}

}  // namespace

store_lock::store_lock(const os::file& directory, os::lock_mode mode) : mode_(mode), owner_(::getpid()) {
  const bool writer = mode == os::lock_mode::exclusive;
  try {
    file_ = os::file::open_in(directory, "LOCK", writer ? O_RDWR | O_CREAT : O_RDONLY);
  } catch (const std::system_error& failure) {
    // Without the file there is no writer either: every writer makes one.
    if (!writer && failure.code().value() == ENOENT) return;
    throw;
  }
  if (!file_.try_lock(mode)) {
    throw error(errc::in_use, directory.path().string() + " is in use: " + holder_of(file_));
  }
  if (writer) {
    const os::process_identity self = os::this_process();
    const std::string text =
        "process " + std::to_string(self.pid) + " on host " + self.host + " (boot " + self.boot_id + ")\n";
    // Only for the message others get: no need to be durable, nor to succeed on a full disk.
    try {
      file_.resize(0);
      file_.write_at(text.data(), text.size(), 0);
    } catch (const std::system_error&) {
    }
  }
}

void store_lock::release() noexcept {
  if (file_ && mode_ == os::lock_mode::exclusive && owner_ == ::getpid()) {
    try {
      file_.resize(0);
    } catch (const std::system_error&) {
    }
  }
  file_.close();
}

}  // namespace perdure
