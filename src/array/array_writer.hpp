// Arrays stored, created, written in parts, resized and erased.
#pragma once

#include <perdure/array/untyped_arrays.hpp>
#include <shared_mutex>
#include <span>
#include <string_view>

#include "array/array_blocks.hpp"
#include "array/array_directory.hpp"
#include "array/block_maker.hpp"
#include "array/block_store.hpp"
#include "array/slab_reader.hpp"

namespace perdure::detail {

/// The writing half of `untyped_arrays`; its functions are explained there. Thread-safe.
class array_writer {
 public:
  array_writer(array_directory& arrays, block_store& blocks, const slab_reader& slabs)
      : arrays_(arrays), blocks_(blocks), slabs_(slabs), maker_(arrays.store(), blocks, arrays.mutex()) {}

  void store_whole(std::string_view id, const data_type& type, const const_untyped_view& from,
                   const array_options& options);
  void store_from(std::string_view id, const data_type& type, const extents& dims,
                  const element_source& source, const array_options& options);
  void store_sparse(std::string_view id, const data_type& type, const extents& dims,
                    std::span<const slab> parts, const element_source& source, const array_options& options);
  void store_variable(std::string_view id, const data_type& type, const extents& dims,
                      const variable_elements& from, const array_options& options);
  void create(std::string_view id, const data_type& type, const extents& dims, const array_options& options);
  void write(std::string_view id, const data_type& type, const slab& where, const const_untyped_view& from);
  void resize(std::string_view id, const extents& dims);
  void append(std::string_view id, const data_type& type, const const_untyped_view& from);
  bool erase(std::string_view id);

 private:
  /// The array that is to be written.
  struct wanted_array {
    std::string_view id;
    const data_type& type;
    const extents& dims;
    const array_options& options;
    extents chunk;

    encoding how() const noexcept { return {options.codec, options.level, options.shuffle}; }
    bool is_in_place() const noexcept { return options.layout == array_layout::contiguous; }
  };

  array_shape shape_of_stored(std::string_view id) const;
  void require_may_replace(const wanted_array& wanted) const;
  void store_small(const wanted_array& wanted, const const_untyped_view& from);
  void replace(const wanted_array& wanted, std::span<const new_blocks::entry> made);
  void replace_by_block(const wanted_array& wanted, std::byte* filled, std::size_t bytes,
                        std::uint32_t checksum);
  void write_parts(std::string_view id, const array_shape& of, const slab& where,
                   const const_untyped_view& from, const extents& before);
  void write_in_place(std::string_view id, const array_shape& of, const slab& where,
                      const const_untyped_view& from);
  void make_part(std::string_view id, const array_shape& of, const box& one, const slab& where,
                 const const_untyped_view& from, new_blocks& made);

  array_directory& arrays_;
  block_store& blocks_;
  const slab_reader& slabs_;
  block_maker maker_;
};

}  // namespace perdure::detail
