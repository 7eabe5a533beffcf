// Verifies the two journals, and tells which checkpoint the store would open at.
#pragma once

#include <array>
#include <optional>

#include "os/file.hpp"
#include "store/file/journal.hpp"
#include "store/file/layout.hpp"
#include "store/file/store_lock.hpp"
#include "store/offline/verify/expectations.hpp"
#include "store/offline/verify/findings.hpp"
#include "store/offline/verify/super_block_check.hpp"

namespace perdure::store {

class journal_check {
 public:
  /// Reads the headers, and keeps a writer from committing meanwhile. To be made before the home files are
  /// looked at: a checkpoint that the writer commits later may need longer home files than are found.
  journal_check(const os::file& directory, const store_lock& lock, const checked_super& super,
                findings& found);

  /// Verifies the journal of the last checkpoint, and says whether a torn super slot is damage.
  last_checkpoint run();

 private:
  last_checkpoint find_last();
  void overlay(const layout::journal_header& header, const std::vector<layout::journal_entry>& index,
               last_checkpoint& last) const;

  const checked_super& super_;
  findings& found_;
  std::array<std::optional<journal>, 2> journals_;
  std::array<std::optional<layout::journal_header>, 2> headers_;  // of checkpoints committed by then
};

}  // namespace perdure::store
