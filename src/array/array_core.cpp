// Arrays of an open store: what they are made of changes under one lock, their elements without it.
#include "perdure/detail/array_core.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <numeric>
#include <perdure/detail/array_pieces.hpp>
#include <perdure/error.hpp>
#include <shared_mutex>
#include <utility>

#include "array/block_store.hpp"
#include "array/region_copy.hpp"
#include "array/slab_access.hpp"
#include "array/stored_array.hpp"
#include "os/crc32c.hpp"

namespace perdure::detail {

namespace {

constexpr std::size_t longest_id = 4096;
// Below it an array is stored in one step, with the lock held: filling it takes less than taking it twice.
constexpr std::size_t small_bytes = std::size_t{64} << 10;
// Of chunks whose shape is not given, and of what is gathered before it is copied.
constexpr std::size_t usual_chunk_bytes = std::size_t{1} << 20;
constexpr std::size_t gathered_bytes = std::size_t{4} << 20;

std::string quoted(std::string_view id) {
  return "the array \"" + std::string(id) + '"';
}

void require_id(std::string_view id) {
  const bool is_sound = !id.empty() && id.size() <= longest_id && id.front() != '/' && id.back() != '/' &&
                        id.find("//") == std::string_view::npos && id.find('\0') == std::string_view::npos;
  if (!is_sound)
    throw error(errc::invalid_argument,
                '"' + std::string(id.substr(0, 80)) +
                    "\" is no name of an array: take 1 to 4096 bytes, with single slashes "
                    "between names");
}

extents to_extents(const perdure::vector<std::uint64_t>& numbers) {
  return extents(std::span(numbers.data(), numbers.size()));
}

template <class Numbers>
void assign(perdure::vector<std::uint64_t>& to, const Numbers& numbers) {
  to.assign(numbers.begin(), numbers.end());
}

std::array<std::ptrdiff_t, max_rank> row_major_strides(const extents& dims, std::size_t element_size) {
  std::array<std::ptrdiff_t, max_rank> strides{};
  auto stride = static_cast<std::ptrdiff_t>(element_size);
  for (std::size_t i = dims.rank(); i-- > 0;) {
    strides[i] = stride;
    stride *= static_cast<std::ptrdiff_t>(std::max<std::uint64_t>(dims[i], 1));
  }
  return strides;
}

/// Bytes of so many elements. `invalid_argument` where it is no number.
std::size_t bytes_of(const extents& dims, std::size_t element_size) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(dims.elements(), element_size, &bytes) ||
      bytes > static_cast<std::uint64_t>(PTRDIFF_MAX))
    throw error(errc::invalid_argument, "an array of " + dims.text() + " elements of " +
                                            std::to_string(element_size) +
                                            " bytes is larger than memory can be");
  return bytes;
}

struct box {
  extents offset;
  extents count;

  bool empty() const noexcept {
    return std::any_of(count.begin(), count.end(), [](std::uint64_t n) { return n == 0; });
  }
  bool contains(const box& other) const noexcept {
    for (std::size_t i = 0; i < offset.rank(); ++i)
      if (other.offset[i] < offset[i] || other.offset[i] + other.count[i] > offset[i] + count[i])
        return false;
    return true;
  }
  box common_with(const box& other) const {
    box result{offset, count};
    for (std::size_t i = 0; i < offset.rank(); ++i) {
      const std::uint64_t begin = std::max(offset[i], other.offset[i]);
      const std::uint64_t end = std::min(offset[i] + count[i], other.offset[i] + other.count[i]);
      result.offset[i] = begin;
      result.count[i] = end > begin ? end - begin : 0;
    }
    return result;
  }
};

box block_box(const stored_array& array, std::size_t block) {
  const std::size_t rank = array.dims.size();
  const std::uint64_t* const at = array.boxes.data() + block * 2 * rank;
  return {extents(std::span(at, rank)), extents(std::span(at + rank, rank))};
}

}  // namespace

const_elements const_elements::row_major(const void* data, const extents& dims, std::size_t element_size) {
  return {static_cast<const std::byte*>(data), dims, row_major_strides(dims, element_size)};
}
elements elements::row_major(void* data, const extents& dims, std::size_t element_size) {
  return {static_cast<std::byte*>(data), dims, row_major_strides(dims, element_size)};
}

namespace {

class stored_arrays final : public array_core,
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

  manager_core& store() noexcept override { return *store_; }

  void store_whole(std::string_view id, const data_type& type, const const_elements& from,
                   const array_options& options) override;
  void store_from(std::string_view id, const data_type& type, const extents& dims,
                  const element_source& source, const array_options& options) override;
  void store_variable(std::string_view id, const data_type& type, const extents& dims,
                      const variable_elements& from, const array_options& options) override;
  void create(std::string_view id, const data_type& type, const extents& dims,
              const array_options& options) override;
  void write(std::string_view id, const data_type& type, const slab& where,
             const const_elements& from) override;
  void read(std::string_view id, const data_type& type, const slab& where, const elements& to) const override;
  variable_elements read_variable(std::string_view id, const data_type& type) const override;
  std::uint64_t read_held(std::string_view id, const slab& where, const elements& to) const override;
  viewed_array view(std::string_view id, const data_type& type, bool to_write) const override;
  void resize(std::string_view id, const extents& dims) override;
  void append(std::string_view id, const data_type& type, const const_elements& from) override;
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

  shape shape_of(std::string_view id, const stored_array& array) const;
  static void require_type(std::string_view id, const data_type& stored, const data_type& asked);
  std::vector<held_block> blocks_in(std::string_view id, const shape& of, const stored_array& array,
                                    const box& where) const;

