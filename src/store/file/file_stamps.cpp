// Writes and compares the stamps of a file.
#include "store/file/file_stamps.hpp"

#include <algorithm>

#include "store/file/checked_block.hpp"
#include "store/file/zero_bytes.hpp"

namespace perdure::store {

namespace {

using layout::stamp_sector;

bool is_whole(const stamp_sector& sector) noexcept {
  return sector.checkpoint != 0 && sector.crc == checksum_of(sector);
}

stamp_sector stamp_of(const known_checkpoint& by) noexcept {
  stamp_sector sector{};
  if (by.identity == 0) return sector;
  sector.epoch = by.epoch;
  sector.checkpoint = by.identity;
  sector.crc = checksum_of(sector);
  return sector;
}

}  // namespace

void file_stamps::write(const os::file& to, const known_checkpoint& by) {
  // Stores of earlier libraries have no identities, up to the checkpoint after the next.
  if (by.identity == 0) return;
  const auto epoch_in = [this](std::size_t which) {
    return is_whole(sectors_[which]) ? sectors_[which].epoch : 0;
  };
  const bool is_there = epoch_in(0) == by.epoch || epoch_in(1) == by.epoch;
  const std::size_t older = epoch_in(0) <= epoch_in(1) ? 0 : 1;
  write(to, is_there ? (epoch_in(0) == by.epoch ? 0 : 1) : older, stamp_of(by));
}

void file_stamps::write_anew(const os::file& to, const known_checkpoint& by) {
  write(to, 0, stamp_of(by));
  write(to, 1, {});
}

void file_stamps::write(const os::file& to, std::size_t which, const stamp_sector& sector) {
  // First, as a call that fails may have written it.
  sectors_[which] = sector;
  to.write_at(&sector, sizeof sector, layout::stamps_offset + which * sizeof sector);
}

std::optional<std::uint64_t> file_stamps::at(std::uint64_t epoch) const noexcept {
  const stamp_sector* newest = nullptr;
  int later = 0;
  for (const stamp_sector& one : sectors_) {
    if (!is_whole(one)) continue;
    if (one.epoch > epoch) {
      ++later;
    } else if (newest == nullptr || one.epoch > newest->epoch) {
      newest = &one;
    }
  }
  if (later == 2) return std::nullopt;
  return newest == nullptr ? 0 : newest->checkpoint;
}

bool file_stamps::has_later_than(std::uint64_t epoch) const noexcept {
  return std::any_of(sectors_.begin(), sectors_.end(),
                     [&](const stamp_sector& one) { return is_whole(one) && one.epoch > epoch; });
}

bool file_stamps::are_known_after(std::uint64_t epoch,
                                  std::span<const known_checkpoint> known) const noexcept {
  return std::all_of(sectors_.begin(), sectors_.end(), [&](const stamp_sector& one) {
    return !is_whole(one) || one.epoch <= epoch ||
           std::any_of(known.begin(), known.end(), [&one](const known_checkpoint& other) {
             return other.epoch == one.epoch && other.identity == one.checkpoint;
           });
  });
}

bool file_stamps::has_unsound() const noexcept {
  return std::any_of(sectors_.begin(), sectors_.end(),
                     [](const stamp_sector& one) { return !is_whole(one) && !is_zero(&one, sizeof one); });
}

std::optional<std::uint64_t> sum_of_stamps(std::span<const file_stamps> files, std::uint64_t epoch) noexcept {
  std::uint64_t sum = 0;
  std::uint64_t factor = 1;  // odd, so that no file's part is lost, and another for each place
  for (const file_stamps& one : files) {
    const std::optional<std::uint64_t> identity = one.at(epoch);
    if (!identity) return std::nullopt;
    sum += factor * *identity;
    factor += 2;
  }
  return sum;
}

}  // namespace perdure::store
