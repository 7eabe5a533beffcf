// The journals of a store as a reader may use them, also beside a writer that is writing one of them.
#pragma once

#include <array>

#include "store/commit/redo.hpp"
#include "store/file/journal.hpp"
#include "store/file/store_lock.hpp"

namespace perdure::store {

struct readable_journals {
  std::array<journal, 2> files;
  /// Journals that do not count by this are not of committed checkpoints, or of later ones.
  epoch_ceiling ceiling{};
};

/// For a reader that has this lock. Throws `in_use`, `damaged`.
readable_journals open_journals(const os::file& directory, const layout::super_slot& super,
                                const store_lock& lock);

}  // namespace perdure::store
