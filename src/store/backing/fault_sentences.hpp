// Lines for a program that touches memory of a store in a way that ends it.
#pragma once

#include <filesystem>

#include "os/fault_notice.hpp"

namespace perdure::store {

enum class fault_teller {
  notice,  ///< nobody else tells of pages that cannot be read
  pager,   ///< the pager does
};

/// The lines for a store that is open; `writable` also where what is written is not kept.
os::fault_lines lines_for_faults(const std::filesystem::path& store, bool writable,
                                 fault_teller of_unreadable);

}  // namespace perdure::store
