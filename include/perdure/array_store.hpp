// Arrays by name: a program stores its fields as they are, and any later one loads what it needs.
//
//     perdure::array_store fields(perdure::open_or_create, "run.store");
//     fields.store("step", 12);
//     fields.store("temperature", perdure::array_view<const double, 2>(t.data(), {ny, nx}));
//     fields.checkpoint();
//
//     const auto view = fields.view<double, 2>("temperature");   // no copy: view(j, i)
//     const auto step = fields.load<int>("step");
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/array/array_info.hpp>
#include <perdure/array/array_values.hpp>
#include <perdure/array/array_view.hpp>
#include <perdure/array/extents.hpp>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/manager.hpp>
#include <perdure/perdure_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace perdure {

namespace detail {

/// Opens the arrays of a set of stores for reading; they keep it open. Returns null where no set is.
std::shared_ptr<untyped_arrays> open_arrays_of_set(const std::filesystem::path& path,
                                                   const store_options& options);

}  // namespace detail

/// A view of a stored array, where it lies in the store: no copy is made. It is of the array as it was when
/// the view was taken: storing over the array, or erasing it, makes new blocks and leaves these alone while
/// the view lives. It keeps a store open that the array_store has opened, and must end before a manager that
/// was given.
template <class T, std::size_t Rank>
class stored_view : public array_view<T, Rank> {
 public:
  /// Makes a view of nothing, or of elements that `hold` and `store` keep.
  ///@{
  stored_view() = default;
  stored_view(array_view<T, Rank> view, array_hold hold, std::shared_ptr<void> store)
      : array_view<T, Rank>(view), store_(std::move(store)), hold_(std::move(hold)) {}
  ///@}

 private:
  std::shared_ptr<void> store_;
  array_hold hold_;  // ends first
};

/// One array of a store, by its id. It is looked up at each use, so it may be made before the array is.
///
/// Thread safety: as the array_store's.
class array_ref {
 public:
  /// Names an array; `array_store::array` does so. Looks nothing up.
  array_ref(std::shared_ptr<untyped_arrays> arrays, std::shared_ptr<void> store, std::string id)
      : store_(std::move(store)), arrays_(std::move(arrays)), id_(std::move(id)) {}

  /// Returns the id.
  const std::string& id() const noexcept { return id_; }
  /// Returns what is known of the array. Throws `not_found`, as all members do where there is no such array.
  array_info info() const { return arrays_->info(id_); }
  /// Returns the elements along each dimension.
  extents dims() const { return info().dims; }

  /// Stores a part: elements of `from`, which has the slab's shape. `wrong_type`, `invalid_argument` (not
  /// inside the array, another shape), `no_space`, `io`. What other parts hold stays. With
  /// `array_layout::contiguous` the elements are changed in place, where views see them; else in new blocks.
  template <array_element T, std::size_t Rank>
  void write(const slab& where, const array_view<T, Rank>& from) {
    const auto elements = detail::elements_of<const_untyped_view>(from);
    arrays_->write(id_, detail::base_type_of<T>(), with_fixed<T>(where), elements);
  }
  /// The same of elements beside each other, as many as the slab has.
  template <detail::element_range R>
  void write(const slab& where, const R& from) {
    using element = std::ranges::range_value_t<const R>;
    require_count(where, std::ranges::size(from));
    write(where, array_view<const element>(std::ranges::data(from), where.count));
  }
  /// Begins to store a part as `write` does. Everything else is as with `array_store::store_async`.
  ///@{
  template <array_element T, std::size_t Rank>
  pending_store write_async(const slab& where, const array_view<T, Rank>& from) {
    return arrays_->write_async(id_, detail::base_type_of<T>(), with_fixed<T>(where),
                                detail::elements_of<const_untyped_view>(from));
  }
  template <class R>
    requires detail::element_range<std::remove_cvref_t<R>>
  pending_store write_async(const slab& where, R&& from) {
    static_assert(detail::outlives_call<R>,
                  "perdure: the elements must live until they are stored: give a variable, not a temporary");
    using element = std::ranges::range_value_t<const std::remove_cvref_t<R>>;
    require_count(where, std::ranges::size(from));
    return write_async(where, array_view<const element>(std::ranges::data(from), where.count));
  }
  ///@}
  /// Loads a part into `to`, which has the slab's shape, or as many elements beside each other as the slab
  /// has. Elements that were never written are zero. Throws `wrong_type`, `invalid_argument` (not inside the
  /// array, another shape), `damaged`, `io`.
  ///@{
  template <array_element T, std::size_t Rank>
    requires(!std::is_const_v<T>)
  void read(const slab& where, const array_view<T, Rank>& to) const {
    arrays_->read(id_, detail::base_type_of<T>(), with_fixed<T>(where),
                  detail::elements_of<untyped_view>(to));
  }
  template <detail::element_range R>
  void read(const slab& where, R&& to) const {
    using element = std::ranges::range_value_t<R>;
    require_count(where, std::ranges::size(to));
    read(where, array_view<element>(std::ranges::data(to), where.count));
  }
  ///@}
  /// Returns a part where it lies in the store, to be read. Throws `unsupported` where it does not lie in one
  /// piece (`untyped_arrays::view_part`).
  template <array_element T, std::size_t Rank = dynamic_rank>
  stored_view<const T, Rank> view(const slab& where) const {
    viewed_array found = arrays_->view_part(id_, detail::base_type_of<T>(), with_fixed<T>(where));
    return {array_view<const T, Rank>(reinterpret_cast<const T*>(found.data), where.count),
            std::move(found.hold), store_};
  }
  /// Returns the elements of a part beside each other, row-major.
  template <array_element T>
  std::vector<T> read(const slab& where) const {
    std::vector<T> elements(where.count.elements());
    read(where, elements);
    return elements;
  }

