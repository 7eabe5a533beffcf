// Arrays of a store whose element types are known at run time only: for readers and writers of files,
// bindings to other languages, and programs that list and convert what they find.
//
//     perdure::array_store fields(perdure::open_read_only, "run.store");
//     perdure::untyped_arrays& arrays = *fields.untyped();
//     const perdure::array_info info = arrays.info("temperature");
//     std::vector<std::byte> bytes(info.bytes);
//     arrays.read("temperature", info.type, perdure::slab::whole(info.dims),
//                 perdure::untyped_view::row_major(bytes.data(), info.dims, info.type.size()));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <perdure/array/array_info.hpp>
#include <perdure/array/attribute_value.hpp>
#include <perdure/array/extents.hpp>
#include <perdure/array/pending_store.hpp>
#include <perdure/data_type.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure {

namespace detail {
class manager_core;
}

/// Elements in a program's memory, to be read only. A `data_type` beside it says what one element is. Like
/// `array_view`, it owns nothing and copying it copies no elements.
struct const_untyped_view {
  const std::byte* data = nullptr;                 ///< address of the first element
  extents dims;                                    ///< number of elements along each dimension
  std::array<std::ptrdiff_t, max_rank> strides{};  ///< bytes from an element to the next one, per dimension

  /// Returns a view of elements of `element_size` bytes that lie without gaps, the last dimension innermost.
  static const_untyped_view row_major(const void* data, const extents& dims, std::size_t element_size);
};

/// Elements in a program's memory, to be stored to. See `const_untyped_view`.
struct untyped_view {
  /// Address of the first element, elements along each dimension, and bytes from an element to the next, per
  /// dimension.
  ///@{
  std::byte* data = nullptr;
  extents dims;
  std::array<std::ptrdiff_t, max_rank> strides{};
  ///@}

  /// Returns a view of elements of `element_size` bytes that lie without gaps, the last dimension innermost.
  static untyped_view row_major(void* data, const extents& dims, std::size_t element_size);
};

/// A function that writes the elements of `part`, which has no strides, to `to`: row-major, without gaps. It
/// may throw; the caller passes the exception on.
using element_source = std::function<void(const slab& part, std::byte* to)>;

/// A reference to the blocks of an array. While it exists, blocks that were replaced or erased keep their
/// content.
class array_hold {
 public:
  /// Makes a reference to nothing, or to blocks.
  ///@{
  array_hold() = default;
  explicit array_hold(std::shared_ptr<void> hold) : hold_(std::move(hold)) {}
  ///@}

 private:
  std::shared_ptr<void> hold_;
};

/// An array in place: `data` points to its first element inside the store.
struct viewed_array {
  /// Facts about the array, as it was when the view was made.
  array_info info;
  /// Address of the first element, inside the store.
  std::byte* data = nullptr;
  array_hold hold;  ///< `data` is valid while this exists and the store is open
};

/// The arrays of one open store, or of the ranks of a set of stores, by name, without the C++ types of their
/// elements. `array_store::untyped` returns it.
///
/// Types. Functions that take a `data_type` compare it with the stored one and throw `wrong_type` if they
/// differ; nothing is converted. Fixed dimensions of a type are dimensions of the array: an array of
/// `float[3]` has the element type `float32` and one dimension more.
///
/// Errors. Functions that take the id of an existing array throw `not_found` if there is none. Functions that
/// change something throw `read_only` if the store is open for reading only. All throw `invalid_argument`
/// once the store is closed. Further errors are `invalid_argument` for a part outside the array or a shape
/// that does not fit, and `damaged` for a block that does not have its checksum or cannot be decompressed.
/// Others are `no_space`, `io` and `std::bad_alloc`. A function that throws leaves the stored arrays as they
/// were, unless it says otherwise.
///
/// Durability. Changes are durable with the next checkpoint of the store.
///
/// Thread safety. Any number of threads may call any member at once, as long as they write different
/// elements. Functions that change an array as a whole wait for writers of its parts.
class untyped_arrays {
 public:
  /// Returns the arrays of the store of a manager: one object for each open store, shared by all callers. A
  /// store open for reading only that has no arrays is an empty one. Programs call `array_store::untyped`.
  static std::shared_ptr<untyped_arrays> of(detail::manager_core& store);
  untyped_arrays(const untyped_arrays&) = delete;
  untyped_arrays& operator=(const untyped_arrays&) = delete;
  virtual ~untyped_arrays() = default;

