// Verifies `crc`, the table of the pages' checksums.
#pragma once

#include <cstdint>
#include <optional>

#include "os/file.hpp"
#include "store/file/file_stamps.hpp"
#include "store/file/layout.hpp"
#include "store/offline/verify/expectations.hpp"
#include "store/offline/verify/findings.hpp"

namespace perdure::store {

struct checked_table {
  os::file file{};                      ///< not open if it is missing, or another store's
  std::optional<file_stamps> stamps{};  ///< where the header is sound
};

/// `pages`: how many it has to describe.
checked_table check_checksum_header(const os::file& directory, const layout::super_slot& super,
                                    std::uint64_t pages, findings& found);

/// Reads the table page of that index, and adds to `bytes_read`. False if its entries cannot be relied on.
/// Thread-safe.
bool check_table_page(const os::file& table, const layout::super_slot& super, const expectations& expected,
                      std::uint64_t index, layout::table_page& page, std::uint64_t& bytes_read,
                      findings& found);

}  // namespace perdure::store