  /// Adds elements behind the last of the first dimension: `from` has the array's other dimensions, and one
  /// or more steps. `unsupported` for a contiguous array.
  ///@{
  template <array_element T, std::size_t Rank>
  void append(const array_view<T, Rank>& from) {
    arrays_->append(id_, detail::base_type_of<T>(), detail::elements_of<const_untyped_view>(from));
  }
  template <detail::element_range R>
  void append(const R& from) {
    using element = std::ranges::range_value_t<const R>;
    append(array_view<const element, 1>(std::span(std::ranges::data(from), std::ranges::size(from))));
  }
  ///@}
  /// Changes the shape: elements outside are dropped, and new ones are zero. Throws `unsupported` for a
  /// contiguous array.
  void resize(const extents& dims) { arrays_->resize(id_, dims); }

  /// Sets an attribute: units, a description, a table. A value is a number, a struct of numbers, a string, a
  /// vector of numbers, structs or strings, or `nullptr` for an attribute that has no value. There is no
  /// limit on its size. `not_found` for the array, `read_only`, `invalid_argument` (no key),
  /// `std::bad_alloc`.
  template <class T>
  void set_attribute(std::string_view key, const T& value);
  /// Returns an attribute as it was set. A list of strings is loaded as a vector of `std::string`.
  /// `not_found` for the array and for the attribute, `wrong_type` for another type and for null.
  template <class T>
  T attribute(std::string_view key) const;
  /// Returns whether the array has an attribute of that key without a value.
  bool is_null_attribute(std::string_view key) const {
    const auto found = arrays_->attribute(id_, key);
    return found && is_null(found->type);
  }
  /// Returns the keys of all attributes, sorted.
  std::vector<std::string> attributes() const { return arrays_->attributes(id_); }
  /// Returns whether the array has an attribute of that key.
  bool has_attribute(std::string_view key) const { return arrays_->attribute(id_, key).has_value(); }
  /// Removes an attribute. Returns whether there was one. Throws `read_only`.
  bool remove_attribute(std::string_view key) { return arrays_->remove_attribute(id_, key); }

 private:
  template <class T>
  static slab with_fixed(slab where) {
    for (const std::uint64_t n : data_type_of<std::remove_cv_t<T>>().dims()) {
      where.offset.push_back(0);
      where.count.push_back(n);
      if (!where.stride.empty()) where.stride.push_back(1);
    }
    return where;
  }
  static void require_count(const slab& where, std::size_t given) {
    if (given != where.count.elements())
      throw error(errc::invalid_argument,
                  std::to_string(given) + " elements are given for a part of shape " + where.count.text());
  }

  std::shared_ptr<void> store_;
  std::shared_ptr<untyped_arrays> arrays_;
  std::string id_;
};

