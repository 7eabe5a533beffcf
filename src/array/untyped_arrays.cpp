// The arrays of a store, found or made.
#include "perdure/array/untyped_arrays.hpp"

#include <algorithm>
#include <new>
#include <perdure/array/array_pieces.hpp>
#include <perdure/array/chunk_grid.hpp>
#include <unordered_set>

#include "array/array_geometry.hpp"
#include "array/stored_arrays.hpp"

namespace perdure {

const_untyped_view const_untyped_view::row_major(const void* data, const extents& dims,
                                                 std::size_t element_size) {
  return {static_cast<const std::byte*>(data), dims, detail::row_major_strides(dims, element_size)};
}
untyped_view untyped_view::row_major(void* data, const extents& dims, std::size_t element_size) {
  return {static_cast<std::byte*>(data), dims, detail::row_major_strides(dims, element_size)};
}

namespace {

detail::array_catalogue* find_catalogue(detail::manager_core& store) {
  return static_cast<detail::array_catalogue*>(
      store.find(unique_instance, type_stamp_of<detail::array_catalogue>()).first);
}

detail::array_catalogue* find_or_make_catalogue(detail::manager_core& store) {
  detail::object_construction made(store, unique_instance, type_stamp_of<detail::array_catalogue>(), 1,
                                   detail::if_exists::use);
  if (made.exists()) return static_cast<detail::array_catalogue*>(made.object());
  // Its containers take the memory in which they lie.
  auto* const catalogue = ::new (made.object()) detail::array_catalogue();
  made.publish();
  return catalogue;
}

}  // namespace

namespace {

/// Writes the elements of a part that `source` gives, a few MiB at a time.
void write_part(untyped_arrays& arrays, std::string_view id, const data_type& type, const slab& whole,
                const element_source& source) {
  std::vector<std::byte> content;
  const std::size_t most =
      std::max<std::size_t>(detail::gathered_bytes / std::max<std::size_t>(type.size(), 1), 1);
  for (array_pieces pieces(whole.count, most); pieces.next_elements() != 0;) {
    slab part = pieces.next();
    for (std::size_t i = 0; i < part.offset.rank(); ++i) part.offset[i] += whole.offset[i];
    content.resize(part.count.elements() * type.size());
    source(part, content.data());
    arrays.write(id, type, part, const_untyped_view::row_major(content.data(), part.count, type.size()));
  }
}

}  // namespace

void untyped_arrays::store_from(std::string_view id, const data_type& type, const extents& dims,
                                const element_source& source, const array_options& options) {
  const slab whole = slab::whole(dims);
  if (options.layout == array_layout::chunked)
    return store_sparse(id, type, dims, {&whole, 1}, source, options);
  erase(id);
  create(id, type, dims, options);
  write_part(*this, id, type, whole, source);
}

void untyped_arrays::store_sparse(std::string_view id, const data_type& type, const extents& dims,
                                  std::span<const slab> parts, const element_source& source,
                                  const array_options& options) {
  if (options.layout == array_layout::contiguous) return store_from(id, type, dims, source, options);
  array_options how = options;
  how.layout = array_layout::chunked;
  erase(id);
  create(id, type, dims, how);
  const chunk_grid grid(dims, info(id).chunk);
  std::unordered_set<std::uint64_t> known;
  std::vector<std::byte> content;
  for (const slab& one : parts)
    grid.for_each_in(one.offset, one.count, [&](const extents& place) {
      if (!known.insert(grid.number_of(place)).second) return;
      const slab part = grid.part_at(place);
      content.resize(part.count.elements() * type.size());
      source(part, content.data());
      write(id, type, part, const_untyped_view::row_major(content.data(), part.count, type.size()));
    });
}

std::shared_ptr<untyped_arrays> untyped_arrays::of(detail::manager_core& store) {
  const auto make = [](detail::manager_core& of) -> std::shared_ptr<detail::checkpoint_listener> {
    detail::array_catalogue* const catalogue =
        of.writable() ? find_or_make_catalogue(of) : find_catalogue(of);
    return std::make_shared<detail::stored_arrays>(of, catalogue);
  };
  return std::static_pointer_cast<detail::stored_arrays>(store.listener(make));
}

}  // namespace perdure
