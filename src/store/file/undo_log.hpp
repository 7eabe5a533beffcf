// The file `undo`: what the last checkpoint holds of pages that were overwritten at home before the next one.
//
// Batches, one behind the other, each a journal image (`journal_image`) whose epoch is the checkpoint that
// its pages belong to and whose `flags` count the batches. A batch of another epoch is of no consequence, so
// nothing has to be erased when a checkpoint commits.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "os/file.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal_image.hpp"
#include "store/file/layout.hpp"

namespace perdure {

/// Not thread-safe.
class undo_log {
 public:
  struct batch {
    journal_image image;
    layout::journal_header header;
    std::vector<layout::journal_entry> index;  // `overwrite`: a page is saved; `zero`: pages that were empty
  };

  undo_log(const os::file& directory, const layout::uuid_bytes& uuid, bool writable);

  /// Saves what home holds of `pages`, except that those in `empty` read as zero; both normalized. Durable on
  /// return; only then may they be overwritten. `segment_bytes` is the length at `epoch`. Calls `meanwhile`
  /// after every MiB and before it waits for the device.
  void save(std::uint64_t epoch, std::uint64_t segment_bytes, std::span<const page_run> pages,
            std::span<const page_run> empty, const home_files& home, const std::function<void()>& meanwhile);

  /// All that was saved of a checkpoint, in order. A torn last batch was never relied on. Throws `damaged`
  /// when one before the last is torn.
  std::vector<batch> find(std::uint64_t epoch, std::uint64_t segment_bytes) const;

  /// Gives the file's space back; for what nobody needs any more.
  void clear();
  void sync() const {
    if (file_) file_.sync();
  }

  std::uint64_t allocated_bytes() const { return file_ ? file_.allocated_bytes() : 0; }

 private:
  os::file directory_;
  layout::uuid_bytes uuid_;
  os::file file_;  // made by the first `save`
  bool name_unsynced_ = false;
  bool was_found_empty_ = false;  // perhaps in this machine's memory only
  std::uint64_t epoch_ = 0;
  std::uint64_t end_ = 0;
  std::uint32_t batches_ = 0;
};

/// Makes home again what the last checkpoint left there, durably; pages of it that a journal holds too are
/// the same in both. Doing it again does no harm.
void take_back_early_pages(undo_log& undo, home_files& home, std::uint64_t epoch,
                           std::uint64_t segment_bytes);

/// The same in memory, for readers.
void undo_in_memory(const std::vector<undo_log::batch>& saved, std::byte* base);

}  // namespace perdure