/// The arrays of a store. Ids are names of 1 to 4096 bytes; "/" divides them into groups.
///
/// A value may be a number, a struct of numbers (its fields are recorded, with their names), a string, or
/// anything else that may be copied as bytes (its C++ name is recorded). It may be a vector, std::array or
/// span of these, a vector of strings or of vectors, or an `array_view` of any number of dimensions and any
/// strides. It may also be of a type with an `array_codec`. Loading as another type, or in another shape, is
/// an error and never a conversion.
///
/// `store` is complete when it returns: the program may use its memory again. What was stored is durable with
/// the next checkpoint, which is all or nothing: after a crash the store holds all arrays as of one
/// checkpoint. Storing over an array writes new blocks; whoever loads or views it meanwhile sees the old one
/// or the new one, whole.
///
/// Thread safety: all members may be called from any thread at once. Arrays are written by one thread at a
/// time, and read by any number.
class array_store {
 public:
  /// Opens a store of its own, or creates it, as a manager's constructor with the same tag does.
  ///@{
  array_store(create_only_t tag, const std::filesystem::path& path, const store_options& options = {});
  array_store(open_only_t tag, const std::filesystem::path& path, const store_options& options = {});
  ///@}
  /// The path may be that of a set of stores (docs/reference/mpi.md): then the arrays are those of all its
  /// parts, and what `set_reader` (<perdure/store_set.hpp>) throws is thrown. A set is closed when this and
  /// all its views end.
  array_store(open_read_only_t tag, const std::filesystem::path& path, const store_options& options = {});
  /// Opens a store of its own as a manager's constructor with the same tag does.
  ///@{
  array_store(open_copy_on_write_t tag, const std::filesystem::path& path, const store_options& options = {});
  array_store(open_or_create_t tag, const std::filesystem::path& path, const store_options& options = {});
  ///@}
  /// Gives the arrays of a manager's store. The manager must outlive this and all views of its arrays.
  template <class Placement>
  explicit array_store(basic_manager<Placement>& store)
      : arrays_(untyped_arrays::of(detail::core_of(store))) {}
  /// Gives the arrays of a set of stores, which must outlive this and all views of its arrays.
  explicit array_store(std::shared_ptr<untyped_arrays> arrays) : arrays_(std::move(arrays)) {}

  /// Replaces the array of that id, or makes one. `wrong_type` where there is one of another type (its shape
  /// may be another), unless `array_options::replaces_any` says that it goes; `read_only`, `invalid_argument`
  /// (no name), `no_space`, `io`, `std::bad_alloc`. On failure the old one stays. An array of the same type
  /// keeps its attributes.
  template <class T>
  void store(std::string_view id, const T& value, const array_options& options = {}) {
    if constexpr (detail::is_array_view<T>) {
      using element = typename T::value_type;
      arrays_->store_whole(id, detail::base_type_of<element>(),
                           detail::elements_of<const_untyped_view>(value), options);
    } else if constexpr (detail::array_text<T>) {
      const std::string_view text = value;
      store_texts(id, {}, {{text.size()}, std::string(text)}, options);
    } else if constexpr (detail::has_codec<T>) {
      std::string bytes = array_codec<T>::encode(value);
      store_texts(id, {}, {{bytes.size()}, std::move(bytes)}, options);
    } else if constexpr (array_element<T>) {
      arrays_->store_whole(id, detail::base_type_of<T>(),
                           detail::elements_of<const_untyped_view>(array_view<const T, 0>(&value, {})),
                           options);
    } else if constexpr (detail::element_range<T>) {
      using element = std::ranges::range_value_t<const T>;
      store(id, array_view<const element, 1>(std::span(std::ranges::data(value), std::ranges::size(value))),
            options);
    } else if constexpr (detail::text_range<T>) {
      store_texts(id, {std::ranges::size(value)}, detail::texts_of(value), options);
    } else if constexpr (detail::sequence_range<T>) {
      using element = std::ranges::range_value_t<std::ranges::range_value_t<const T>>;
      arrays_->store_variable(id, data_type::list_of(data_type_of<element>()), {std::ranges::size(value)},
                              detail::sequences_of(value), options);
    } else {
      static_assert(
          detail::sequence_range<T>,
          "perdure: this type is no number, struct of numbers, string, or vector of these: give it an "
          "array_codec, or store its parts");
    }
  }
  /// Stores one part of an array that was created, or stored before, as `array(id).write({offset, count},
  /// from)` does.
  template <array_element T, std::size_t Rank>
  void store(std::string_view id, const array_view<T, Rank>& from, const extents& offset) {
    array(id).write({offset, from.dims(), {}}, from);
  }

