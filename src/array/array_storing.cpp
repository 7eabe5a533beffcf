// Arrays stored whole, and made.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <perdure/array/array_pieces.hpp>

#include "array/region_copy.hpp"
#include "array/stored_arrays.hpp"
#include "os/crc32c.hpp"

namespace perdure::detail {

namespace {

void require_id(std::string_view id) {
  const bool is_sound = !id.empty() && id.size() <= longest_id && id.front() != '/' && id.back() != '/' &&
                        id.find("//") == std::string_view::npos && id.find('\0') == std::string_view::npos;
  if (!is_sound)
    throw error(errc::invalid_argument,
                '"' + std::string(id.substr(0, 80)) +
                    "\" is no name of an array: take 1 to 4096 bytes, with single slashes "
                    "between names");
}

}  // namespace

void stored_arrays::require_may_replace(std::string_view id, const data_type& type,
                                        const array_options& options) const {
  const std::shared_lock lock(mutex_);
  require_may_replace_locked(id, type, options);
}

void stored_arrays::require_may_replace_locked(std::string_view id, const data_type& type,
                                               const array_options& options) const {
  const stored_array* const before = look_up(id);
  if (before == nullptr) return;
  const shape of = shape_of(id, *before);
  if (!options.replaces_any) require_type(id, of.type, type);
}

void stored_arrays::store_whole(std::string_view id, const data_type& type, const const_untyped_view& from,
                                const array_options& options) {
  require_writable();
  require_id(id);
  require_options(type, from.dims, options);
  const std::size_t bytes = bytes_of(from.dims, type.size());
  const extents chunk = chunk_for(from.dims, type.size(), options);
  const shape of{type,  from.dims, options.layout, {options.codec, options.level, options.shuffle},
                 chunk, false};
  const std::unique_lock writing(writing_of(id));
  const bool is_one_block = options.layout != array_layout::chunked;
  const box all{extents::all(from.dims.rank(), 0), from.dims};
  if (is_one_block && bytes <= small_bytes && options.codec == compression::none) {
    const std::unique_lock lock(mutex_);
    require_may_replace_locked(id, type, options);
    const write_guard guard(store_->memory());
    blocks_.collect();
    if (bytes == 0) return replace(id, type, from.dims, options, chunk, {});
    new_block made{all, {}};
    std::byte* const data = blocks_.allocate(bytes);
    try {
      copy_region(from.dims, type.size(), data, row_major_strides(from.dims, type.size()), from.data,
                  from.strides);
      made.block.data = data;
      made.block.bytes = made.block.stored_bytes = bytes;
      made.block.checksum = os::crc32c(0, data, bytes);
      made.block.unchecked = options.layout == array_layout::contiguous ? 1 : 0;
      return replace(id, type, from.dims, options, chunk, {&made, 1});
    } catch (...) {
      blocks_.give_up(data);
      throw;
    }
  }
  require_may_replace(id, type, options);
  std::vector<new_block> made;
  if (bytes != 0 && is_one_block) {
    made.push_back({all, {}});
    made.back().block = filled_from(of, all, from);
    made.back().block.unchecked = options.layout == array_layout::contiguous ? 1 : 0;
  } else if (bytes != 0) {
    make_blocks(from.dims, chunk, all, made, [&](const box& one, stored_block& block) {
      const_untyped_view given{from.data, one.count, from.strides};
      for (std::size_t i = 0; i < from.dims.rank(); ++i)
        given.data += static_cast<std::ptrdiff_t>(one.offset[i]) * from.strides[i];
      block = filled_from(of, one, given);
      return true;
    });
  }
  link_or_give_up(made, [&] { replace(id, type, from.dims, options, chunk, made); });
}

void stored_arrays::store_from(std::string_view id, const data_type& type, const extents& dims,
                               const element_source& source, const array_options& options) {
  require_writable();
  require_id(id);
  require_options(type, dims, options);
  if (type.is_variable())
    throw error(errc::invalid_argument, "arrays of elements of any length are stored as a whole");
  const std::size_t bytes = bytes_of(dims, type.size());
  const extents chunk = chunk_for(dims, type.size(), options);
  const encoding how{options.codec, options.level, options.shuffle};
  const std::unique_lock writing(writing_of(id));
  require_may_replace(id, type, options);
  const box all{extents::all(dims.rank(), 0), dims};
  std::vector<new_block> made;
  if (bytes != 0 && options.layout != array_layout::chunked) {
    made.push_back({all, {}});
    array_pieces pieces(dims, std::max<std::size_t>(gathered_bytes / type.size(), 1));
    made.back().block = filled_block(
        bytes, type.size(), how,
        [&](std::byte* to, std::size_t, std::size_t wanted) {
          while (wanted != 0) {
            const slab part = pieces.next();
            const std::size_t now = part.count.elements() * type.size();
            source(part, to);
            to += now;
            wanted -= now;
          }
        },
        nullptr, [&] { return pieces.next_elements() * type.size(); });
    made.back().block.unchecked = options.layout == array_layout::contiguous ? 1 : 0;
  } else if (bytes != 0) {
    std::vector<std::byte> content;
    make_blocks(dims, chunk, all, made, [&](const box& one, stored_block& block) {
      content.resize(bytes_of(one.count, type.size()));
      source({one.offset, one.count, {}}, content.data());
      block = filled_block(content.size(), type.size(), how, {}, content.data());
      return true;
    });
  }
  link_or_give_up(made, [&] { replace(id, type, dims, options, chunk, made); });
}

void stored_arrays::store_variable(std::string_view id, const data_type& type, const extents& dims,
                                   const variable_elements& from, const array_options& options) {
  require_writable();
  require_id(id);
  require_options(type, dims, options);
  const std::uint64_t count = dims.elements();
  if (from.ends.size() != count)
    throw error(errc::invalid_argument,
                std::to_string(from.ends.size()) + " elements are given for an array of " + dims.text());
  const std::unique_lock writing(writing_of(id));
  require_may_replace(id, type, options);
  const std::size_t table = from.ends.size() * sizeof(std::uint64_t);
  std::vector<std::byte> bytes(table + from.bytes.size());
  if (table != 0) std::memcpy(bytes.data(), from.ends.data(), table);
  std::memcpy(bytes.data() + table, from.bytes.data(), from.bytes.size());
  new_block made{{extents::all(dims.rank(), 0), dims}, {}};
  if (!bytes.empty())
    made.block = filled_block(bytes.size(), 1, {options.codec, options.level, false}, {}, bytes.data());
  const std::span<const new_block> all = bytes.empty() ? std::span<const new_block>() : std::span(&made, 1);
  link_or_give_up(all, [&] { replace(id, type, dims, options, {}, all); });
}

void stored_arrays::create(std::string_view id, const data_type& type, const extents& dims,
                           const array_options& options) {
  require_writable();
  require_id(id);
  require_options(type, dims, options);
  if (type.is_variable())
    throw error(errc::invalid_argument, "arrays of elements of any length are stored as a whole");
  const std::size_t bytes = bytes_of(dims, type.size());
  const extents chunk = chunk_for(dims, type.size(), options);
  const std::unique_lock writing(writing_of(id));
  const std::unique_lock lock(mutex_);
  if (const stored_array* const before = look_up(id)) {
    const shape of = shape_of(id, *before);
    if (!options.replaces_any || (of.type == type && of.dims == dims))
      throw error(errc::already_exists, quoted(id) + " exists: erase it first, or store over it");
  }
  const write_guard guard(store_->memory());
  blocks_.collect();
  if (options.layout != array_layout::contiguous || bytes == 0)
    return replace(id, type, dims, options, chunk, {});
  new_block made{{extents::all(dims.rank(), 0), dims}, {}};
  std::byte* const data = blocks_.allocate(bytes);
  try {
    // New pages are zero as they are, but memory that was in use before is not.
    std::memset(data, 0, bytes);
    made.block.data = data;
    made.block.bytes = made.block.stored_bytes = bytes;
    made.block.unchecked = 1;
    replace(id, type, dims, options, chunk, {&made, 1});
  } catch (...) {
    blocks_.give_up(data);
    throw;
  }
}

}  // namespace perdure::detail
