// Verifies `crc`, the table of the pages' checksums: its header, and its pages one by one.
#include "store/offline/verify/checksum_table_check.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <system_error>

#include "os/crc32c.hpp"
#include "os/file_extents.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/zero_bytes.hpp"

namespace perdure::store {

using layout::entries_per_table_page;

checked_table check_checksum_header(const os::file& directory, const layout::super_slot& super,
                                    std::uint64_t pages, findings& found) {
  if (!os::exists_in(directory, "crc")) {
    found.damage(store_section::checksum_header, "crc", 0, "it is missing");
    return {};
  }
  checked_table table{os::file::open_in(directory, "crc", O_RDONLY)};
  layout::checksum_header header{};
  const std::size_t got = table.file.read_at(&header, sizeof header, 0);
  if (got != sizeof header || !is_sound(header, layout::checksum_magic)) {
    found.damage(store_section::checksum_header, "crc", 0, "its header has no valid checksum");
  } else if (header.uuid != super.uuid) {
    found.damage(store_section::checksum_header, "crc", 0, "it belongs to another store");
    return {};
  } else {
    table.stamps.emplace(header.stamps);
  }
  const std::uint64_t wanted =
      layout::block * (1 + (pages + entries_per_table_page - 1) / entries_per_table_page);
  if (const std::uint64_t size = table.file.size(); size < wanted) {
    found.damage(store_section::checksum_page, "crc", size,
                 "it is cut short, to " + std::to_string(size) + " bytes");
  }
  return table;
}

bool check_table_page(const os::file& table, const layout::super_slot& super, const expectations& expected,
                      std::uint64_t index, layout::table_page& page, std::uint64_t& bytes_read,
                      findings& found) {
  const std::uint64_t offset = (index + 1) * layout::block;
  const std::uint64_t first = index * entries_per_table_page;
  const auto torn = [&](const std::string& what) {
    // Recovery makes it anew from the pages it describes.
    if (expected.are_rewritten(first, entries_per_table_page)) {
      found.note(store_section::checksum_page, "crc", offset, what + "; a checkpoint was being written home");
    } else {
      found.damage(store_section::checksum_page, "crc", offset,
                   what + "; it describes the pages from " + std::to_string(first));
    }
    return false;
  };
  try {
    const auto data = os::next_data(table, offset);
    if (!data || *data >= offset + layout::block) {
      page = {};
      return offset < table.size() || first >= expected.applied_pages();
    }
    bytes_read += table.read_at(&page, sizeof page, offset);
  } catch (const std::system_error& failure) {
    found.damage(store_section::checksum_page, "crc", offset,
                 std::string("it cannot be read: ") + failure.what());
    return false;
  }
  if (is_zero(&page, sizeof page)) return true;
  std::array<std::uint8_t, 8> half{};
  std::copy_n(super.uuid.begin(), half.size(), half.begin());
  const std::uint32_t crc = os::crc32c(0, &page.index, sizeof page - offsetof(layout::table_page, index));
  if (page.crc != crc) return torn("the table page has no valid checksum");
  if (page.index != index || page.store != half)
    return torn("the table page belongs to another store or to another place in this one");
  for (std::uint64_t i = 0; i < entries_per_table_page; ++i) {
    if (first + i < expected.applied_pages() || page.entries[i] == layout::no_checksum ||
        expected.are_rewritten(first + i, 1))
      continue;
    found.damage(store_section::checksum_page, "crc", offset,
                 "the table page describes pages beyond the segment");
    break;
  }
  return true;
}

}  // namespace perdure::store
