// Verifies `crc`, the table of the pages' checksums.
#pragma once

#include <cstdint>

#include "os/file.hpp"
#include "store/file/layout.hpp"
#include "store/offline/verify/expectations.hpp"
#include "store/offline/verify/findings.hpp"

namespace perdure::store {

/// The file, if it is there and this store's. `pages`: how many it has to describe.
os::file check_checksum_header(const os::file& directory, const layout::super_slot& super,
                               std::uint64_t pages, findings& found);

/// Reads the table page of that index, and adds to `bytes_read`. False if its entries cannot be relied on.
/// Thread-safe.
bool check_table_page(const os::file& table, const layout::super_slot& super, const expectations& expected,
                      std::uint64_t index, layout::table_page& page, std::uint64_t& bytes_read,
                      findings& found);

}  // namespace perdure::store
