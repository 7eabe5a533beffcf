// Arrays of which most is not stored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <perdure/array/array_pieces.hpp>
#include <perdure/array/chunk_grid.hpp>
#include <perdure/formats/array_source.hpp>
#include <span>
#include <unordered_set>
#include <vector>

namespace perdure::formats {

/// Arrays of fewer bytes are read and written whole, even if parts of them are not stored.
inline constexpr std::uint64_t least_sparse_bytes = std::uint64_t{16} << 20;

/// Returns the parts of an array that a file has to have if the others become holes in it, which read as
/// zeros; nothing for an array of which all is to be written.
inline std::optional<std::vector<slab>> parts_beside_holes(array_source& from) {
  const array_description& what = from.what();
  const bool is_small =
      what.dims.elements() < least_sparse_bytes / std::max<std::size_t>(what.type.size(), 1);
  if (what.type.is_variable() || is_small) return std::nullopt;
  return from.stored_parts();
}

/// Calls `visit` once with the place of each chunk of the grid that has elements of a part.
inline void for_each_stored_chunk(std::span<const slab> parts, const chunk_grid& grid,
                                  const std::function<void(const extents& place)>& visit) {
  std::unordered_set<std::uint64_t> known;
  for (const slab& part : parts)
    grid.for_each_in(part.offset, part.count, [&](const extents& place) {
      if (known.insert(grid.number_of(place)).second) visit(place);
    });
}

/// Calls `visit` with pieces of a part of about 8 MiB, in row-major order. `grain` is that of `array_pieces`.
inline void for_each_piece(const slab& part, std::size_t element_size, std::uint64_t grain,
                           const std::function<void(const slab& piece)>& visit) {
  for (array_pieces pieces(part.count, elements_in_piece(element_size), grain);
       pieces.next_elements() != 0;) {
    slab piece = pieces.next();
    for (std::size_t i = 0; i < part.offset.rank(); ++i) piece.offset[i] += part.offset[i];
    visit(piece);
  }
}

}  // namespace perdure::formats
