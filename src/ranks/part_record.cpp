// Tells a part of a set from another, and from a store that is none.
#include "ranks/part_record.hpp"

#include <perdure/error.hpp>
#include <perdure/write_guard.hpp>
#include <string>

#include "store/file/super_block.hpp"

namespace perdure::detail {

namespace {

std::string path_of(manager_core& part) {
  return part.store().path().string();
}

}  // namespace

part_record& make_part_record(manager_core& part, const set_state& set, std::uint32_t rank) {
  object_construction made(part, unique_instance, type_stamp_of<part_record>(), 1, if_exists::fail);
  const write_guard guard(part.memory());
  auto* const record = ::new (made.object()) part_record();
  record->rank = rank;
  record->ranks = set.ranks;
  record->set = set.uuid;
  made.publish();
  return *record;
}

const whole_arrays* find_whole_arrays(manager_core& part) {
  return static_cast<const whole_arrays*>(part.find(unique_instance, type_stamp_of<whole_arrays>()).first);
}

whole_arrays& make_whole_arrays(manager_core& part) {
  object_construction made(part, unique_instance, type_stamp_of<whole_arrays>(), 1, if_exists::use);
  if (made.exists()) return *static_cast<whole_arrays*>(made.object());
  const write_guard guard(part.memory());
  auto* const whole = ::new (made.object()) whole_arrays();
  made.publish();
  return *whole;
}

part_record& require_part_of(manager_core& part, const set_state& set, std::uint32_t rank) {
  auto* const record =
      static_cast<part_record*>(part.find(unique_instance, type_stamp_of<part_record>()).first);
  if (record == nullptr) {
    throw error(errc::conflict, path_of(part) +
                                    " is a store that belongs to no set: somebody has put it in the place of "
                                    "part " +
                                    std::to_string(rank) + ", which must be restored");
  }
  if (record->version != 1)
    throw error(errc::too_new, path_of(part) + " is a part of a later version (" +
                                   std::to_string(record->version) + "): open its set with a later library");
  if (record->set != set.uuid) {
    throw error(errc::conflict, path_of(part) + " is a part of another set (" + store::to_text(record->set) +
                                    ", not " + store::to_text(set.uuid) + "): restore part " +
                                    std::to_string(rank));
  }
  if (record->rank != rank || record->ranks != set.ranks) {
    throw error(errc::conflict, path_of(part) + " is part " + std::to_string(record->rank) + " of " +
                                    std::to_string(record->ranks) + ", in the place of part " +
                                    std::to_string(rank) + " of " + std::to_string(set.ranks) +
                                    ": put the parts back where they were");
  }
  return *record;
}

void require_epoch_of(manager_core& part, const set_state& set, std::uint32_t rank) {
  const std::uint64_t own = part.store().epoch();
  if (own == set.epoch) return;
  const std::string what = path_of(part) + ", part " + std::to_string(rank) + " of a set, is at checkpoint " +
                           std::to_string(own) + " of its own and the set at " + std::to_string(set.epoch);
  throw error(errc::conflict,
              what + (own > set.epoch ? ": somebody has checkpointed it alone, or the manifest is an older "
                                        "one; restore all of the set from one snapshot"
                                      : ": it is an older one; restore all of the set from one snapshot"));
}

}  // namespace perdure::detail
