// The journals of a store as a reader may use them, also beside a writer that is writing one of them.
#pragma once

#include <array>

#include "store/commit/redo.hpp"
#include "store/file/journal.hpp"
#include "store/file/store_lock.hpp"

namespace perdure {

struct readable_journals {
  std::array<journal, 2> files;
  /// Others are not of committed checkpoints, or of some that came later.
  epoch_ceiling ceiling{};
};

/// For a reader with this lock. `in_use`, `damaged`.
readable_journals open_journals(const os::file& directory, const layout::super_slot& super,
                                const store_lock& lock);

}  // namespace perdure
