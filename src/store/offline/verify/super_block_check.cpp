// Verifies `super`: which of its two slots counts, whether they belong together, and the ABI stamp.
#include "store/offline/verify/super_block_check.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstddef>
#include <perdure/error.hpp>
#include <string>

#include "store/file/checked_block.hpp"
#include "store/file/super_block.hpp"

namespace perdure::store {

namespace {

std::optional<std::size_t> newest_slot_of(const super_file& content) {
  std::optional<std::size_t> newest;
  for (std::size_t i = 0; i < 2; ++i) {
    const layout::super_slot& slot = content.slots[i];
    if (!is_sound(slot, layout::super_magic)) continue;
    if (!newest || slot.sequence > content.slots[*newest].sequence) newest = i;
  }
  return newest;
}

// The slot not in use is wrong in itself, or is another store's.
void check_other_slot(const super_file& content, std::size_t newest, checked_super& checked,
                      findings& found) {
  const std::size_t other = 1 - newest;
  const layout::super_slot& slot = content.slots[other];
  if (!is_sound(slot, layout::super_magic)) {
    checked.torn_slot = other;
  } else if (slot.uuid != checked.slot.uuid || slot.capacity > checked.slot.capacity ||
             slot.home_file_bytes != checked.slot.home_file_bytes || slot.address != checked.slot.address) {
    found.damage(store_section::super_slot, "super", other * layout::block,
                 "the two slots are of different stores");
  }
}

}  // namespace

std::optional<checked_super> check_super_block(const os::file& directory, findings& found) {
  if (!os::exists_in(directory, "super")) {
    require_remains_of_store(directory);
    found.damage(store_section::super_slot, "super", 0, "it is missing");
    return std::nullopt;
  }
  const os::file file = os::file::open_in(directory, "super", O_RDONLY);
  super_file content{};
  const std::size_t got = file.read_at(&content, sizeof content, 0);
  const std::optional<std::size_t> newest = newest_slot_of(content);
  if (!newest) {
    const bool any_magic =
        content.slots[0].magic == layout::super_magic || content.slots[1].magic == layout::super_magic;
    if (!any_magic && got == sizeof content) {
      throw error(errc::not_a_store,
                  directory.path().string() + " holds no datastore: its `super` is some other file");
    }
    found.damage(store_section::super_slot, "super", 0, "neither of its two slots has a valid checksum");
    return std::nullopt;
  }
  checked_super checked{content.slots[*newest], std::nullopt};
  const layout::super_slot& super = checked.slot;
  found.set_epoch(super.applied_epoch);
  check_format(super, file.path(), false);
  try {
    check_sense(super, file.path());
  } catch (const error& contradiction) {
    found.damage(store_section::super_slot, "super", *newest * layout::block, contradiction.what());
    return std::nullopt;
  }
  check_other_slot(content, *newest, checked, found);
  if (!is_sound(content.abi, layout::stamp_magic)) {
    found.damage(store_section::abi_stamp, "super", offsetof(super_file, abi),
                 "the ABI stamp has no valid checksum");
  } else {
    check_abi(content.abi, file.path());
  }
  if (const std::uint64_t size = file.size(); size != layout::super_file_bytes) {
    found.damage(
        store_section::super_slot, "super", std::min(size, layout::super_file_bytes),
        "it has " + std::to_string(size) + " bytes instead of " + std::to_string(layout::super_file_bytes));
  }
  if ((super.flags & layout::flag_open_dirty) != 0) {
    found.damage(
        store_section::super_slot, "super", *newest * layout::block,
        "the store was open with a shared mapping and not closed: its pages may be of different times");
  }
  return checked;
}

}  // namespace perdure::store
