// Recovery: what a writer does to a store before it works on it.
#pragma once

#include "store/commit/store_parts.hpp"

namespace perdure {

/// Brings home what was committed last, and takes away what a checkpoint that was never committed left. Home
/// is durable then: what a failed write-back loses must not come back as what it was before, under a program
/// that has read it.
///
/// Where home shares its blocks with a snapshot, writing to it takes space. If there is none and `may_wait`,
/// the journal stays pending (`store_parts::is_redo_pending`): the store has to do with it as after an
/// application that failed.
///
/// Throws `undecided` when a checkpoint is prepared and nobody says whether it counts; then nothing is
/// changed.
void recover(store_parts& parts, bool may_wait);

}  // namespace perdure
