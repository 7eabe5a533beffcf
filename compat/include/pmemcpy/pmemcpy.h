// pMEMCPY's interface, as its paper has it and as its code has it, over perdure::array_store:
// docs/reference/compatibility.md.
#pragma once

#if __cplusplus < 202002L
#error "perdure: compile as C++20 (-std=c++20)"
#endif

#include <pmemcpy/dimensions.h>
#include <pmemcpy/error_handling.h>
#include <pmemcpy/no_allocator.h>
#include <pmemcpy/size_type.h>
#include <pmemcpy/storage_types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/array_store.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace pmemcpy {

/// Arrays by id. A path is a directory, a store of Perdure's: `perdure array ls PATH` lists what is in it.
///
/// What `store`, `alloc` and `free` did is durable when they return, each a checkpoint; between `defer()` and
/// `munmap()`, or `persist()`, all of it at once. Failures are `perdure::error`, a std::exception.
///
/// Thread safety: any member from any thread, but for `mmap`, `munmap` and `release`, which need the others
/// to be quiet.
class PMEM {
 public:
  explicit PMEM(StorageType = StorageType::PMDK_HASHTABLE, SerializerType = SerializerType::CAPNPROTO,
                bool /*use_mmap*/ = false) {}
  explicit PMEM(SerializerType) {}

  /// Opens the store, or makes one. It grows, whatever its size is said to be.
  void mmap(const std::string& path, std::uint64_t /*size*/ = 0) {
    arrays_ = std::make_unique<perdure::array_store>(perdure::open_or_create, path);
    is_deferred_ = false;
  }
  /// Opens a store with a communicator, like MPI libraries. One process at a time writes a store: `conflict`
  /// in the others.
  template <class Communicator>
    requires std::is_pointer_v<Communicator>
  void mmap(const std::string& path, Communicator) {
    mmap(path);
  }
  /// Makes durable what is not, and closes the store.
  void munmap() {
    if (!arrays_) return;
    const std::unique_ptr<perdure::array_store> closing = std::move(arrays_);
    closing->close();
  }
  /// Removes the store.
  void release(const std::string& path) {
    munmap();
    perdure::manager::remove(path);
  }

  /// Ours: from now on `store`, `alloc` and `free` are durable with the next `persist` or `munmap`.
  void defer() noexcept { is_deferred_ = true; }
  /// Ours.
  void persist() { opened().checkpoint(); }

  /// A number, a struct of numbers, a string, a vector of these. What had the id before, of whatever type and
  /// shape, is replaced in one step: other threads, and the next program after a crash, see the old value or
  /// the new one.
  template <class T>
  void store(const std::string& id, const T& value) {
    opened().store(id, value, {.replaces_any = true});
    done();
  }
  template <class T>
  void store(const std::string& id, const T* data, const Dimensions& dims) {
    opened().store(id, perdure::array_view<const T>(data, dims.shape()), {.replaces_any = true});
    done();
  }
  /// A part of an array of shape `dims`, which is made if there is none.
  template <class T>
  void store(const std::string& id, const T* data, const Offsets& offsets, const Sizes& sizes,
             const Dimensions& dims) {
    reserve<T>(id, dims.shape());
    write(id, data, offsets.shape(), sizes.shape());
  }
  /// The same of an array that was allocated.
  template <class T>
  void store(const std::string& id, const T* data, int ndims, const std::size_t* offsets,
             const std::size_t* dimspp) {
    write(id, data, Dimensions(ndims, offsets).shape(), Dimensions(ndims, dimspp).shape());
  }

  /// An array of zeros, of which every thread stores its part. If there is one of that type and shape, it
  /// stays.
  template <class T>
  void alloc(const std::string& id, const Dimensions& dims) {
    reserve<T>(id, dims.shape());
    done();
  }
  template <class T>
  void alloc(const std::string& id, int ndims, const std::size_t* dims) {
    alloc<T>(id, Dimensions(ndims, dims));
  }

  template <class T>
  T load(const std::string& id) {
    return opened().template load<T>(id);
  }
  template <class T>
  void load(const std::string& id, T& value) {
    value = opened().template load<T>(id);
  }
  /// All elements: `dims` may be another shape of as many.
  template <class T>
  void load(const std::string& id, T* data, const Dimensions& dims) {
    const perdure::extents stored = opened().dims(id);
    if (stored.elements() != dims.count())
      throw perdure::error(perdure::errc::invalid_argument,
                           "\"" + id + "\" has the shape " + stored.text() + ", not " + dims.shape().text());
    opened().load(id, perdure::array_view<T>(data, stored));
  }
  template <class T>
  void load(const std::string& id, T* data, const Offsets& offsets, const Sizes& sizes,
            const Dimensions& dims) {
    const perdure::extents stored = opened().dims(id);
    if (!(stored == dims.shape()))
      throw perdure::error(perdure::errc::invalid_argument,
                           "\"" + id + "\" has the shape " + stored.text() + ", not " + dims.shape().text());
    read(id, data, offsets.shape(), sizes.shape());
  }
  template <class T>
  void load(const std::string& id, T* data, int ndims, const std::size_t* offsets,
            const std::size_t* dimspp) {
    read(id, data, Dimensions(ndims, offsets).shape(), Dimensions(ndims, dimspp).shape());
  }
  /// Sets `ndims`, and as many elements of `dims`, unless that is null.
  void load_dims(const std::string& id, int* ndims, std::size_t* dims) {
    const perdure::extents stored = opened().dims(id);
    *ndims = static_cast<int>(stored.rank());
    if (dims == nullptr) return;
    for (std::size_t i = 0; i < stored.rank(); ++i) dims[i] = stored[i];
  }
  /// Reads dimensions, for callers that pass an element type.
  template <class T>
  void load_dims(const std::string& id, int* ndims, std::size_t* dims) {
    load_dims(id, ndims, dims);
  }

  /// `not_found`.
  void free(const std::string& id) {
    if (!opened().erase(id)) throw perdure::error(perdure::errc::not_found, "there is no \"" + id + '"');
    done();
  }

 private:
  perdure::array_store& opened() {
    if (!arrays_) throw perdure::error(perdure::errc::invalid_argument, "no store is open: call mmap first");
    return *arrays_;
  }
  void done() {
    if (!is_deferred_) opened().checkpoint();
  }
  /// Threads that ask for the same array get the same.
  template <class T>
  void reserve(const std::string& id, const perdure::extents& dims) {
    try {
      opened().template create<T>(id, dims,
                                  {.layout = perdure::array_layout::contiguous, .replaces_any = true});
    } catch (const perdure::error& failure) {
      // It is there, with that type and shape.
      if (failure.code() != perdure::errc::already_exists) throw;
    }
  }
  template <class T>
  void write(const std::string& id, const T* data, const perdure::extents& offset,
             const perdure::extents& count) {
    opened().store(id, perdure::array_view<const T>(data, count), offset);
    done();
  }
  template <class T>
  void read(const std::string& id, T* data, const perdure::extents& offset, const perdure::extents& count) {
    opened().load(id, perdure::slab{offset, count, {}}, perdure::array_view<T>(data, count));
  }

  std::unique_ptr<perdure::array_store> arrays_;
  bool is_deferred_ = false;
};

}  // namespace pmemcpy
