// Writes down what a store does to its files.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "crash/call_log.hpp"
#include "crash/fault_plan.hpp"
#include "crash/watched_file.hpp"
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

  /// From now on what is stored to home files and the undo log through mappings is written down too, as it is
  /// found when something else happens. To be called before a store is opened.
  void watch_stores() { watches_stores_ = true; }

  void mark_attempt(std::size_t number);
  void mark_promise(std::size_t number);
  void mark_preparing(std::size_t number);
  void mark_prepared(std::size_t number);
  void mark_abandoning();
  void mark_withdrawal(std::size_t still_prepared = 0);

  const call_log& log() const { return log_; }

 private:
  // Of a watched file.
  struct mapped_part {
    std::uintptr_t begin;
    std::uintptr_t end;
    std::uint64_t offset;
    inode_number file;
    bool is_writable;
  };
  std::vector<mapped_part> mapped_parts() const;
  const inode_number* find(int descriptor) const;
  const inode_number* find(const std::filesystem::path& path) const;
  void created(inode_number directory, const std::string& name, ino_t identity, bool is_directory);
  void record_losses(const os::file_call& call);
  void record_write(const os::file_call& call, inode_number file, std::uint64_t bytes);
  void record_names(const os::file_call& call);
  void watch(const char* name, int descriptor, inode_number number);
  void record_stores(const os::file_call& call);
  void record_persisted(const os::file_call& call);

  std::mutex mutex_;
  identities known_;
  inode_number next_;
  fault_plan* faults_;
  bool home_is_slow_ = false;
  bool watches_stores_ = false;
  std::map<inode_number, watched_file> watched_;
  call_log log_;
};

}  // namespace perdure::crash
