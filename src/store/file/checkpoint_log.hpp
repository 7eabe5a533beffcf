// The file `log`: when each of the last checkpoints was made, how large it was, and what it was called.
#pragma once

#include <optional>
#include <perdure/checkpoint_log.hpp>
#include <span>
#include <vector>

#include "os/file.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

/// History, not state: nothing depends on the log, no call waits until it is durable, and a failure to write
/// it fails no checkpoint. Each record has a place of its own, so a torn record spoils no other, and writing
/// one again after recovery does no harm. Not thread-safe.
class checkpoint_log {
 public:
  checkpoint_log(const os::file& directory, const layout::uuid_bytes& uuid, bool writable);

  /// Needs a log that is writable.
  void append(const layout::journal_header& header, std::span<const layout::journal_entry> index) noexcept;

  /// The records in a store's log, oldest first; none if there is no log.
  static std::vector<checkpoint_record> read(const os::file& directory, const layout::uuid_bytes& uuid);

 private:
  os::file directory_;
  layout::uuid_bytes uuid_;
  os::file file_;  // opened, and made, with the first record
};

/// Returns whether a block is the header of this store's log.
bool is_log_header(const layout::log_header& header, const layout::uuid_bytes& uuid) noexcept;

/// The label of a journal's checkpoint.
std::string label_of(const layout::journal_header& header);

}  // namespace perdure::store
