#include "ranks/division_plan.hpp"

#include <algorithm>
#include <perdure/error.hpp>
#include <utility>

#include "array/array_name.hpp"

namespace perdure::detail {

namespace {

void require_bounds(const array_info& info, const std::vector<std::uint64_t>& bounds, std::uint32_t parts) {
  const auto refuse = [&](const std::string& why) {
    throw error(errc::invalid_argument,
                detail::quoted(info.id) + " cannot be divided as the program says: " + why);
  };
  if (info.dims.empty() || info.type.is_variable() || info.layout == array_layout::contiguous)
    refuse("it is stored as a whole");
  if (bounds.size() != std::size_t{parts} + 1)
    refuse(std::to_string(parts) + " parts have " + std::to_string(std::size_t{parts} + 1) +
           " bounds, and there are " + std::to_string(bounds.size()));
  if (bounds.front() != 0 || bounds.back() != info.dims[0] || !std::is_sorted(bounds.begin(), bounds.end()))
    refuse("its bounds do not ascend from 0 to its " + std::to_string(info.dims[0]) + " rows");
  if (info.layout != array_layout::chunked) return;
  for (const std::uint64_t bound : bounds)
    if (bound % info.chunk[0] != 0 && bound != info.dims[0])
      refuse("the bound " + std::to_string(bound) + " cuts a chunk, and chunks have " +
             std::to_string(info.chunk[0]) + " rows");
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
    for (const std::string& id : part->arrays().list({})) {
      if (!part->has_array(id)) continue;
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
  for (const auto& [id, bounds] : by_program.bounds) {
    require_bounds(before.info(id), bounds, parts);
    whole_.erase(id);
  }
  bounds_ = std::move(by_program.bounds);
  for (const std::string& id : by_program.replaced) {
    before.info(id);  // throws where there is none
    if (bounds_.contains(id) || !replaced_.insert(id).second)
      throw error(errc::invalid_argument,
                  detail::quoted(id) + " cannot be divided as the program says: it is named twice");
  }
}

std::optional<std::uint32_t> division_plan::owner_of_whole(const std::string& id) const {
  const auto found = whole_.find(id);
  return found == whole_.end() ? std::nullopt : std::optional(found->second);
}

row_range division_plan::rows_of(const array_info& info, int rank, int ranks) const {
  if (const auto found = bounds_.find(info.id); found != bounds_.end()) {
    const auto part = static_cast<std::size_t>(rank);
    return {found->second[part], found->second[part + 1]};
  }
  const std::uint64_t rows = info.dims[0];
  const std::uint64_t step = info.layout == array_layout::chunked ? info.chunk[0] : 1;
  const std::uint64_t steps = (rows + step - 1) / step;
  const auto share = static_cast<std::uint64_t>(ranks);
  const auto before = [&](int of) {
    const auto number = static_cast<std::uint64_t>(of);
    return std::min(rows, (steps / share * number + std::min(steps % share, number)) * step);
  };
  return {before(rank), before(rank + 1)};
}

}  // namespace perdure::detail
