// The arrays of a store, found or made.
#include "perdure/detail/array_core.hpp"

#include <algorithm>
#include <new>
#include <perdure/detail/array_pieces.hpp>

#include "array/array_geometry.hpp"
#include "array/stored_arrays.hpp"

namespace perdure::detail {

const_elements const_elements::row_major(const void* data, const extents& dims, std::size_t element_size) {
  return {static_cast<const std::byte*>(data), dims, row_major_strides(dims, element_size)};
}
elements elements::row_major(void* data, const extents& dims, std::size_t element_size) {
  return {static_cast<std::byte*>(data), dims, row_major_strides(dims, element_size)};
}

namespace {

array_catalogue* find_catalogue(manager_core& store) {
  return static_cast<array_catalogue*>(store.find(unique_instance, type_stamp_of<array_catalogue>()).first);
}

array_catalogue* find_or_make_catalogue(manager_core& store) {
  object_construction made(store, unique_instance, type_stamp_of<array_catalogue>(), 1, if_exists::use);
  if (made.exists()) return static_cast<array_catalogue*>(made.object());
  // Its containers take the memory in which they lie.
  auto* const catalogue = ::new (made.object()) array_catalogue();
  made.publish();
  return catalogue;
}

}  // namespace

void array_core::store_from(std::string_view id, const data_type& type, const extents& dims,
                            const element_source& source, const array_options& options) {
  erase(id);
  create(id, type, dims, options);
  std::vector<std::byte> content;
  for (array_pieces pieces(dims,
                           std::max<std::size_t>(gathered_bytes / std::max<std::size_t>(type.size(), 1), 1));
       pieces.next_elements() != 0;) {
    const slab part = pieces.next();
    content.resize(part.count.elements() * type.size());
    source(part, content.data());
    write(id, type, part, const_elements::row_major(content.data(), part.count, type.size()));
  }
}

std::shared_ptr<array_core> array_core::of(manager_core& store) {
  const auto make = [](manager_core& of) -> std::shared_ptr<checkpoint_listener> {
    array_catalogue* const catalogue = of.writable() ? find_or_make_catalogue(of) : find_catalogue(of);
    return std::make_shared<stored_arrays>(of, catalogue);
  };
  return std::static_pointer_cast<stored_arrays>(store.listener(make));
}

}  // namespace perdure::detail