  /// Returns the path of the store, or of the set of stores.
  virtual const std::filesystem::path& path() const noexcept = 0;

  /// Stores `from` as the array `id`, in the place of one that exists. `wrong_type` if that has another
  /// element type and `options.replaces_any` is not set; `invalid_argument` for an id that is no name. Who
  /// holds or views the old elements keeps them. Linear in the number of elements.
  virtual void store_whole(std::string_view id, const data_type& type, const const_untyped_view& from,
                           const array_options& options) = 0;
  /// Like `store_whole`, of elements that `source` gives, a few MiB at a time, in row-major order (chunk by
  /// chunk with `array_layout::chunked`): for arrays that are larger than memory. An array in one compressed
  /// block is in memory as a whole once. If `source` throws, the array is as it was; in a set of stores the
  /// old array is erased first.
  virtual void store_from(std::string_view id, const data_type& type, const extents& dims,
                          const element_source& source, const array_options& options);
  /// Like `store_from`, of an array that is zero outside of `parts`, which may overlap and have no strides.
  /// `source` is asked for the chunks that have elements of a part; the others are never written and take no
  /// space. The layout is `array_layout::chunked`, with the chunks of `options`; with
  /// `array_layout::contiguous` this is `store_from`. `invalid_argument` for a part outside of `dims`. Linear
  /// in the number of elements of those chunks.
  virtual void store_sparse(std::string_view id, const data_type& type, const extents& dims,
                            std::span<const slab> parts, const element_source& source,
                            const array_options& options);
  /// Like `store_whole`, of elements of variable length; `dims` has as many elements as `from`.
  virtual void store_variable(std::string_view id, const data_type& type, const extents& dims,
                              const variable_elements& from, const array_options& options) = 0;
  /// Creates an array whose elements are zero until they are written. `already_exists`; with
  /// `options.replaces_any` only if the existing array has this type and shape.
  virtual void create(std::string_view id, const data_type& type, const extents& dims,
                      const array_options& options) = 0;
  /// Writes the elements of a part; `from` has the shape `where.count`.
  virtual void write(std::string_view id, const data_type& type, const slab& where,
                     const const_untyped_view& from) = 0;
  /// Begins to store like `store_whole`, and returns before that has ended. A thread of the library's makes
  /// the stores of one open store, one after the other, in the order in which they began. The elements at
  /// `from` must stay as they are until the store has ended; `type` and `options` need not. Failures are
  /// thrown by the handle, but for `read_only`, a closed store and a call inside a `write_guard`
  /// (`invalid_argument`), which are thrown here.
  ///
  /// Functions that change the array `id` wait for the stores of it that began before; those that read it see
  /// the old array or the new one. A checkpoint waits for all stores that began before it, and has them. If
  /// one of them has failed, and no handle has reported that, the checkpoint throws the failure once and is
  /// not made. Closing without a checkpoint waits for the array that is being stored; those behind it fail.
  virtual pending_store store_async(std::string_view id, const data_type& type,
                                    const const_untyped_view& from, const array_options& options) = 0;
  /// Begins to write a part like `write`. Everything else is as with `store_async`.
  virtual pending_store write_async(std::string_view id, const data_type& type, const slab& where,
                                    const const_untyped_view& from) = 0;
  /// Reads the elements of a part into `to`, which has the shape `where.count`. Elements that were never
  /// written are zero.
  virtual void read(std::string_view id, const data_type& type, const slab& where,
                    const untyped_view& to) const = 0;
  /// Reads all elements. `place` is called once, with the array's shape, and returns where they go.
  virtual void read_whole(std::string_view id, const data_type& type,
                          const std::function<untyped_view(const extents&)>& place) const = 0;
  /// Reads all elements of an array of texts or lists, row-major.
  virtual variable_elements read_variable(std::string_view id, const data_type& type) const = 0;
  /// Like `read`, but copies only elements that a block of this store holds, and leaves the rest of `to`
  /// alone. Returns the number of elements copied, which is larger than the part where blocks overlap.
  virtual std::uint64_t read_held(std::string_view id, const slab& where, const untyped_view& to) const = 0;
  /// Returns the array in place, without a copy. `unsupported` if it does not lie in one uncompressed block
  /// (`array_info::is_viewable`); to be written, only of `array_layout::contiguous`.
  virtual viewed_array view(std::string_view id, const data_type& type, bool to_write) const = 0;
  /// Returns a part in place, to be read. `unsupported` if it has strides, or does not lie in one
  /// uncompressed block that is as wide as the part in all dimensions but the first. In a set of stores each
  /// rank has what it has written in blocks of its own.
  virtual viewed_array view_part(std::string_view id, const data_type& type, const slab& where) const = 0;
  /// Changes the shape. Elements outside the new one are dropped, new ones are zero. `unsupported` with
  /// `array_layout::contiguous` and for elements of variable length.
  virtual void resize(std::string_view id, const extents& dims) = 0;
  /// Adds the elements of `from` behind the last ones of the first dimension. Errors as `resize`.
  virtual void append(std::string_view id, const data_type& type, const const_untyped_view& from) = 0;
  /// Erases an array with its attributes. Returns whether there was one.
  virtual bool erase(std::string_view id) = 0;

