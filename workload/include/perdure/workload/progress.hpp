// Progress of a long piece of work.
#pragma once

#include <perdure/progress.hpp>

namespace perdure::workload {

/// Progress in a unit of its own, as callers are told it, and as a thread's work reports it to a
/// `progress_record`.
using progress = progress_state;

}  // namespace perdure::workload
