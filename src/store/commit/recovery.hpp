// Recovery: what a writer does to a store before it works on it.
#pragma once

#include "store/commit/store_parts.hpp"

namespace perdure::store {

/// Brings home what was committed last, and clears away what a checkpoint that was never committed has left.
/// Home is durable then: if it were not, a failed write-back could change pages back under a program that has
/// read them.
///
/// Where home shares its blocks with a snapshot, writing to it takes space. If there is no space and
/// `may_wait`, the journal stays pending (`store_parts::redo`), and the store must go on as after
/// an application that failed.
///
/// Throws `undecided` if a checkpoint is prepared and the caller does not say whether it counts; then nothing
/// is changed.
void recover(store_parts& parts, bool may_wait);

}  // namespace perdure::store
