// Verifies `super`: its two slots and the ABI stamp.
#pragma once

#include <cstddef>
#include <optional>

#include "os/file.hpp"
#include "store/file/layout.hpp"
#include "store/offline/verify/findings.hpp"

namespace perdure::store {

struct checked_super {
  layout::super_slot slot;  ///< the newest sound one
  std::optional<std::size_t>
      torn_slot;  ///< the other one, if its checksum is wrong: the journals tell whether it may be
};

/// Nothing if neither slot can be used; nothing else can be verified then. Throws `not_a_store`, `too_new`
/// and `incompatible`.
std::optional<checked_super> check_super_block(const os::file& directory, findings& found);

}  // namespace perdure::store
