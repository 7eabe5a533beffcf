// The arrays of an open store: what they are made of changes under one lock, their elements without it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/error.hpp>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "array/array_geometry.hpp"
#include "array/array_name.hpp"
#include "array/block_store.hpp"
#include "array/slab_access.hpp"
#include "array/stored_array.hpp"

namespace perdure::detail {

/// Bytes of an id, or of an attribute's key.
inline constexpr std::size_t longest_id = 4096;
/// Of what is gathered before it is copied.
inline constexpr std::size_t gathered_bytes = std::size_t{4} << 20;
/// Up to so many bytes of an array are copied with the lock held.
inline constexpr std::size_t small_bytes = std::size_t{64} << 10;

/// The chunk's shape that is asked for, or chosen. `invalid_argument`.
extents chunk_for(const extents& dims, std::size_t element_size, const array_options& options);
/// `invalid_argument`, `unsupported`.
void require_options(const data_type& type, const extents& dims, const array_options& options);

/// Its members are defined by what they do: array_facts.cpp, array_blocks.cpp, array_storing.cpp,
/// array_parts.cpp, array_loading.cpp, array_attributes.cpp.
class stored_arrays final : public untyped_arrays,
                            public checkpoint_listener,
                            public std::enable_shared_from_this<stored_arrays> {
 public:
  stored_arrays(manager_core& store, array_catalogue* catalogue)
      : store_(&store), catalogue_(catalogue), blocks_(store, catalogue) {
    if (catalogue_ == nullptr) return;
    if (catalogue_->version != 1)
      throw error(errc::too_new, store.store().path().string() + ": its arrays are of a later version (" +
                                     std::to_string(catalogue_->version) + "): open it with a later library");
    if (store.writable()) blocks_.drop_left_over();
  }

  void store_whole(std::string_view id, const data_type& type, const const_untyped_view& from,
                   const array_options& options) override;
  void store_from(std::string_view id, const data_type& type, const extents& dims,
                  const element_source& source, const array_options& options) override;
  void store_variable(std::string_view id, const data_type& type, const extents& dims,
                      const variable_elements& from, const array_options& options) override;
  void create(std::string_view id, const data_type& type, const extents& dims,
              const array_options& options) override;
  void write(std::string_view id, const data_type& type, const slab& where,
             const const_untyped_view& from) override;
  void read(std::string_view id, const data_type& type, const slab& where,
            const untyped_view& to) const override;
  void read_whole(std::string_view id, const data_type& type,
                  const std::function<untyped_view(const extents&)>& place) const override;
  variable_elements read_variable(std::string_view id, const data_type& type) const override;
  std::uint64_t read_held(std::string_view id, const slab& where, const untyped_view& to) const override;
  viewed_array view(std::string_view id, const data_type& type, bool to_write) const override;
  void resize(std::string_view id, const extents& dims) override;
  void append(std::string_view id, const data_type& type, const const_untyped_view& from) override;
  bool erase(std::string_view id) override;
  std::optional<array_info> find(std::string_view id) const override;
  array_info info(std::string_view id) const override;
  std::vector<slab> parts(std::string_view id) const override;
  std::vector<std::string> list(std::string_view prefix) const override;
  std::size_t count() const override;
  void prefetch(std::string_view id) const override;
  std::vector<std::string> check(std::string_view id) const override;
  void set_attribute(std::string_view id, std::string_view key, const data_type& type, const extents& dims,
                     std::span<const std::byte> value) override;
  std::optional<attribute_value> attribute(std::string_view id, std::string_view key) const override;
  std::vector<std::string> attributes(std::string_view id) const override;
  bool remove_attribute(std::string_view id, std::string_view key) override;

  void departing(std::vector<page_run>& released) noexcept override { blocks_.departing(released); }
  void closing() noexcept override { is_closed_ = true; }

 private:
  manager_core& store() noexcept override { return *store_; }

  /// What a reader needs of an array, taken under the lock.
  struct shape {
    data_type type;
    extents dims;
    array_layout layout;
    encoding how;
    extents chunk;
    bool may_overlap;
  };
  struct held_block {
    box where;
    stored_block block;
  };
  /// An array's shape and some of its blocks, which stay while it is there: a few bytes by the lock, as
  /// copying them takes less than noting who looks at them.
  struct held_array {
    shape of;
    std::vector<held_block> blocks;
    std::shared_ptr<void> hold;
    std::shared_lock<std::shared_mutex> lock;
  };
  /// A block that is filled and not yet an array's.
  struct new_block {
    box where;
    stored_block block;
  };

  void require_open() const {
    if (is_closed_) throw error(errc::invalid_argument, "the store of these arrays has been closed");
  }
  void require_writable() const {
    require_open();
    store_->require_writable();
    if (catalogue_ == nullptr)
      throw error(errc::read_only,
                  store_->store().path().string() + " has no arrays, and is open for reading only");
  }
  const stored_array* look_up(std::string_view id) const {
    if (catalogue_ == nullptr) return nullptr;
    const auto found = catalogue_->arrays.find(id);
    return found == catalogue_->arrays.end() ? nullptr : &found->second;
  }
  stored_array* look_up(std::string_view id) {
    return const_cast<stored_array*>(std::as_const(*this).look_up(id));
  }
  const stored_array& require(std::string_view id) const {
    const stored_array* const found = look_up(id);
    if (found == nullptr)
      throw error(errc::not_found,
                  store_->store().path().string() + " has no array named \"" + std::string(id) + '"');
    return *found;
  }
  stored_array& require(std::string_view id) {
    return const_cast<stored_array&>(std::as_const(*this).require(id));
  }

  std::shared_mutex& writing_of(std::string_view id) noexcept {
    return writing_[std::hash<std::string_view>()(id) % writing_.size()];
  }

  shape shape_of(std::string_view id, const stored_array& array) const;
  static void require_type(std::string_view id, const data_type& stored, const data_type& asked);
  /// That an array of this id, where there is one, has elements of this type, or that the options let any go.
  void require_may_replace(std::string_view id, const data_type& type, const array_options& options) const;
  void require_may_replace_locked(std::string_view id, const data_type& type,
                                  const array_options& options) const;
  std::vector<held_block> blocks_in(std::string_view id, const shape& of, const stored_array& array,
                                    const box& where) const;

  held_array held(std::string_view id, const data_type& type,
                  const std::function<box(const extents&)>& part) const;

  stored_block filled_block(std::size_t bytes, std::size_t element_size, const encoding& how,
                            const std::function<void(std::byte*, std::size_t, std::size_t)>& gather,
                            const std::byte* dense, const std::function<std::size_t()>& next_piece = {});
  stored_block filled_from(const shape& of, const box& part, const const_untyped_view& from);
  void give_up(std::span<const new_block> made) noexcept;
  template <class Make>
  void make_blocks(const extents& dims, const extents& chunk, const box& part, std::vector<new_block>& made,
                   Make&& make);
  template <class Link>
  void link_or_give_up(std::span<const new_block> made, Link&& link);
  void replace(std::string_view id, const data_type& type, const extents& dims, const array_options& options,
               const extents& chunk, std::span<const new_block> made);
  void init(stored_array& array, const data_type& type, const extents& dims, const array_options& options,
            const extents& chunk);
  void link_blocks(stored_array& array, std::span<const new_block> made);
  void drop_block(stored_array& array, std::size_t block) noexcept;
  void drop_all_blocks(stored_array& array) noexcept;
  static bool keeps_parts_of_blocks(const shape& of, const slab& where);
  void write_parts(std::string_view id, const shape& of, const slab& where, const const_untyped_view& from,
                   const extents& before);
  void read_slab(std::string_view id, const shape& of, std::span<const held_block> blocks, const slab& where,
                 const untyped_view& to, std::uint64_t* held) const;
  array_info describe(std::string_view id, const stored_array& array) const;

  manager_core* store_;
  array_catalogue* catalogue_;  // null where there is none
  block_store blocks_;
  mutable std::shared_mutex mutex_;  // of the catalogue
  // By their ids: held shared to write parts of an array, alone to change what it is. Before `mutex_`.
  std::array<std::shared_mutex, 64> writing_;
  std::atomic<bool> is_closed_{false};
};

/// Calls `make(box, block)` for the boxes that a part takes: itself where there is no grid, or each chunk
/// that it touches. Blocks that it makes (it returns false if not) are added to `made`; all are given up if
/// it fails.
template <class Make>
void stored_arrays::make_blocks(const extents& dims, const extents& chunk, const box& part,
                                std::vector<new_block>& made, Make&& make) {
  const auto make_one = [&](const box& where) {
    made.push_back({where, {}});
    try {
      if (make(where, made.back().block)) return;
    } catch (...) {
      made.pop_back();
      throw;
    }
    made.pop_back();
  };
  try {
    if (chunk.empty()) return make_one(part);
    const std::size_t rank = dims.rank();
    extents first = extents::all(rank, 0);
    extents last = first;
    for (std::size_t i = 0; i < rank; ++i) {
      first[i] = part.offset[i] / chunk[i];
      last[i] = (part.offset[i] + part.count[i] - 1) / chunk[i];
    }
    for (extents at = first;;) {
      box one{extents::all(rank, 0), chunk};
      for (std::size_t i = 0; i < rank; ++i) {
        one.offset[i] = at[i] * chunk[i];
        one.count[i] = std::min(chunk[i], dims[i] - one.offset[i]);
      }
      make_one(one);
      std::size_t i = rank;
      while (i-- > 0) {
        if (++at[i] <= last[i]) break;
        at[i] = first[i];
      }
      if (i == static_cast<std::size_t>(-1)) return;
    }
  } catch (...) {
    const std::unique_lock lock(mutex_);
    const write_guard guard(store_->memory());
    give_up(made);
    throw;
  }
}

/// Calls `link`, which gives the blocks to an array, with the lock held and inside a guard.
template <class Link>
void stored_arrays::link_or_give_up(std::span<const new_block> made, Link&& link) {
  const std::unique_lock lock(mutex_);
  const write_guard guard(store_->memory());
  try {
    link();
  } catch (...) {
    give_up(made);
    throw;
  }
}

}  // namespace perdure::detail
