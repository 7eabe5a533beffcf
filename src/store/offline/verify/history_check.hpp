// Verifies that home files and `crc` are those of the checkpoint that the super block names.
#pragma once

#include <vector>

#include "store/offline/verify/checksum_table_check.hpp"
#include "store/offline/verify/expectations.hpp"
#include "store/offline/verify/findings.hpp"
#include "store/offline/verify/home_file_check.hpp"

namespace perdure::store {

void check_history(const layout::super_slot& super, const last_checkpoint& last,
                   const std::vector<checked_home_file>& home, const checked_table& table, findings& found);

}  // namespace perdure::store
