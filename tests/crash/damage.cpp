#include "crash/damage.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "store/file/checked_block.hpp"
#include "store/file/home_files.hpp"
#include "store/file/layout.hpp"

namespace perdure::crash {

namespace {

constexpr std::size_t sector = 512;

std::uint64_t place_in(random_stream& random, const file_bytes& file) {
  if (file.blocks().empty() || random.one_in(2)) return random.below(file.size());
  auto block = file.blocks().begin();
  // Structures stand at the beginning of files, and of their blocks.
  const std::uint64_t blocks =
      random.one_in(2) ? file.blocks().size() : std::min<std::uint64_t>(2, file.blocks().size());
  std::advance(block, static_cast<std::ptrdiff_t>(random.below(blocks)));
  const std::uint64_t within =
      random.one_in(2) ? random.below(file_bytes::block_size) : random.below(file_bytes::block_size / 16);
  return std::min(block->first * file_bytes::block_size + within, file.size() - 1);
}

using block = file_bytes::block;

block block_at(const file_bytes& file, std::uint64_t offset) {
  block bytes;
  file.read(offset, bytes.data(), bytes.size());
  return bytes;
}

void put_block(file_bytes& file, std::uint64_t offset, const block& bytes) {
  const std::uint64_t held = file.size() > offset ? file.size() - offset : 0;
  file.write(offset, bytes.data(), static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), held)));
}

/// Where the checksum of a page of the segment is in the file `crc`.
struct table_entry {
  std::uint64_t table_page;  // its offset
  std::size_t number;

  std::uint32_t in(const file_bytes& crc) const {
    return crc.get<store::layout::table_page>(table_page).entries[number];
  }
  void put(file_bytes& crc, std::uint32_t checksum) const {
    auto page = crc.get<store::layout::table_page>(table_page);
    page.entries[number] = checksum;
    page.crc = os::crc32c(0, &page.index, sizeof page - offsetof(store::layout::table_page, index));
    crc.put(table_page, page);
  }
};

// Nothing where no page of the segment is.
std::optional<table_entry> entry_of(const store_files& files, const std::string& name, std::uint64_t offset) {
  if (!name.starts_with("heap.") || offset < store::layout::home_data_offset) return std::nullopt;
  const std::uint64_t home_file_bytes = files.at("super").get<store::layout::super_slot>(0).home_file_bytes;
  std::uint64_t file = 0;
  while (store::home_files::name_of(file) != name) ++file;
  const std::uint64_t page = (file * home_file_bytes + offset - store::layout::home_data_offset) / page_size;
  return table_entry{(page / store::layout::entries_per_table_page + 1) * store::layout::block,
                     static_cast<std::size_t>(page % store::layout::entries_per_table_page)};
}

// Two blocks of different content, the one that is written over sometimes a hole.
damage misplaced_blocks(random_stream& random, const store_files& files, const std::string& name) {
  const file_bytes& file = files.at(name);
  const auto any_block = [&] {
    auto held = file.blocks().begin();
    std::advance(held, static_cast<std::ptrdiff_t>(random.below(file.blocks().size())));
    return held->first * file_bytes::block_size;
  };
  damage one{harm::misdirected, name};
  one.from = any_block();
  const bool onto_any = random.one_in(4);
  one.offset =
      onto_any ? random.below(file.size()) / file_bytes::block_size * file_bytes::block_size : any_block();
  if (random.one_in(2)) one.kind = harm::exchanged;
  const auto here = entry_of(files, name, one.offset);
  const auto there = entry_of(files, name, one.from);
  const auto has_checksum = [&](const table_entry& entry) {
    return entry.in(files.at("crc")) >= store::layout::first_checksum;
  };
  if (here && there && has_checksum(*here) && has_checksum(*there) && random.one_in(2))
    one.kind = harm::moved;
  return one;
}

}  // namespace