  /// Begins to store `from` as `store` does, and returns while a thread of the library's goes on: the program
  /// computes meanwhile. The elements of `from` must stay as they are until the handle is ready. What keeps
  /// them from being stored is thrown by the handle; `read_only` and `invalid_argument` (closed, or inside a
  /// `write_guard`) are thrown here.
  ///
  /// Stores take place one after the other, in the order in which they began. A change of the same array
  /// waits for them; readers see the old array or the new one. A checkpoint waits for all stores that began
  /// before it, and has them. If one has failed and the program has not asked its handle, the checkpoint
  /// throws that failure once. `discard`, and a destructor that makes no checkpoint, wait for the array that
  /// is being stored; those behind it fail.
  ///
  /// In a set of stores each rank stores for itself; no rank communicates for it.
  template <array_element T, std::size_t Rank>
  pending_store store_async(std::string_view id, const array_view<T, Rank>& from,
                            const array_options& options = {}) {
    return arrays_->store_async(id, detail::base_type_of<T>(), detail::elements_of<const_untyped_view>(from),
                                options);
  }
  /// Begins to store elements beside each other: a variable, or a span.
  template <class R>
    requires detail::element_range<std::remove_cvref_t<R>>
  pending_store store_async(std::string_view id, R&& from, const array_options& options = {}) {
    static_assert(detail::outlives_call<R>,
                  "perdure: the elements must live until they are stored: give a variable, not a temporary");
    using element = std::ranges::range_value_t<const std::remove_cvref_t<R>>;
    const std::span<const element> elements(std::ranges::data(from), std::ranges::size(from));
    return store_async(id, array_view<const element, 1>(elements), options);
  }

  /// Creates an array of which parts will be stored; its elements are zero until then. Throws
  /// `already_exists`, with `array_options::replaces_any` only where the one that exists has this type and
  /// shape; and as `store`.
  template <array_element T>
  array_ref create(std::string_view id, const extents& dims, const array_options& options = {}) {
    arrays_->create(id, detail::base_type_of<T>(), detail::with_fixed_dims<T>(dims), options);
    return array(id);
  }
  /// Creates an array of a type that is known at run time, as above.
  array_ref create(std::string_view id, const data_type& type, const extents& dims,
                   const array_options& options = {}) {
    arrays_->create(id, type, dims, options);
    return array(id);
  }

  /// Loads all of an array: a number or struct, `std::string`, `std::vector` of these (row-major, if there
  /// are several dimensions), of strings, or of vectors. Throws `not_found`, `wrong_type`, `invalid_argument`
  /// (another shape), `damaged`, `io`.
  template <class T>
  T load(std::string_view id) const {
    if constexpr (std::is_same_v<T, std::string>) {
      return one_text(id);
    } else if constexpr (detail::has_codec<T>) {
      return array_codec<T>::decode(one_text(id));
    } else if constexpr (array_element<T>) {
      T value;
      load(id, array_view<T, 0>(&value, {}));
      return value;
    } else if constexpr (detail::resizable_elements<T>) {
      using element = std::ranges::range_value_t<T>;
      T values;
      const data_type& type = detail::base_type_of<element>();
      arrays_->read_whole(id, type, [&](const extents& dims) {
        values.resize(elements_in<element>(id, dims));
        return untyped_view::row_major(std::ranges::data(values), dims, type.size());
      });
      return values;
    } else if constexpr (detail::text_range<T>) {
      T values;
      each_part(arrays_->read_variable(id, element_kind::text),
                [&](std::string_view part) { values.emplace_back(part); });
      return values;
    } else if constexpr (detail::sequence_range<T>) {
      using sequence = std::ranges::range_value_t<T>;
      using element = std::ranges::range_value_t<sequence>;
      T values;
      each_part(arrays_->read_variable(id, data_type::list_of(data_type_of<element>())),
                [&](std::string_view part) {
                  sequence& one = values.emplace_back();
                  one.resize(part.size() / sizeof(element));
                  if (!part.empty()) std::memcpy(one.data(), part.data(), one.size() * sizeof(element));
                });
      return values;
    } else {
      static_assert(
          detail::sequence_range<T>,
          "perdure: arrays are loaded as numbers, structs of numbers, strings, and vectors of these: give "
          "this type an array_codec, or load its parts");
      __builtin_unreachable();
    }
  }
  /// Loads all of an array into memory of the caller's, which has the array's shape.
  template <array_element T, std::size_t Rank>
  void load(std::string_view id, const array_view<T, Rank>& to) const {
    arrays_->read_whole(id, detail::base_type_of<T>(),
                        [&](const extents&) { return detail::elements_of<untyped_view>(to); });
  }
  /// Loads a part of an array into memory of the caller's, which has the part's shape.
  template <array_element T, std::size_t Rank>
  void load(std::string_view id, const slab& where, const array_view<T, Rank>& to) const {
    array(id).read(where, to);
  }

