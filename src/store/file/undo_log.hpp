// The file `undo`: before-images, which are the content that the last checkpoint has of pages that were
// overwritten at home before the next checkpoint.
//
// Batches, one behind the other, each a journal image (`journal_image`) whose epoch is the checkpoint that
// its pages belong to and whose `flags` count the batches. A batch of another epoch is of no consequence, so
// nothing has to be erased when a checkpoint commits.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "os/file.hpp"
#include "store/file/checkpoint_identity.hpp"
#include "store/file/home_files.hpp"
#include "store/file/journal_image.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

/// Not thread-safe.
class undo_log {
 public:
  struct batch {
    journal_image image;
    layout::journal_header header;
    std::vector<layout::journal_entry> index;  // `overwrite`: a page is saved; `zero`: pages that were empty
  };

  undo_log(const os::file& directory, const layout::uuid_bytes& uuid, bool writable);

  /// Saves the content at home of `pages`, and that the pages in `empty` read as zero there; both normalized.
  /// It is durable on return; only then may the pages be overwritten. Calls `meanwhile` after every MiB and
  /// before it waits for the device.
  void save(const known_checkpoint& of, std::span<const detail::page_run> pages,
            std::span<const detail::page_run> empty, const home_files& home,
            const std::function<void()>& meanwhile);

  /// All that was saved for a checkpoint, in order. A torn last batch is left out: nothing was overwritten
  /// that it should have saved. Throws `damaged` if a batch before the last is torn, or if batches are of
  /// another checkpoint with this number.
  std::vector<batch> find(const known_checkpoint& of) const;

  /// Gives the file's space back, when what it holds is not needed any more.
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
  bool was_found_empty_ = false;  // perhaps only in this machine's page cache
  known_checkpoint of_;           // what the batches up to `end_` save
  std::uint64_t end_ = 0;
  std::uint32_t batches_ = 0;
};

/// Undoes at home what was written there early for a checkpoint that never came, durably. Pages that a
/// journal holds too are the same in both. Doing it again does no harm.
void undo_at_home(undo_log& undo, home_files& home, const known_checkpoint& last);

/// The same in a reader's memory.
void undo_in_memory(const std::vector<undo_log::batch>& saved, std::byte* base);

}  // namespace perdure::store
