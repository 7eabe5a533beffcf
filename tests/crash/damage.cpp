#include "crash/damage.hpp"

#include <algorithm>
#include <array>
#include <iterator>

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
  }
}

}  // namespace perdure::crash