  /// Returns an array where it lies in the store, to be read. Throws `unsupported` where it does not lie in
  /// one piece (`array_info::is_viewable` tells beforehand), `not_found`, `wrong_type`.
  template <array_element T, std::size_t Rank = dynamic_rank>
  stored_view<const T, Rank> view(std::string_view id) const {
    viewed_array found = arrays_->view(id, detail::base_type_of<T>(), false);
    return {array_view<const T, Rank>(reinterpret_cast<const T*>(found.data),
                                      without_fixed<T>(id, found.info.dims)),
            std::move(found.hold), store_};
  }
  /// Returns a contiguous array where it lies in the store, to be changed. What is stored there is durable
  /// with the next checkpoint. Throws `unsupported` for other layouts, `read_only`, and as `view`.
  template <array_element T, std::size_t Rank = dynamic_rank>
  stored_view<T, Rank> view_to_write(std::string_view id) {
    viewed_array found = arrays_->view(id, detail::base_type_of<T>(), true);
    return {array_view<T, Rank>(reinterpret_cast<T*>(found.data), without_fixed<T>(id, found.info.dims)),
            std::move(found.hold), store_};
  }

  /// Returns the same arrays without C++ types, for programs that learn the types of elements at run time.
  const std::shared_ptr<untyped_arrays>& untyped() const noexcept { return arrays_; }

  /// Names an array, which need not exist yet.
  ///@{
  array_ref array(std::string_view id) const { return array_ref(arrays_, store_, std::string(id)); }
  array_ref operator[](std::string_view id) const { return array(id); }
  ///@}
  /// Returns whether there is an array of that id.
  bool contains(std::string_view id) const { return arrays_->find(id).has_value(); }
  /// Returns what is known of an array. Throws `not_found`.
  array_info info(std::string_view id) const { return arrays_->info(id); }
  /// Returns the elements along each dimension of an array. Throws `not_found`.
  extents dims(std::string_view id) const { return info(id).dims; }
  /// Erases an array. Returns false if there is none. Its space is used again, and given back to the file
  /// system with checkpoints. Throws `read_only`.
  bool erase(std::string_view id) { return arrays_->erase(id); }
  /// Returns the ids of the arrays in a group, or of all, sorted: `list("run")` has "run" and "run/x", and
  /// not "running".
  std::vector<std::string> list(std::string_view group = {}) const { return arrays_->list(group); }
  /// Returns the number of arrays.
  std::size_t size() const { return arrays_->count(); }
  /// Brings an array into memory, with many reads at a time.
  void prefetch(std::string_view id) const { arrays_->prefetch(id); }
  /// Compares the array's blocks with their checksums. Returns what is wrong, a sentence each.
  std::vector<std::string> check(std::string_view id) const { return arrays_->check(id); }

  /// Makes everything stored so far durable, as `manager::checkpoint` and `manager::checkpoint_async` do.
  ///@{
  void checkpoint(std::string_view label = {}) { arrays_->store().checkpoint(label); }
  pending_checkpoint checkpoint_async(std::string_view label = {}) {
    return arrays_->store().checkpoint_async(label);
  }
  ///@}
  /// Closes a store that this has opened, as `manager::close`, which throws what its checkpoint meets. Views
  /// must have ended. Does nothing to a manager that was given.
  void close() {
    if (store_) store_->close();
  }
  /// Closes a store that this has opened, as `manager::discard`: what changed since the last checkpoint is
  /// dropped.
  void discard() noexcept {
    if (store_) store_->discard();
  }
  /// Returns the directory of the store, or of the set of stores.
  const std::filesystem::path& path() const { return arrays_->path(); }

 private:
  explicit array_store(std::shared_ptr<manager> store);

