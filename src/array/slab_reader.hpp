// Reads parts of arrays out of their blocks.
#pragma once

#include <cstdint>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/detail/manager_core.hpp>
#include <span>
#include <string_view>

#include "array/array_blocks.hpp"
#include "array/block_store.hpp"

namespace perdure::detail {

/// Thread-safe.
class slab_reader {
 public:
  slab_reader(manager_core& store, const block_store& blocks) : store_(store), blocks_(blocks) {}

  /// Copies the elements of a part, which is inside the array, out of these blocks, which must stay
  /// meanwhile. Elements that no block has are zero. Throws `damaged`, `io`.
  void read(std::string_view id, const array_shape& of, std::span<const held_block> blocks, const slab& where,
            const untyped_view& to) const;
  /// Like `read`, but leaves elements that no block has alone. Returns the number of elements copied.
  std::uint64_t read_held(std::string_view id, const array_shape& of, std::span<const held_block> blocks,
                          const slab& where, const untyped_view& to) const;

 private:
  std::uint64_t copy_block(std::string_view id, const array_shape& of, const held_block& from,
                           const slab& where, const untyped_view& to,
                           std::span<const std::ptrdiff_t> to_strides, std::vector<std::byte>& decoded) const;

  manager_core& store_;
  const block_store& blocks_;
};

}  // namespace perdure::detail
