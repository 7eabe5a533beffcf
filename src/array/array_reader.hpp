// Elements of arrays read, viewed and checked.
#pragma once

#include <functional>
#include <memory>
#include <perdure/array/untyped_arrays.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "array/array_blocks.hpp"
#include "array/array_directory.hpp"
#include "array/block_store.hpp"
#include "array/slab_reader.hpp"

namespace perdure::detail {

/// The reading half of `untyped_arrays`; its functions are explained there. Thread-safe.
class array_reader {
 public:
  array_reader(const array_directory& arrays, const block_store& blocks)
      : arrays_(arrays), blocks_(blocks), slabs_(arrays.store(), blocks) {}

  const slab_reader& slabs() const noexcept { return slabs_; }

  void read(std::string_view id, const data_type& type, const slab& where, const untyped_view& to) const;
  void read_whole(std::string_view id, const data_type& type,
                  const std::function<untyped_view(const extents&)>& place) const;
  variable_elements read_variable(std::string_view id, const data_type& type) const;
  std::uint64_t read_held(std::string_view id, const slab& where, const untyped_view& to) const;
  /// `owner` stays as long as somebody holds the view.
  viewed_array view(std::string_view id, const data_type& type, bool to_write,
                    std::shared_ptr<const void> owner) const;
  viewed_array view_part(std::string_view id, const data_type& type, const slab& where,
                         std::shared_ptr<const void> owner) const;
  void prefetch(std::string_view id) const;
  std::vector<std::string> check(std::string_view id) const;

 private:
  /// An array's shape and some of its blocks, which stay while it is there: a few bytes by the lock, as
  /// copying them takes less than noting who looks at them.
  struct held_array;

  held_array held(std::string_view id, const data_type& type,
                  const std::function<box(const extents&)>& part) const;
  array_hold held_with(std::shared_ptr<const void> owner) const;
  void require_checksum(std::string_view id, const held_block& one, std::span<std::byte> piece) const;

  const array_directory& arrays_;
  const block_store& blocks_;
  slab_reader slabs_;
};

}  // namespace perdure::detail