  void store_texts(std::string_view id, const extents& dims, const variable_elements& texts,
                   const array_options& options) {
    arrays_->store_variable(id, element_kind::text, dims, texts, options);
  }
  std::string one_text(std::string_view id) const {
    variable_elements all = arrays_->read_variable(id, element_kind::text);
    if (all.ends.size() != 1)
      throw error(errc::invalid_argument, "the array \"" + std::string(id) + "\" has " +
                                              std::to_string(all.ends.size()) +
                                              " strings: load it as std::vector<std::string>");
    return std::move(all.bytes);
  }
  template <class Visit>
  static void each_part(const variable_elements& all, Visit&& visit) {
    std::uint64_t begin = 0;
    for (const std::uint64_t end : all.ends) {
      visit(std::string_view(all.bytes).substr(begin, end - begin));
      begin = end;
    }
  }
  /// The array's dimensions without those that are the element's own.
  template <class T>
  static extents without_fixed(std::string_view id, const extents& dims) {
    const extents fixed = detail::fixed_dims_of<T>();
    const std::size_t rest = dims.rank() - std::min(dims.rank(), fixed.rank());
    const bool fits =
        dims.rank() >= fixed.rank() && std::equal(fixed.begin(), fixed.end(), dims.begin() + rest);
    if (!fits)
      throw error(errc::invalid_argument, "the array \"" + std::string(id) + "\" of shape " + dims.text() +
                                              " has no elements of shape " + fixed.text());
    return extents(dims.span().first(rest));
  }
  template <class T>
  static std::size_t elements_in(std::string_view id, const extents& dims) {
    return without_fixed<T>(id, dims).elements();
  }

  std::shared_ptr<manager> store_;  // or null: somebody else's
  std::shared_ptr<untyped_arrays> arrays_;
};

template <class T>
void array_ref::set_attribute(std::string_view key, const T& value) {
  if constexpr (std::is_null_pointer_v<T>) {
    arrays_->set_attribute(id_, key, null_type(), {}, {});
  } else if constexpr (detail::array_text<T>) {
    const std::string_view text = value;
    arrays_->set_attribute(id_, key, element_kind::text, {}, std::as_bytes(std::span(text)));
  } else if constexpr (array_element<T>) {
    arrays_->set_attribute(id_, key, detail::base_type_of<T>(), detail::fixed_dims_of<T>(),
                           std::as_bytes(std::span(&value, 1)));
  } else if constexpr (detail::element_range<T>) {
    using element = std::ranges::range_value_t<const T>;
    arrays_->set_attribute(id_, key, detail::base_type_of<element>(),
                           detail::with_fixed_dims<element>({std::ranges::size(value)}),
                           std::as_bytes(std::span(std::ranges::data(value), std::ranges::size(value))));
  } else if constexpr (detail::text_range<T>) {
    const std::string packed = pack_elements(detail::texts_of(value));
    arrays_->set_attribute(id_, key, element_kind::text, {std::ranges::size(value)},
                           std::as_bytes(std::span(packed)));
  } else {
    static_assert(detail::element_range<T>,
                  "perdure: attributes are numbers, structs of numbers, strings, and vectors");
  }
}

template <class T>
T array_ref::attribute(std::string_view key) const {
  const auto found = arrays_->attribute(id_, key);
  if (!found)
    throw error(errc::not_found, "the array \"" + id_ + "\" has no attribute \"" + std::string(key) + '"');
  const auto require = [&](const data_type& asked, bool fits) {
    if (found->type == asked && fits) return;
    throw error(errc::wrong_type, "the attribute \"" + std::string(key) + "\" of the array \"" + id_ +
                                      "\" is " + found->type.text() + ' ' + found->dims.text() + ", not " +
                                      asked.text());
  };
  if constexpr (std::is_same_v<T, std::string>) {
    require(element_kind::text, found->dims.empty());
    return found->bytes;
  } else if constexpr (array_element<T>) {
    require(detail::base_type_of<T>(), found->bytes.size() == sizeof(T));
    T value;
    std::memcpy(&value, found->bytes.data(), sizeof value);
    return value;
  } else if constexpr (detail::resizable_elements<T>) {
    using element = std::ranges::range_value_t<T>;
    require(detail::base_type_of<element>(), found->bytes.size() % sizeof(element) == 0);
    T values;
    values.resize(found->bytes.size() / sizeof(element));
    if (!found->bytes.empty())
      std::memcpy(std::ranges::data(values), found->bytes.data(), found->bytes.size());
    return values;
  } else if constexpr (detail::text_range<T>) {
    require(element_kind::text, !found->dims.empty());
    T values;
    std::uint64_t begin = 0;
    const variable_elements all = unpack_elements(found->dims, found->bytes);
    for (const std::uint64_t end : all.ends) {
      values.emplace_back(all.bytes.substr(begin, end - begin));
      begin = end;
    }
    return values;
  } else {
    static_assert(detail::resizable_elements<T>,
                  "perdure: attributes are loaded as numbers, structs, strings, vectors");
    __builtin_unreachable();
  }
}

}  // namespace perdure
