// Descriptions of stored arrays, and checks of what programs may ask for.
#include "array/array_shape.hpp"

#include <algorithm>
#include <perdure/detail/index_order.hpp>
#include <perdure/error.hpp>
#include <string>

#include "array/array_geometry.hpp"
#include "array/array_name.hpp"

namespace perdure::detail {

namespace {

// Of chunks whose shape is not given.
constexpr std::size_t usual_chunk_bytes = std::size_t{1} << 20;

}  // namespace

extents chunk_for(const extents& dims, std::size_t element_size, const array_options& options) {
  if (options.layout != array_layout::chunked) return {};
  if (!options.chunk.empty()) {
    if (options.chunk.rank() != dims.rank())
      throw error(errc::invalid_argument, "chunks of " + shape_text(options.chunk) +
                                              " have another number of dimensions than "
                                              "the array " +
                                              shape_text(dims));
    for (const std::uint64_t n : options.chunk)
      if (n == 0)
        throw error(errc::invalid_argument, "chunks of " + shape_text(options.chunk) + " hold nothing");
    bytes_of(options.chunk, element_size);
    return options.chunk;
  }
  // All of the inner dimensions that fit.
  extents chunk = extents::all(dims.rank(), 1);
  std::uint64_t room = std::max<std::uint64_t>(usual_chunk_bytes / std::max<std::size_t>(element_size, 1), 1);
  for (std::size_t i = dims.rank(); i-- > 0;) {
    chunk[i] = std::clamp<std::uint64_t>(dims[i], 1, room);
    room /= chunk[i];
    if (room == 0) room = 1;
  }
  return chunk;
}

void require_options(const data_type& type, const extents& dims, const array_options& options) {
  if (!type.dims().empty())
    throw error(errc::invalid_argument, "elements of type " + type.text() +
                                            ": fixed dimensions are given as "
                                            "the last ones of the array, of elements of type " +
                                            type.base().text());
  require_available(options.codec);
  if (options.layout == array_layout::contiguous && options.codec != compression::none)
    throw error(errc::invalid_argument,
                "a contiguous array is written in place and cannot be compressed: choose blocks "
                "or chunks");
  if (options.layout != array_layout::blocks && type.is_variable())
    throw error(errc::invalid_argument, "elements of any length are stored in blocks only");
  if (options.layout == array_layout::chunked && dims.empty())
    throw error(errc::invalid_argument, "a single element cannot be in chunks");
  if (!options.dimensions.empty() && options.dimensions.size() != dims.rank())
    throw error(errc::invalid_argument, std::to_string(options.dimensions.size()) + " names are given for " +
                                            std::to_string(dims.rank()) + " dimensions");
}

void init(stored_array& array, const data_type& type, const extents& dims, const array_options& options,
          const extents& chunk) {
  array.type = type.text();
  assign(array.dims, dims);
  assign(array.chunk, chunk);
  array.dimensions.clear();
  for (const std::string& name : options.dimensions) array.dimensions.emplace_back(name);
  array.layout = static_cast<std::uint8_t>(options.layout);
  array.codec = static_cast<std::uint8_t>(options.codec);
  array.shuffle = options.shuffle && options.codec != compression::none ? 1 : 0;
  array.level = options.level;
  array.may_overlap = 0;
}

array_shape shape_of(std::string_view id, const stored_array& array) {
  array_shape of;
  try {
    of.type = data_type::parse(array.type);
    of.dims = to_extents(array.dims);
    of.chunk = to_extents(array.chunk);
    of.dims.elements();
  } catch (const error& failure) {
    throw error(errc::damaged, quoted(id) + ": " + failure.what());
  }
  of.layout = static_cast<array_layout>(array.layout);
  of.how = {static_cast<compression>(array.codec), array.level, array.shuffle != 0};
  of.may_overlap = array.may_overlap != 0;
  const std::size_t rank = of.dims.rank();
  const bool has_grid =
      of.layout != array_layout::chunked ||
      (of.chunk.rank() == rank && std::find(of.chunk.begin(), of.chunk.end(), 0) == of.chunk.end());
  const bool is_sound = array.boxes.size() == 2 * rank * array.blocks.size() && array.layout <= 2 &&
                        is_known(of.how.codec) && of.type.dims().empty() && has_grid;
  if (!is_sound)
    throw error(errc::damaged, quoted(id) + ": what the store says of its blocks contradicts itself");
  return of;
}

void require_type(std::string_view id, const data_type& stored, const data_type& asked) {
  if (stored == asked) return;
  throw error(errc::wrong_type, quoted(id) + " has elements of type " + stored.text() + ", not " +
                                    asked.text() +
                                    ": load it as what it is, or erase it before storing another");
}

array_info describe(std::string_view id, const stored_array& array) {
  const array_shape of = shape_of(id, array);
  array_info info;
  info.id = id;
  info.type = of.type;
  info.dims = of.dims;
  for (const perdure::string& name : array.dimensions) info.dimensions.emplace_back(name);
  info.layout = of.layout;
  info.chunk = of.chunk;
  info.codec = of.how.codec;
  info.blocks = array.blocks.size();
  for (const stored_block& block : array.blocks) {
    info.stored_bytes += block.stored_bytes;
    if (of.type.is_variable()) info.bytes += block.bytes;
  }
  if (!of.type.is_variable()) info.bytes = bytes_of(of.dims, of.type.size());
  info.is_viewable = array.blocks.size() == 1 && array.blocks[0].codec == 0 &&
                     array.blocks[0].shuffled == 0 && !of.type.is_variable() &&
                     block_box(array, 0).count == of.dims && of.layout != array_layout::chunked;
  if (array.blocks.empty() && of.dims.elements() == 0) info.is_viewable = true;
  return info;
}

}  // namespace perdure::detail
