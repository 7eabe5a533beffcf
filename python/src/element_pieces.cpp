// Parts of an array that lies in memory in one piece, row-major.
#include "element_pieces.hpp"

#include <cstring>

namespace perdure::python {

void copy_part(const std::byte* from, const extents& dims, std::size_t size, const slab& part,
               std::byte* to) {
  if (part.count.elements() == 0) return;
  // The dimensions from `inner` on are whole, so that `inner - 1` and they lie in one piece.
  std::size_t inner = dims.rank();
  while (inner > 0 && part.count[inner - 1] == dims[inner - 1]) --inner;
  std::size_t row = size;
  for (std::size_t i = inner == 0 ? 0 : inner - 1; i < dims.rank(); ++i) row *= part.count[i];
  const std::size_t outer = inner == 0 ? 0 : inner - 1;
  extents step = extents::all(dims.rank(), 0);
  for (;;) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < dims.rank(); ++i) at = at * dims[i] + part.offset[i] + step[i];
    std::memcpy(to, from + at * size, row);
    to += row;
    std::size_t i = outer;
    while (i > 0 && ++step[i - 1] == part.count[i - 1]) step[--i] = 0;
    if (i == 0) return;
  }
}

}  // namespace perdure::python
