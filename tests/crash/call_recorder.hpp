// Writes down what a store does to its files.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <mutex>

#include "crash/call_log.hpp"
#include "crash/fault_plan.hpp"
#include "os/file_observer.hpp"

namespace perdure::crash {

/// Which file of the real file system is which inode of the image.
using identities = std::map<ino_t, inode_number>;

/// Records while it lives. Files outside the known directories, and LOCK, whose content is for messages
/// only, are passed over. Thread-safe.
class call_recorder final : public os::file_observer {
 public:
  /// `next` is the first inode number free for files yet to be made.
  call_recorder(identities known, inode_number next, fault_plan* faults = nullptr);
  ~call_recorder() override;

  verdict before(const os::file_call& call) override;
  void after(const os::file_call& call, std::int64_t result, int error) override;

  /// From now on writes and syncs of home files take their time, as on a busy disk: what applies a
  /// checkpoint in the background falls behind the program that goes on.
  void slow_home_down() { home_is_slow_ = true; }

  void mark_attempt(std::size_t number);
  void mark_promise(std::size_t number);
  void mark_withdrawal();

  const call_log& log() const { return log_; }

 private:
  const inode_number* find(int descriptor) const;
  const inode_number* find(const std::filesystem::path& path) const;
  void created(inode_number directory, const std::string& name, ino_t identity, bool is_directory);
  void record_write(const os::file_call& call, inode_number file, std::uint64_t bytes);
  void record_names(const os::file_call& call);

  std::mutex mutex_;
  identities known_;
  inode_number next_;
  fault_plan* faults_;
  bool home_is_slow_ = false;
  call_log log_;
};

}  // namespace perdure::crash