  stored_block filled_block(std::size_t bytes, std::size_t element_size, const encoding& how,
                            const std::function<void(std::byte*, std::size_t, std::size_t)>& gather,
                            const std::byte* dense, const std::function<std::size_t()>& next_piece = {});
  stored_block filled_from(const shape& of, const box& part, const const_elements& from);
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
  void write_parts(std::string_view id, const shape& of, const slab& where, const const_elements& from,
                   const extents& before);
  void read_slab(std::string_view id, const shape& of, std::span<const held_block> blocks, const slab& where,
                 const elements& to, std::uint64_t* held) const;
  array_info describe(std::string_view id, const stored_array& array) const;

  manager_core* store_;
  array_catalogue* catalogue_;  // null where there is none
  block_store blocks_;
  mutable std::shared_mutex mutex_;  // of the catalogue
  std::mutex writing_;               // parts of arrays are written by one thread at a time
  std::atomic<bool> is_closed_{false};
};

// ---- what arrays are -------------------------------------------------------------------------------------

extents chunk_for(const extents& dims, std::size_t element_size, const array_options& options) {
  if (options.layout != array_layout::chunked) return {};
  if (!options.chunk.empty()) {
    if (options.chunk.rank() != dims.rank())
      throw error(errc::invalid_argument, "chunks of " + options.chunk.text() +
                                              " have another number of dimensions than "
                                              "the array " +
                                              dims.text());
    for (const std::uint64_t n : options.chunk)
      if (n == 0) throw error(errc::invalid_argument, "chunks of " + options.chunk.text() + " hold nothing");
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

void stored_arrays::init(stored_array& array, const data_type& type, const extents& dims,
                         const array_options& options, const extents& chunk) {
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

stored_arrays::shape stored_arrays::shape_of(std::string_view id, const stored_array& array) const {
  shape of;
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
                        array.codec <= 2 && of.type.dims().empty() && has_grid;
  if (!is_sound)
    throw error(errc::damaged, quoted(id) + ": what the store says of its blocks contradicts itself");
  return of;
}

void stored_arrays::require_type(std::string_view id, const data_type& stored, const data_type& asked) {
  if (stored == asked) return;
  throw error(errc::wrong_type, quoted(id) + " has elements of type " + stored.text() + ", not " +
                                    asked.text() +
                                    ": load it as what it is, or erase it before storing another");
}

array_info stored_arrays::describe(std::string_view id, const stored_array& array) const {
  const shape of = shape_of(id, array);
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

std::optional<array_info> stored_arrays::find(std::string_view id) const {
  require_open();
  const std::shared_lock lock(mutex_);
  const stored_array* const array = look_up(id);
  return array == nullptr ? std::nullopt : std::optional(describe(id, *array));
}

array_info stored_arrays::info(std::string_view id) const {
  require_open();
  const std::shared_lock lock(mutex_);
  return describe(id, require(id));
}

std::vector<slab> stored_arrays::parts(std::string_view id) const {
  require_open();
  const std::shared_lock lock(mutex_);
  const stored_array& array = require(id);
  shape_of(id, array);
  std::vector<slab> all;
  for (std::size_t i = 0; i < array.blocks.size(); ++i) {
    const box one = block_box(array, i);
    all.push_back({one.offset, one.count, {}});
  }
  return all;
}

std::vector<std::string> stored_arrays::list(std::string_view prefix) const {
  require_open();
  std::vector<std::string> ids;
  {
    const std::shared_lock lock(mutex_);
    if (catalogue_ == nullptr) return ids;
    for (const auto& [id, array] : catalogue_->arrays) {
      const std::string_view name = id;
      const bool is_below = prefix.empty() || (name.starts_with(prefix) &&
                                               (name.size() == prefix.size() || name[prefix.size()] == '/'));
      if (is_below) ids.emplace_back(name);
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::size_t stored_arrays::count() const {
  require_open();
  const std::shared_lock lock(mutex_);
  return catalogue_ == nullptr ? 0 : catalogue_->arrays.size();
}

// ---- blocks ----------------------------------------------------------------------------------------------

// `gather(to, first, bytes)` gives some of the bytes, one piece after the other, each of `next_piece()` bytes
// if that is given; `dense` all of them where they lie beside each other.
stored_block stored_arrays::filled_block(
    std::size_t bytes, std::size_t element_size, const encoding& how,
    const std::function<void(std::byte*, std::size_t, std::size_t)>& gather, const std::byte* dense,
    const std::function<std::size_t()>& next_piece) {
  stored_block made;
  made.bytes = bytes;
  std::vector<std::byte> gathered;
  std::span<const std::byte> content{dense, bytes};
  if (how.codec != compression::none) {
    if (dense == nullptr) {
      gathered.resize(bytes);
      gather(gathered.data(), 0, bytes);
      content = gathered;
    }
    gathered = encode(content, element_size, how);
    // What does not become smaller is stored as it is.
    if (gathered.size() < bytes || dense == nullptr) {
      content = gathered;
      made.codec = static_cast<std::uint8_t>(how.codec);
      made.shuffled = how.shuffle && element_size > 1 ? 1 : 0;
    }
  }
  made.stored_bytes = content.data() != nullptr ? content.size() : bytes;
  {
    const std::unique_lock lock(mutex_);
    const write_guard guard(store_->memory());
    blocks_.collect();
    made.data = blocks_.allocate(made.stored_bytes);
  }
  std::byte* const data = std::to_address(made.data);
  try {
    if (content.data() != nullptr) {
      made.checksum = os::crc32c(0, content.data(), content.size());
      blocks_.fill(data, content);
    } else {
      std::vector<std::byte> piece(std::min(bytes, gathered_bytes));
      for (std::size_t done = 0; done < bytes;) {
        const std::size_t now = next_piece ? next_piece() : std::min(piece.size(), bytes - done);
        if (now > piece.size()) piece.resize(now);
        gather(piece.data(), done, now);
        made.checksum = os::crc32c(made.checksum, piece.data(), now);
        blocks_.fill(data + done, {piece.data(), now});
        done += now;
      }
    }
  } catch (...) {
    const std::unique_lock lock(mutex_);
    const write_guard guard(store_->memory());
    blocks_.give_up(data);
    throw;
  }
  return made;
}

/// A block of the elements `from`, all of them.
stored_block stored_arrays::filled_from(const shape& of, const box& part, const const_elements& from) {
  const std::size_t element = of.type.size();
  const std::size_t bytes = bytes_of(part.count, element);
  if (is_dense(from.dims, from.strides, element)) return filled_block(bytes, element, of.how, {}, from.data);
  // Whole rows of the outermost dimension at a time.
  const std::size_t row = from.dims.rank() == 0 || from.dims[0] == 0 ? bytes : bytes / from.dims[0];
  const bool is_row_small = row != 0 && row <= gathered_bytes;
  const auto strides = row_major_strides(from.dims, element);
  const auto gather = [&](std::byte* to, std::size_t first, std::size_t count) {
    extents some = from.dims;
    const std::byte* begin = from.data;
    if (is_row_small && first % row == 0 && count % row == 0) {
      begin += static_cast<std::ptrdiff_t>(first / row) * from.strides[0];
      some[0] = count / row;
      copy_region(some, element, to, strides, begin, from.strides);
      return;
    }
    copy_region(some, element, to, strides, begin, from.strides);
  };
  if (is_row_small && bytes > gathered_bytes && of.how.codec == compression::none) {
    // Pieces are whole rows.
    const std::size_t rows = gathered_bytes / row;
    if (rows * row == gathered_bytes) return filled_block(bytes, element, of.how, gather, nullptr);
  }
  std::vector<std::byte> all(bytes);
  copy_region(from.dims, element, all.data(), strides, from.data, from.strides);
  return filled_block(bytes, element, of.how, {}, all.data());
}

void stored_arrays::give_up(std::span<const new_block> made) noexcept {
  for (const new_block& one : made) blocks_.give_up(std::to_address(one.block.data));
}

/// Of a chunk: its place in the grid, row-major.
std::uint64_t chunk_number(const extents& dims, const extents& chunk, const extents& offset) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < dims.rank(); ++i)
    number = number * ((dims[i] + chunk[i] - 1) / chunk[i]) + offset[i] / chunk[i];
  return number;
}

// Of the next two `block_store::reserve` has been called for.
void stored_arrays::drop_block(stored_array& array, std::size_t block) noexcept {
  blocks_.retire(array.blocks[block]);
  const std::size_t rank = array.dims.size();
  array.blocks.erase(array.blocks.begin() + static_cast<std::ptrdiff_t>(block));
  const auto at = array.boxes.begin() + static_cast<std::ptrdiff_t>(block * 2 * rank);
  array.boxes.erase(at, at + static_cast<std::ptrdiff_t>(2 * rank));
}

void stored_arrays::drop_all_blocks(stored_array& array) noexcept {
  for (const stored_block& block : array.blocks) blocks_.retire(block);
  array.blocks.clear();
  array.boxes.clear();
  array.chunks.clear();
}

/// Room for so many more, as `push_back` would make it.
template <class T>
void make_room(perdure::vector<T>& of, std::size_t more) {
  if (of.capacity() - of.size() < more) of.reserve(std::max(of.size() + more, 2 * of.capacity()));
}

/// With the lock held, inside a guard. All of them, or none if there is no memory.
void stored_arrays::link_blocks(stored_array& array, std::span<const new_block> made) {
  const std::size_t rank = array.dims.size();
  const bool is_chunked = static_cast<array_layout>(array.layout) == array_layout::chunked;
  blocks_.reserve(is_chunked ? made.size() : array.blocks.size() + made.size());
  make_room(array.boxes, 2 * rank * made.size());
  make_room(array.blocks, made.size());
  if (is_chunked) array.chunks.reserve(array.chunks.size() + made.size());
  const extents dims = to_extents(array.dims);
  const extents chunk = to_extents(array.chunk);
  for (const new_block& one : made) {
    if (!is_chunked) break;
    const auto known = array.chunks.find(chunk_number(dims, chunk, one.where.offset));
    if (known != array.chunks.end() && known->second >= array.blocks.size())
      throw error(errc::damaged, "an array's grid names a block that it does not have");
  }
  // From here on nothing fails.
  for (const new_block& one : made) {
    if (is_chunked) {
      const std::uint64_t number = chunk_number(dims, chunk, one.where.offset);
      const auto [entry, is_new] =
          array.chunks.try_emplace(number, static_cast<std::uint32_t>(array.blocks.size()));
      if (!is_new) {
        const std::size_t block = entry->second;
        blocks_.retire(array.blocks[block]);
        array.blocks[block] = one.block;
        // A chunk at the edge becomes larger when the array has grown.
        std::copy(one.where.count.begin(), one.where.count.end(),
                  array.boxes.begin() + static_cast<std::ptrdiff_t>((2 * block + 1) * rank));
        blocks_.link(std::to_address(one.block.data));
        continue;
      }
    } else {
      for (std::size_t i = array.blocks.size(); i-- > 0;) {
        const box other = block_box(array, i);
        if (one.where.contains(other)) {
          drop_block(array, i);
        } else if (!one.where.common_with(other).empty()) {
          array.may_overlap = 1;
        }
      }
    }
    array.blocks.push_back(one.block);
    array.boxes.insert(array.boxes.end(), one.where.offset.begin(), one.where.offset.end());
    array.boxes.insert(array.boxes.end(), one.where.count.begin(), one.where.count.end());
    blocks_.link(std::to_address(one.block.data));
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

/// The blocks in the place of those of the array of that id, or as a new one. If it fails all is as before.
/// With the lock held, inside a guard.
void stored_arrays::replace(std::string_view id, const data_type& type, const extents& dims,
                            const array_options& options, const extents& chunk,
                            std::span<const new_block> made) {
  const bool is_new = look_up(id) == nullptr;
  // No array has the empty name.
  const auto entry = catalogue_->arrays.try_emplace(perdure::string(is_new ? id : "")).first;
  stored_array& array = entry->second;
  try {
    init(array, type, dims, options, chunk);
    link_blocks(array, made);
    if (is_new) return;
    blocks_.reserve(look_up(id)->blocks.size());
  } catch (...) {
    catalogue_->arrays.erase(entry);
    throw;
  }
  look_up(id)->exchange_all_but_attributes(array);
  drop_all_blocks(array);
  catalogue_->arrays.erase(entry);
}

// ---- storing ---------------------------------------------------------------------------------------------

void stored_arrays::store_whole(std::string_view id, const data_type& type, const const_elements& from,
                                const array_options& options) {
  require_writable();
  require_id(id);
  require_options(type, from.dims, options);
  const std::size_t bytes = bytes_of(from.dims, type.size());
  const extents chunk = chunk_for(from.dims, type.size(), options);
  const shape of{type,  from.dims, options.layout, {options.codec, options.level, options.shuffle},
                 chunk, false};
  const std::scoped_lock writing(writing_);
  const auto require_same_type = [&] {
    if (const stored_array* const before = look_up(id)) require_type(id, shape_of(id, *before).type, type);
  };
  const bool is_one_block = options.layout != array_layout::chunked;
  const box all{extents::all(from.dims.rank(), 0), from.dims};
  if (is_one_block && bytes <= small_bytes && options.codec == compression::none) {
    const std::unique_lock lock(mutex_);
    require_same_type();
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
  {
    const std::shared_lock lock(mutex_);
    require_same_type();
  }
  std::vector<new_block> made;
  if (bytes != 0 && is_one_block) {
    made.push_back({all, {}});
    made.back().block = filled_from(of, all, from);
    made.back().block.unchecked = options.layout == array_layout::contiguous ? 1 : 0;
  } else if (bytes != 0) {
    make_blocks(from.dims, chunk, all, made, [&](const box& one, stored_block& block) {
      const_elements given{from.data, one.count, from.strides};
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
  const std::scoped_lock writing(writing_);
  {
    const std::shared_lock lock(mutex_);
    if (const stored_array* const before = look_up(id)) require_type(id, shape_of(id, *before).type, type);
  }
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
  const std::scoped_lock writing(writing_);
  {
    const std::shared_lock lock(mutex_);
    if (const stored_array* const before = look_up(id)) require_type(id, shape_of(id, *before).type, type);
  }
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
  const std::scoped_lock writing(writing_);
  const std::unique_lock lock(mutex_);
  if (look_up(id) != nullptr)
    throw error(errc::already_exists, quoted(id) + " exists: erase it first, or store over it");
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

void stored_arrays::write(std::string_view id, const data_type& type, const slab& where,
                          const const_elements& from) {
  require_writable();
  const std::scoped_lock writing(writing_);
  shape of;
  {
    const std::shared_lock lock(mutex_);
    of = shape_of(id, require(id));
  }
  require_type(id, of.type, type);
  if (type.is_variable())
    throw error(errc::invalid_argument, quoted(id) + " has elements of any length, and is stored as a whole");
  require_slab(id, of.dims, where, from.dims);
  if (where.count.elements() == 0) return;
  write_parts(id, of, where, from, of.dims);
}

/// The smallest box with all of a slab.
box around(const slab& where) {
  box result{where.offset, where.count};
  if (where.stride.empty()) return result;
  for (std::size_t i = 0; i < where.count.rank(); ++i)
    result.count[i] = where.count[i] == 0 ? 0 : (where.count[i] - 1) * where.stride[i] + 1;
  return result;
}

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

// `writing_` is held. The array has the dimensions `before`, and those of `of` once the part is written.
void stored_arrays::write_parts(std::string_view id, const shape& of, const slab& where,
                                const const_elements& from, const extents& before) {
  const std::size_t element = of.type.size();
  const std::size_t rank = of.dims.rank();
  const auto from_strides = strides_for(where.count, from);
  const box part = around(where);
  if (of.layout == array_layout::contiguous) {
    stored_block block;
    {
      const std::shared_lock lock(mutex_);
      const std::vector<held_block> held = blocks_in(id, of, require(id), {extents::all(rank, 0), of.dims});
      const bool is_sound = held.size() == 1 && held[0].where.count == of.dims && held[0].block.codec == 0 &&
                            held[0].block.stored_bytes == held[0].block.bytes;
      if (!is_sound)
        throw error(errc::damaged, quoted(id) + ": it is contiguous, and its block is another's");
      block = held[0].block;
    }
    std::byte* const data = const_cast<std::byte*>(blocks_.bytes_of(block, quoted(id)).data());
    const auto strides = row_major_strides(of.dims, element);
    auto to_strides = strides;
    std::byte* to = data;
    for (std::size_t i = 0; i < rank; ++i) {
      to += static_cast<std::ptrdiff_t>(where.offset[i]) * strides[i];
      to_strides[i] = strides[i] * static_cast<std::ptrdiff_t>(where.stride.empty() ? 1 : where.stride[i]);
    }
    const std::size_t bytes = bytes_of(where.count, element);
    const bool is_whole = where.count == of.dims && is_dense(where.count, from_strides, element);
    if (is_whole) return blocks_.fill(data, {from.data, bytes});
    const write_guard guard(store_->memory());
    copy_region(where.count, element, to, to_strides, from.data, from_strides);
    return;
  }
  const bool strided = is_strided(where);
  std::vector<new_block> made;
  make_blocks(
      of.dims, of.layout == array_layout::chunked ? of.chunk : extents(), part, made,
      [&](const box& one, stored_block& block) {
        const box common = part.common_with(one);
        if (!strided && part.contains(one)) {
          // All of it is given.
          const_elements given{from.data, one.count, from_strides};
          for (std::size_t i = 0; i < rank; ++i)
            given.data += static_cast<std::ptrdiff_t>(one.offset[i] - part.offset[i]) * from_strides[i];
          block = filled_from(of, one, given);
          return true;
        }
        // What it held before, and what is given over it.
        std::vector<std::byte> bytes(bytes_of(one.count, element));
        const elements whole = elements::row_major(bytes.data(), one.count, element);
        std::vector<held_block> held;
        {
          const std::shared_lock lock(mutex_);
          held = blocks_in(id, of, require(id), one);
        }
        read_slab(id, of, held, {one.offset, one.count, {}}, whole, nullptr);
        extents count = extents::all(rank, 0);
        std::byte* to = bytes.data();
        const std::byte* source = from.data;
        auto to_strides = whole.strides;
        bool is_none = false;
        for (std::size_t i = 0; i < rank; ++i) {
          const std::uint64_t stride = where.stride.empty() ? 1 : where.stride[i];
          // The first and the end of the slab's elements that are in the block.
          const std::uint64_t begin = common.offset[i] <= where.offset[i]
                                          ? 0
                                          : (common.offset[i] - where.offset[i] + stride - 1) / stride;
          const std::uint64_t end = std::min<std::uint64_t>(
              where.count[i], (common.offset[i] + common.count[i] - where.offset[i] + stride - 1) / stride);
          is_none = is_none || end <= begin;
          count[i] = end > begin ? end - begin : 0;
          to += static_cast<std::ptrdiff_t>(where.offset[i] + begin * stride - one.offset[i]) *
                whole.strides[i];
          source += static_cast<std::ptrdiff_t>(begin) * from_strides[i];
          to_strides[i] = whole.strides[i] * static_cast<std::ptrdiff_t>(stride);
        }
        if (is_none) return false;
        copy_region(count, element, to, to_strides, source, from_strides);
        block = filled_block(bytes.size(), element, of.how, {}, bytes.data());
        return true;
      });
  link_or_give_up(made, [&] {
    stored_array& array = require(id);
    assign(array.dims, of.dims);
    try {
      link_blocks(array, made);
    } catch (...) {
      assign(array.dims, before);
      throw;
    }
  });
}

void stored_arrays::append(std::string_view id, const data_type& type, const const_elements& from) {
  require_writable();
  shape of;
  const std::scoped_lock writing(writing_);
  {
    const std::shared_lock lock(mutex_);
    of = shape_of(id, require(id));
  }
  require_type(id, of.type, type);
  if (of.dims.empty())
    throw error(errc::invalid_argument, quoted(id) + " is a single element: nothing can be appended");
  // One step less than the array has dimensions is one step.
  const_elements steps = from;
  if (from.dims.rank() + 1 == of.dims.rank()) {
    steps.dims = extents{1};
    for (const std::uint64_t n : from.dims) steps.dims.push_back(n);
    std::copy_n(from.strides.begin(), from.dims.rank(), steps.strides.begin() + 1);
    steps.strides[0] = 0;
  }
  extents dims = of.dims;
  bool fits = steps.dims.rank() == dims.rank();
  for (std::size_t i = 1; fits && i < dims.rank(); ++i) fits = steps.dims[i] == dims[i];
  if (!fits)
    throw error(errc::invalid_argument, "elements of shape " + from.dims.text() + " cannot be appended to " +
                                            quoted(id) + " of shape " + of.dims.text());
  slab where{extents::all(dims.rank(), 0), steps.dims, {}};
  where.offset[0] = dims[0];
  if (__builtin_add_overflow(dims[0], steps.dims[0], &dims[0]))
    throw error(errc::invalid_argument, quoted(id) + " would be longer than it can be");
  bytes_of(dims, type.size());
  if (of.layout == array_layout::contiguous)
    throw error(errc::unsupported,
                quoted(id) + " is contiguous and cannot grow: store it in blocks or chunks");
  // The grid's numbers count the outermost dimension last, so that chunks keep theirs.
  const extents before = of.dims;
  of.dims = dims;
  if (steps.dims.elements() != 0) return write_parts(id, of, where, steps, before);
  const std::unique_lock lock(mutex_);
  const write_guard guard(store_->memory());
  assign(require(id).dims, dims);
}

void stored_arrays::resize(std::string_view id, const extents& dims) {
  require_writable();
  const std::scoped_lock writing(writing_);
  shape of;
  {
    const std::shared_lock lock(mutex_);
    of = shape_of(id, require(id));
  }
  if (dims.rank() != of.dims.rank())
    throw error(errc::invalid_argument, quoted(id) + " has " + std::to_string(of.dims.rank()) +
                                            " dimensions, and cannot be made one of " + dims.text());
  bytes_of(dims, of.type.size());
  if (dims == of.dims) return;
  if (of.type.is_variable() || of.layout == array_layout::contiguous)
    throw error(
        errc::unsupported,
        quoted(id) + " cannot be resized: only arrays in blocks or chunks can, of elements of one length");
  // Blocks that are cut are made anew, lest their rest come back when the array grows again.
  const box inside{extents::all(dims.rank(), 0), dims};
  std::vector<new_block> made;
  const std::size_t element = of.type.size();
  std::vector<held_block> held;
  {
    const std::shared_lock lock(mutex_);
    held = blocks_in(id, of, require(id), {extents::all(dims.rank(), 0), of.dims});
  }
  try {
    for (const held_block& one : held) {
      const box rest = one.where.common_with(inside);
      if (rest.empty() || rest.count == one.where.count) continue;
      std::vector<std::byte> bytes(bytes_of(rest.count, element));
      read_slab(id, of, std::span(&one, 1), {rest.offset, rest.count, {}},
                elements::row_major(bytes.data(), rest.count, element), nullptr);
      made.reserve(held.size());
      made.push_back({rest, filled_block(bytes.size(), element, of.how, {}, bytes.data())});
    }
  } catch (...) {
    const std::unique_lock lock(mutex_);
    const write_guard guard(store_->memory());
    give_up(made);
    throw;
  }
  link_or_give_up(made, [&] {
    stored_array& array = require(id);
    blocks_.reserve(array.blocks.size());
    // From here on nothing fails: there are no more blocks than before, nor numbers in the grid.
    std::size_t next = 0;
    for (std::size_t i = 0; i < array.blocks.size();) {
      const box before = block_box(array, i);
      const box rest = before.common_with(inside);
      if (rest.empty()) {
        drop_block(array, i);
        continue;
      }
      if (!(rest.count == before.count)) {
        blocks_.retire(array.blocks[i]);
        array.blocks[i] = made[next].block;
        blocks_.link(std::to_address(made[next].block.data));
        const std::size_t rank = array.dims.size();
        std::copy(rest.count.begin(), rest.count.end(),
                  array.boxes.begin() + static_cast<std::ptrdiff_t>((2 * i + 1) * rank));
        ++next;
      }
      ++i;
    }
    assign(array.dims, dims);
    if (of.layout != array_layout::chunked) return;
    array.chunks.clear();
    for (std::size_t i = 0; i < array.blocks.size(); ++i)
      array.chunks.try_emplace(chunk_number(dims, of.chunk, block_box(array, i).offset),
                               static_cast<std::uint32_t>(i));
  });
}

bool stored_arrays::erase(std::string_view id) {
  require_writable();
  const std::scoped_lock writing(writing_);
  const std::unique_lock lock(mutex_);
  const auto found = catalogue_->arrays.find(id);
  if (found == catalogue_->arrays.end()) return false;
  const write_guard guard(store_->memory());
  blocks_.reserve(found->second.blocks.size());
  drop_all_blocks(found->second);
  catalogue_->arrays.erase(found);
  blocks_.collect();
  return true;
}

// ---- loading ---------------------------------------------------------------------------------------------

std::vector<stored_arrays::held_block> stored_arrays::blocks_in(std::string_view id, const shape& of,
                                                                const stored_array& array,
                                                                const box& where) const {
  std::vector<held_block> held;
  const auto take = [&](std::size_t i) {
    box one = block_box(array, i);
    // A damaged box must not lead out of the block.
    for (std::size_t d = 0; d < of.dims.rank(); ++d)
      if (one.offset[d] > of.dims[d] || one.count[d] > of.dims[d] - one.offset[d])
        throw error(errc::damaged, quoted(id) + ": a block of it is not inside the array");
    if (!of.type.is_variable() && bytes_of(one.count, of.type.size()) != array.blocks[i].bytes)
      throw error(errc::damaged, quoted(id) + ": a block of it has another size than its part");
    if (!one.common_with(where).empty() || of.dims.rank() == 0) held.push_back({one, array.blocks[i]});
  };
  if (of.layout == array_layout::chunked && array.blocks.size() > 64) {
    // Of many chunks only those in the part are looked at.
    std::uint64_t wanted = 1;
    extents first = extents::all(of.dims.rank(), 0);
    extents last = first;
    for (std::size_t i = 0; i < of.dims.rank(); ++i) {
      if (where.count[i] == 0) return held;
      first[i] = where.offset[i] / of.chunk[i];
      last[i] = (where.offset[i] + where.count[i] - 1) / of.chunk[i];
      wanted *= last[i] - first[i] + 1;
    }
    if (wanted < array.blocks.size()) {
      for (extents at = first;;) {
        extents offset = at;
        for (std::size_t i = 0; i < of.dims.rank(); ++i) offset[i] = at[i] * of.chunk[i];
        const auto found = array.chunks.find(chunk_number(of.dims, of.chunk, offset));
        if (found != array.chunks.end()) {
          if (found->second >= array.blocks.size())
            throw error(errc::damaged, quoted(id) + ": its grid names a block that it does not have");
          take(found->second);
        }
        std::size_t i = of.dims.rank();
        while (i-- > 0) {
          if (++at[i] <= last[i]) break;
          at[i] = first[i];
        }
        if (i == static_cast<std::size_t>(-1)) return held;
      }
    }
  }
  for (std::size_t i = 0; i < array.blocks.size(); ++i) take(i);
  return held;
}

void stored_arrays::read_slab(std::string_view id, const shape& of, std::span<const held_block> blocks,
                              const slab& where, const elements& to, std::uint64_t* held) const {
  const std::size_t element = of.type.size();
  const std::size_t rank = of.dims.rank();
  const auto to_strides = strides_for(where.count, to);
  const box part = around(where);
  const bool strided = is_strided(where);
  const std::uint64_t wanted = where.count.elements();
  if (wanted == 0) return;
  std::uint64_t covered = 0;
  for (const held_block& one : blocks) covered += one.where.common_with(part).count.elements();
  // What no block holds is zero. Where blocks do not overlap their elements can be counted.
  const bool is_whole = !of.may_overlap && covered == part.count.elements();
  if (held == nullptr && !is_whole) fill_region(where.count, element, to.data, to_strides, std::byte{0});
  std::vector<std::byte> decoded;
  for (const held_block& one : blocks) {
    const box common = one.where.common_with(part);
    const bool is_plain = one.block.codec == 0 && one.block.shuffled == 0;
    const std::size_t bytes = bytes_of(one.where.count, element);
    // Straight into its place, where it is all of one block and lies in one piece.
    if (!strided && common.count == one.where.count && is_dense(common.count, to_strides, element)) {
      std::byte* into = to.data;
      for (std::size_t i = 0; i < rank; ++i)
        into += static_cast<std::ptrdiff_t>(common.offset[i] - where.offset[i]) * to_strides[i];
      blocks_.read(one.block, {into, bytes}, element, quoted(id));
      if (held != nullptr) *held += common.count.elements();
      continue;
    }
    const std::byte* from = nullptr;
    if (is_plain) {
      const std::span<const std::byte> all = blocks_.bytes_of(one.block, quoted(id));
      if (all.size() != bytes)
        throw error(errc::damaged, quoted(id) + ": a block of it has another size than its part");
      store_->store().require_sound(all.data(), all.size());
      from = all.data();
    } else {
      decoded.resize(bytes);
      blocks_.read(one.block, decoded, element, quoted(id));
      from = decoded.data();
    }
    const auto block_strides = row_major_strides(one.where.count, element);
    auto from_strides = block_strides;
    extents count = extents::all(rank, 0);
    std::byte* into = to.data;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::uint64_t stride = where.stride.empty() ? 1 : where.stride[i];
      const std::uint64_t begin = common.offset[i] <= where.offset[i]
                                      ? 0
                                      : (common.offset[i] - where.offset[i] + stride - 1) / stride;
      const std::uint64_t end = std::min<std::uint64_t>(
          where.count[i], (common.offset[i] + common.count[i] - where.offset[i] + stride - 1) / stride);
      count[i] = end > begin ? end - begin : 0;
      if (count[i] == 0) break;
      from += static_cast<std::ptrdiff_t>(where.offset[i] + begin * stride - one.where.offset[i]) *
              block_strides[i];
      into += static_cast<std::ptrdiff_t>(begin) * to_strides[i];
      from_strides[i] = block_strides[i] * static_cast<std::ptrdiff_t>(stride);
    }
    if (count.elements() == 0) continue;
    copy_region(count, element, into, to_strides, from, from_strides);
    if (held != nullptr) *held += count.elements();
  }
}

void stored_arrays::read(std::string_view id, const data_type& type, const slab& where,
                         const elements& to) const {
  require_open();
  shape of;
  std::vector<held_block> held;
  std::shared_ptr<void> hold;
  {
    const std::shared_lock lock(mutex_);
    const stored_array& array = require(id);
    of = shape_of(id, array);
    require_type(id, of.type, type);
    if (type.is_variable())
      throw error(errc::invalid_argument,
                  quoted(id) + " has elements of any length, and is loaded as a whole");
    require_slab(id, of.dims, where, to.dims);
    held = blocks_in(id, of, array, around(where));
    hold = blocks_.hold();
  }
  read_slab(id, of, held, where, to, nullptr);
}

std::uint64_t stored_arrays::read_held(std::string_view id, const slab& where, const elements& to) const {
  require_open();
  shape of;
  std::vector<held_block> held;
  std::shared_ptr<void> hold;
  {
    const std::shared_lock lock(mutex_);
    const stored_array* const array = look_up(id);
    if (array == nullptr) return 0;
    of = shape_of(id, *array);
    held = blocks_in(id, of, *array, around(where));
    hold = blocks_.hold();
  }
  std::uint64_t elements_held = 0;
  read_slab(id, of, held, where, to, &elements_held);
  return elements_held;
}

variable_elements stored_arrays::read_variable(std::string_view id, const data_type& type) const {
  require_open();
  stored_block block;
  std::uint64_t count = 0;
  std::shared_ptr<void> hold;
  {
    const std::shared_lock lock(mutex_);
    const stored_array& array = require(id);
    const shape of = shape_of(id, array);
    require_type(id, of.type, type);
    count = of.dims.elements();
    if (array.blocks.size() > 1)
      throw error(errc::damaged, quoted(id) + ": it has more blocks than it can have");
    if (!array.blocks.empty()) block = array.blocks[0];
    hold = blocks_.hold();
  }
  variable_elements all;
  if (count == 0) return all;
  const std::size_t least = count > block.bytes / sizeof(std::uint64_t) ? 0 : count * sizeof(std::uint64_t);
  const bool is_plain = block.codec == 0;
  if (least == 0 || block.bytes > (is_plain ? block.stored_bytes : std::size_t{1} << 46))
    throw error(errc::damaged, quoted(id) + ": its elements are cut short");
  std::vector<std::byte> bytes(block.bytes);
  blocks_.read(block, bytes, 1, quoted(id));
  all.ends.resize(count);
  std::memcpy(all.ends.data(), bytes.data(), least);
  all.bytes.assign(reinterpret_cast<const char*>(bytes.data()) + least, bytes.size() - least);
  std::uint64_t before = 0;
  for (const std::uint64_t end : all.ends) {
    if (end < before || end > all.bytes.size())
      throw error(errc::damaged, quoted(id) + ": an element of it ends before it begins, or outside");
    before = end;
  }
  return all;
}

viewed_array stored_arrays::view(std::string_view id, const data_type& type, bool to_write) const {
  require_open();
  if (to_write) require_writable();
  viewed_array result;
  {
    const std::shared_lock lock(mutex_);
    const stored_array& array = require(id);
    result.info = describe(id, array);
    require_type(id, result.info.type, type);
    if (!result.info.is_viewable)
      throw error(errc::unsupported, quoted(id) + " does not lie in one piece (" +
                                         std::to_string(result.info.blocks) + " blocks, compression " +
                                         std::string(to_string(result.info.codec)) +
                                         "): load it, or store it with array_layout::contiguous");
    if (to_write && result.info.layout != array_layout::contiguous)
      throw error(errc::unsupported, quoted(id) +
                                         " is not stored to be written in place: store it with "
                                         "array_layout::contiguous, or view it to read");
    if (!array.blocks.empty()) {
      const std::span<const std::byte> bytes = blocks_.bytes_of(array.blocks[0], quoted(id));
      if (bytes.size() < result.info.bytes)
        throw error(errc::damaged, quoted(id) + ": its block is cut short");
      result.data = const_cast<std::byte*>(bytes.data());
    }
    struct both {
      std::shared_ptr<const stored_arrays> arrays;
      std::shared_ptr<void> hold;
    };
    auto held = std::make_shared<both>();
    held->arrays = shared_from_this();
    held->hold = blocks_.hold();
    result.hold = array_hold(std::shared_ptr<void>(held, held.get()));
  }
  if (result.data != nullptr) store_->store().require_sound(result.data, result.info.bytes);
  return result;
}

void stored_arrays::prefetch(std::string_view id) const {
  require_open();
  std::vector<stored_block> all;
  std::shared_ptr<void> hold;
  {
    const std::shared_lock lock(mutex_);
    const stored_array& array = require(id);
    all.assign(array.blocks.begin(), array.blocks.end());
    hold = blocks_.hold();
  }
  for (const stored_block& block : all) {
    const std::span<const std::byte> bytes = blocks_.bytes_of(block, quoted(id));
    store_->store().prefetch(bytes.data(), bytes.size());
  }
}

std::vector<std::string> stored_arrays::check(std::string_view id) const {
  require_open();
  std::vector<held_block> all;
  std::shared_ptr<void> hold;
  std::vector<std::string> wrong;
  try {
    const std::shared_lock lock(mutex_);
    const stored_array& array = require(id);
    const shape of = shape_of(id, array);
    all = blocks_in(id, of, array, {extents::all(of.dims.rank(), 0), of.dims});
    hold = blocks_.hold();
  } catch (const error& failure) {
    if (failure.code() != errc::damaged) throw;
    return {failure.what()};
  }
  std::vector<std::byte> piece(gathered_bytes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const stored_block& block = all[i].block;
    if (block.unchecked != 0) continue;
    try {
      std::span<const std::byte> bytes = blocks_.bytes_of(block, quoted(id));
      std::uint32_t checksum = 0;
      while (!bytes.empty()) {
        const std::size_t now = std::min(piece.size(), bytes.size());
        store_->store().copy_out({piece.data(), now}, bytes.data());
        checksum = os::crc32c(checksum, piece.data(), now);
        bytes = bytes.subspan(now);
      }
      if (checksum != block.checksum)
        wrong.push_back(quoted(id) + ": the block at " + all[i].where.offset.text() +
                        " contradicts its checksum");
    } catch (const error& failure) {
      if (failure.code() != errc::damaged) throw;
      wrong.emplace_back(failure.what());
    }
  }
  return wrong;
}

// ---- attributes ------------------------------------------------------------------------------------------

void stored_arrays::set_attribute(std::string_view id, std::string_view key, const data_type& type,
                                  const extents& dims, std::span<const std::byte> value) {
  require_writable();
  if (key.empty() || key.size() > longest_id)
    throw error(errc::invalid_argument, "an attribute's name has 1 to 4096 bytes");
  if (!type.is_variable() && value.size() != bytes_of(dims, type.size()))
    throw error(errc::invalid_argument, "the attribute \"" + std::string(key) + "\" has " +
                                            std::to_string(value.size()) + " bytes, which are no " +
                                            dims.text() + " elements of " + type.text());
  const std::unique_lock lock(mutex_);
  stored_array& array = require(id);
  const write_guard guard(store_->memory());
  const bool is_new = array.attributes.find(key) == array.attributes.end();
  // No attribute has the empty name. If there is no memory for the value all is as before.
  const auto entry = array.attributes.try_emplace(perdure::string(is_new ? key : "")).first;
  try {
    entry->second.type = type.text();
    assign(entry->second.dims, dims);
    entry->second.bytes.assign(reinterpret_cast<const char*>(value.data()), value.size());
  } catch (...) {
    array.attributes.erase(entry);
    throw;
  }
  if (is_new) return;
  array.attributes.find(key)->second.exchange(entry->second);
  array.attributes.erase(entry);
}

std::optional<array_core::attribute_value> stored_arrays::attribute(std::string_view id,
                                                                    std::string_view key) const {
  require_open();
  const std::shared_lock lock(mutex_);
  const stored_array& array = require(id);
  const auto found = array.attributes.find(key);
  if (found == array.attributes.end()) return std::nullopt;
  const stored_attribute& stored = found->second;
  try {
    attribute_value value{data_type::parse(stored.type), to_extents(stored.dims), std::string(stored.bytes)};
    if (!value.type.is_variable() && value.bytes.size() != bytes_of(value.dims, value.type.size()))
      throw error(errc::damaged, "its bytes are not those of its type");
    return value;
  } catch (const error& failure) {
    throw error(errc::damaged,
                quoted(id) + ": the attribute \"" + std::string(key) + "\": " + failure.what());
  }
}

std::vector<std::string> stored_arrays::attributes(std::string_view id) const {
  require_open();
  std::vector<std::string> keys;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [key, value] : require(id).attributes) keys.emplace_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

bool stored_arrays::remove_attribute(std::string_view id, std::string_view key) {
  require_writable();
  const std::unique_lock lock(mutex_);
  stored_array& array = require(id);
  const write_guard guard(store_->memory());
  return array.attributes.erase(key) != 0;
}

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