const char* name_of(harm kind) {
  switch (kind) {
    case harm::flip:
      return "flipped bits";
    case harm::blank:
      return "blank sectors";
    case harm::cut:
      return "truncations";
    case harm::gone:
      return "missing files";
    case harm::foreign:
      return "files of another store";
    case harm::misdirected:
      return "misdirected writes";
    case harm::exchanged:
      return "exchanged blocks";
    case harm::moved:
      return "pages moved with their checksums";
  }
  return "";
}

std::string describe(const damage& one) {
  switch (one.kind) {
    case harm::flip:
      return one.file + ": bit " + std::to_string(one.bit) + " of byte " + std::to_string(one.offset) +
             " flipped";
    case harm::blank:
      return one.file + ": zeros in the sector at byte " + std::to_string(one.offset);
    case harm::cut:
      return one.file + ": cut to " + std::to_string(one.offset) + " bytes";
    case harm::gone:
      return one.file + ": missing";
    case harm::foreign:
      return one.file + ": of another store";
    case harm::misdirected:
      return one.file + ": the block at byte " + std::to_string(one.from) + " also written at byte " +
             std::to_string(one.offset);
    case harm::exchanged:
      return one.file + ": the blocks at bytes " + std::to_string(one.from) + " and " +
             std::to_string(one.offset) + " exchanged";
    case harm::moved:
      return one.file + ": the pages at bytes " + std::to_string(one.from) + " and " +
             std::to_string(one.offset) + " exchanged, and so are their checksums";
  }
  return one.file;
}

damage random_damage(random_stream& random, const store_files& files) {
  auto file = files.begin();
  do {
    file = files.begin();
    std::advance(file, static_cast<std::ptrdiff_t>(random.below(files.size())));
  } while (file->second.size() == 0);
  damage one{harm::flip, file->first};
  const std::uint64_t place = place_in(random, file->second);
  switch (random.below(8)) {
    case 0:
      one.kind = harm::blank;
      one.offset = place / sector * sector;
      break;
    case 1:
    case 2:
      one.kind = harm::cut;
      // Also to whole pages, as file systems lose them, and to nothing.
      one.offset = random.one_in(16) ? 0 : random.one_in(2) ? place : place / 4096 * 4096;
      break;
    case 3:
      if (!file->second.blocks().empty()) return misplaced_blocks(random, files, file->first);
      [[fallthrough]];
    default:
      one.offset = place;
      one.bit = static_cast<unsigned>(random.below(8));
  }
  return one;
}

void inflict(const damage& one, store_files& files, const store_files& other) {
  file_bytes& file = files.at(one.file);
  switch (one.kind) {
    case harm::flip:
      file.put(one.offset, static_cast<std::uint8_t>(file.get<std::uint8_t>(one.offset) ^ (1u << one.bit)));
      break;
    case harm::blank: {
      static constexpr std::array<std::byte, sector> zeros{};
      const std::uint64_t count = std::min<std::uint64_t>(sector, file.size() - one.offset);
      file.write(one.offset, zeros.data(), static_cast<std::size_t>(count));
      break;
    }
    case harm::cut:
      file.resize(one.offset);
      break;
    case harm::gone:
      files.erase(one.file);
      break;
    case harm::foreign:
      files[one.file] = other.at(one.file);
      break;
    case harm::misdirected:
      put_block(file, one.offset, block_at(file, one.from));
      break;
    case harm::moved: {
      file_bytes& crc = files.at("crc");
      const table_entry here = entry_of(files, one.file, one.offset).value();
      const table_entry there = entry_of(files, one.file, one.from).value();
      const std::uint32_t checksum = here.in(crc);
      here.put(crc, there.in(crc));
      there.put(crc, checksum);
      [[fallthrough]];
    }
    case harm::exchanged: {
      const block overwritten = block_at(file, one.offset);
      put_block(file, one.offset, block_at(file, one.from));
      put_block(file, one.from, overwritten);
      break;
    }
  }
}

}  // namespace perdure::crash
