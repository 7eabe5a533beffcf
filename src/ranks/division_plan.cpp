#include "ranks/division_plan.hpp"

#include <algorithm>
#include <perdure/error.hpp>
#include <utility>

#include "array/array_name.hpp"
#include "array/stored_array.hpp"

namespace perdure::detail {

namespace {

void require_possible(const array_info& info, const array_division& wanted, std::uint32_t parts) {
  const auto refuse = [&](const std::string& why) {
    throw error(errc::invalid_argument,
                detail::quoted(info.id) + " cannot be divided as the program says: " + why);
  };
  const std::vector<std::uint64_t>& bounds = wanted.bounds;
  const std::size_t d = wanted.dimension;
  if (info.type.is_variable() || info.layout == array_layout::contiguous) refuse("it is stored as a whole");
  if (d >= info.dims.rank()) refuse("it has no dimension " + std::to_string(d));
  if (bounds.size() != std::size_t{parts} + 1)
    refuse(std::to_string(parts) + " parts have " + std::to_string(std::size_t{parts} + 1) +
           " bounds, and there are " + std::to_string(bounds.size()));
  if (bounds.front() != 0 || bounds.back() != info.dims[d] || !std::is_sorted(bounds.begin(), bounds.end()))
    refuse("its bounds do not ascend from 0 to its length " + std::to_string(info.dims[d]));
  if (info.layout != array_layout::chunked) return;
  for (const std::uint64_t bound : bounds)
    if (bound % info.chunk[d] != 0 && bound != info.dims[d])
      refuse("the bound " + std::to_string(bound) + " cuts a chunk, and chunks have the length " +
             std::to_string(info.chunk[d]));
}

/// Throws where a part has objects that are no arrays of all ranks.
void require_only_arrays(part_reader& old) {
  manager_core& store = old.store();
  // Objects of the part itself: its record, the catalogue of its arrays, and which of them are whole.
  const bool has_catalogue = store.find(unique_instance, type_stamp_of<array_catalogue>()).first != nullptr;
  const std::size_t its_own = 1 + (has_catalogue ? 1 : 0) + (find_whole_arrays(store) != nullptr ? 1 : 0);
  std::size_t others = store.count(instance_kind::named) + store.count(instance_kind::anonymous) +
                       store.count(instance_kind::unique) - its_own;
  for (const std::string& id : old.arrays().list({}))
    if (!old.has_array(id)) ++others;
  if (others == 0) return;
  throw error(errc::unsupported,
              "part " + std::to_string(old.rank()) + " of the set holds " + std::to_string(others) +
                  " objects beside the arrays of all ranks, which only their program can divide: open the "
                  "parts for reading, and write a new set");
}

}  // namespace

// An array that one part of several has was stored whole too, as all ranks that write parts of an array
// create it.
division_plan::division_plan(part_readers& old) {
  const std::uint32_t parts = old.set().ranks;
  struct seen_array {
    std::uint32_t parts = 0;    // that have it
    std::uint32_t holders = 0;  // that have elements of it
    std::uint32_t owner = 0;    // the last one with elements, or else the first one
    bool is_whole = false;
  };
  std::map<std::string, seen_array> seen;
  for (std::uint32_t i = 0; i < parts; ++i) {
    const auto part = old.get(i);
    require_only_arrays(*part);
    std::vector<std::string>& arrays = arrays_of_parts_.emplace_back();
    for (const std::string& id : part->arrays().list({})) {
      if (!part->has_array(id)) continue;
      arrays.push_back(id);
      const array_info info = part->arrays().info(id);
      seen_array& array = seen[id];
      if (array.parts == 0 || info.blocks != 0) array.owner = i;
      ++array.parts;
      if (info.blocks != 0) ++array.holders;
      array.is_whole = array.is_whole || part->has_whole(id) || info.type.is_variable() ||
                       info.layout == array_layout::contiguous;
    }
  }
  for (const auto& [id, array] : seen)
    if (array.holders <= 1 && (array.is_whole || (array.parts == 1 && parts > 1)))
      whole_.emplace(id, array.owner);
}

void division_plan::follow(set_division by_program, const untyped_arrays& before, std::uint32_t parts) {
  for (const auto& [id, wanted] : by_program.divided) {
    require_possible(before.info(id), wanted, parts);
    whole_.erase(id);
  }
  divided_ = std::move(by_program.divided);
  for (const std::string& id : by_program.replaced) {
    before.info(id);  // throws where there is none
    if (divided_.contains(id) || !replaced_.insert(id).second)
      throw error(errc::invalid_argument,
                  detail::quoted(id) + " cannot be divided as the program says: it is named twice");
  }
}

bool division_plan::has_more(std::uint32_t old) const {
  const std::vector<std::string>& arrays = arrays_of_parts_[old];
  return !std::all_of(arrays.begin(), arrays.end(),
                      [this](const std::string& id) { return is_replaced(id); });
}

std::optional<std::uint32_t> division_plan::owner_of_whole(const std::string& id) const {
  const auto found = whole_.find(id);
  return found == whole_.end() ? std::nullopt : std::optional(found->second);
}

slab division_plan::share_of(const array_info& info, int rank, int ranks) const {
  slab share = slab::whole(info.dims);
  const auto take = [&share](std::size_t dimension, std::uint64_t first, std::uint64_t end) {
    share.offset[dimension] = first;
    share.count[dimension] = end - first;
  };
  if (const auto found = divided_.find(info.id); found != divided_.end()) {
    const auto part = static_cast<std::size_t>(rank);
    take(found->second.dimension, found->second.bounds[part], found->second.bounds[part + 1]);
    return share;
  }
  const std::uint64_t rows = info.dims[0];
  const std::uint64_t step = info.layout == array_layout::chunked ? info.chunk[0] : 1;
  const std::uint64_t steps = (rows + step - 1) / step;
  const auto parts = static_cast<std::uint64_t>(ranks);
  const auto before = [&](int of) {
    const auto number = static_cast<std::uint64_t>(of);
    return std::min(rows, (steps / parts * number + std::min(steps % parts, number)) * step);
  };
  take(0, before(rank), before(rank + 1));
  return share;
}

}  // namespace perdure::detail
