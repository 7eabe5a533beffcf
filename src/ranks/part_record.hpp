// Facts that each part of a set keeps of itself: whose it is, which of its arrays all ranks have a part in,
// and which of these its rank alone has stored as a whole.
#pragma once

#include <array>
#include <cstdint>
#include <perdure/container/flat_set.hpp>
#include <perdure/container/string.hpp>
#include <perdure/detail/manager_core.hpp>
#include <perdure/type_stamp.hpp>

#include "ranks/set_manifest.hpp"

namespace perdure::detail {

struct part_record {
  std::uint32_t version = 1;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  std::uint32_t reserved = 0;
  std::array<std::uint8_t, 16> set{};
  perdure::flat_set<perdure::string> arrays;  // of all ranks; other arrays of the store are the rank's own
};

/// Arrays of the set that the rank of this part has stored whole: these are never divided. An object of its
/// own, since parts of earlier versions have none; made when there is something to keep in it.
struct whole_arrays {
  std::uint32_t version = 1;
  perdure::flat_set<perdure::string> ids;
};

/// Returns null where the part has none.
const whole_arrays* find_whole_arrays(manager_core& part);
/// Makes it where the part has none.
whole_arrays& make_whole_arrays(manager_core& part);

/// Makes it in a new part.
part_record& make_part_record(manager_core& part, const set_state& set, std::uint32_t rank);
/// `damaged` where it is missing, `conflict` where the part is of another set or another rank of it.
part_record& require_part_of(manager_core& part, const set_state& set, std::uint32_t rank);
/// Also that it is at the set's checkpoint: `conflict` where it is behind or beyond.
void require_epoch_of(manager_core& part, const set_state& set, std::uint32_t rank);

}  // namespace perdure::detail

template <>
inline constexpr std::uint32_t perdure::layout_version<perdure::detail::part_record> = 1;
template <>
inline constexpr std::uint32_t perdure::layout_version<perdure::detail::whole_arrays> = 1;
