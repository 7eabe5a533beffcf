// Verifies that the home files are there, are this store's, and are long enough; not their pages.
#include "store/offline/verify/home_file_check.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "os/file_extents.hpp"
#include "segment/segment.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/home_files.hpp"
#include "store/file/zero_bytes.hpp"

namespace perdure::store {

namespace {

// Nothing is ever written between the header and the first page.
void check_padding(const os::file& file, const std::string& name, findings& found) {
  std::array<std::byte, 65536> bytes;
  std::uint64_t at = layout::block;
  while (at < layout::home_data_offset) {
    const auto data = os::next_data(file, at);
    if (!data || *data >= layout::home_data_offset) return;
    const std::uint64_t from = std::max(at, *data);
    const std::uint64_t end = std::min(os::next_hole(file, from), layout::home_data_offset);
    for (at = from; at < end;) {
      const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), end - at));
      const std::size_t got = file.read_at(bytes.data(), count, at);
      if (got == 0) return;
      if (!is_zero(bytes.data(), got)) {
        found.damage(store_section::home_padding, name, at, "the gap behind its header is not empty");
        return;
      }
      at += got;
    }
  }
}

}  // namespace

std::vector<checked_home_file> check_home_files(const os::file& directory, const layout::super_slot& super,
                                                findings& found) {
  std::vector<checked_home_file> all;
  const std::uint64_t file_bytes = super.home_file_bytes;
  const std::uint64_t most = (super.capacity + file_bytes - 1) / file_bytes;
  for (std::uint64_t index = 0; index < most; ++index) {
    const std::string name = home_files::name_of(static_cast<std::size_t>(index));
    const std::uint64_t begin = index * file_bytes;
    const bool needed = begin < super.segment_bytes || index == 0;
    if (!os::exists_in(directory, name)) {
      if (!needed) break;
      if (begin < super.segment_bytes) found.damage(store_section::home_length, name, 0, "it is missing");
      all.push_back({});
      continue;
    }
    checked_home_file home{os::file::open_in(directory, name, O_RDONLY)};
    const std::uint64_t size = home.file.size();
    layout::home_header header{};
    const std::size_t got = home.file.read_at(&header, sizeof header, 0);
    if (!needed && (size < layout::home_data_offset || !is_sound(header, layout::home_magic))) {
      found.note(store_section::home_header, name, 0, "an unfinished file, which nothing needs");
      break;
    }
    if (got != sizeof header || !is_sound(header, layout::home_magic)) {
      found.damage(store_section::home_header, name, 0, "its header has no valid checksum");
    } else if (header.uuid != super.uuid || header.index != index || header.home_file_bytes != file_bytes) {
      found.damage(store_section::home_length, name, 0,
                   "it belongs to another store or to another place in this one");
      all.push_back({});
      continue;
    } else {
      home.stamps.emplace(header.stamps);
    }
    home.bytes = size > layout::home_data_offset
                     ? std::min(size - layout::home_data_offset, file_bytes) / page_size * page_size
                     : 0;
    const std::uint64_t wanted =
        super.segment_bytes > begin ? std::min(file_bytes, super.segment_bytes - begin) : 0;
    if (home.bytes < wanted) {
      found.damage(store_section::home_length, name, size,
                   "it is cut short, to " + std::to_string(size) + " bytes");
    }
    check_padding(home.file, name, found);
    all.push_back(std::move(home));
  }
  return all;
}

}  // namespace perdure::store
