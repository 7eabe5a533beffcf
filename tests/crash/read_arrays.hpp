// Reads whatever an array of a file says that it has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <perdure/formats/array_source.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace perdure::crash {

/// Reads an array as an import does: what is stored of a sparse one, else all of it, up to 64 MiB, as a
/// header may declare more in a file of few bytes. `step` is called before each piece.
inline void read_all(formats::array_source& array, const std::function<void()>& step) {
  constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
  const formats::array_description& what = array.what();
  step();
  if (what.type.is_variable()) {
    const variable_elements all = array.read_variable();
    if (all.ends.size() != what.dims.elements())
      throw std::logic_error("another number of texts than elements");
    if (!std::is_sorted(all.ends.begin(), all.ends.end()) ||
        (all.ends.empty() ? 0 : all.ends.back()) != all.bytes.size())
      throw std::logic_error("texts end elsewhere than their bytes");
    return;
  }
  std::vector<slab> parts{slab::whole(what.dims)};
  if (auto stored = array.stored_parts()) parts = std::move(*stored);
  std::uint64_t done = 0;
  std::vector<std::byte> bytes;
  for (const slab& part : parts) {
    for (std::size_t i = 0; i < what.dims.rank(); ++i)
      if (part.offset[i] > what.dims[i] || part.count[i] > what.dims[i] - part.offset[i])
        throw std::logic_error("a part is outside of its array");
    array_pieces pieces(part.count, formats::elements_in_piece(what.type.size()));
    while (pieces.next_elements() != 0 && done < most_bytes) {
      slab piece = pieces.next();
      for (std::size_t i = 0; i < what.dims.rank(); ++i) piece.offset[i] += part.offset[i];
      bytes.resize(piece.count.elements() * what.type.size());
      step();
      array.read(piece, bytes.data());
      done += bytes.size();
    }
  }
}

}  // namespace perdure::crash