  /// Returns what is known of an array; nothing if there is none of that id.
  virtual std::optional<array_info> find(std::string_view id) const = 0;
  /// Like `find`, but throws `not_found`.
  virtual array_info info(std::string_view id) const = 0;
  /// Returns the parts that blocks hold, oldest first.
  virtual std::vector<slab> parts(std::string_view id) const = 0;
  /// Returns the ids of the arrays in the group `prefix`, sorted: `prefix` itself and what begins with it and
  /// "/". All ids for an empty prefix.
  virtual std::vector<std::string> list(std::string_view prefix) const = 0;
  /// Returns the number of arrays.
  virtual std::size_t count() const = 0;
  /// Reads the stored blocks of an array into memory, with many reads at a time.
  virtual void prefetch(std::string_view id) const = 0;
  /// Compares all blocks with their checksums. Returns a sentence for each mismatch.
  virtual std::vector<std::string> check(std::string_view id) const = 0;

  /// Sets an attribute, in the place of one of that key. `value` has the bytes that `attribute_value`
  /// describes; `invalid_argument` if it has not. Keys have 1 to 4096 bytes.
  virtual void set_attribute(std::string_view id, std::string_view key, const data_type& type,
                             const extents& dims, std::span<const std::byte> value) = 0;
  /// Returns an attribute; nothing if the array has none of that key.
  virtual std::optional<attribute_value> attribute(std::string_view id, std::string_view key) const = 0;
  /// Returns the keys of an array's attributes, sorted.
  virtual std::vector<std::string> attributes(std::string_view id) const = 0;
  /// Removes an attribute. Returns whether there was one.
  virtual bool remove_attribute(std::string_view id, std::string_view key) = 0;

 protected:
  untyped_arrays() = default;
  friend class array_store;
  /// Returns the manager whose checkpoints make these arrays durable. `read_only` for a set of stores that is
  /// open for reading.
  virtual detail::manager_core& store() = 0;
};

}  // namespace perdure
