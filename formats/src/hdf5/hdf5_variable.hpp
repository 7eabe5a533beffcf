// Texts and lists of variable length, as HDF5 gives them and takes them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/data_type.hpp>
#include <string>
#include <vector>

#include "hdf5/hdf5_handle.hpp"

namespace perdure::formats {

/// Memory for elements of variable length that are read from a file or written to one.
class variable_memory {
 public:
  /// Memory for `count` elements. Elements that are read may have `most_bytes` together.
  variable_memory(const data_type& type, std::size_t count, std::uint64_t most_bytes);
  variable_memory(const variable_memory&) = delete;
  variable_memory& operator=(const variable_memory&) = delete;
  ~variable_memory();

  void* data() noexcept;
  /// Returns the transfer properties that a read must use: they limit what HDF5 allocates.
  hid_t transfer() const noexcept { return transfer_.get(); }
  /// Must be called once HDF5 has read elements. `type` and `space` must stay open until this object ends.
  void reclaim(hid_t type, hid_t space) noexcept;
  /// Returns the elements that were read.
  variable_elements elements() const;
  /// Points to elements to be written; `all` must stay where it is. `unsupported` for a text with a zero
  /// byte, where HDF5 ends it.
  void point_to(variable_elements& all);
  /// Returns whether a read failed because elements had more than `most_bytes`.
  bool is_exceeded() const noexcept { return is_exceeded_; }

 private:
  static void* allocate(size_t size, void* self);

  const data_type& type_;
  std::vector<char*> texts_;
  std::vector<hvl_t> lists_;
  std::vector<std::string> copies_;
  std::uint64_t left_;
  bool is_exceeded_ = false;
  hdf5_handle transfer_;
  hid_t reclaim_ = H5I_INVALID_HID;
  hid_t space_ = H5I_INVALID_HID;
};

/// Throws `bad_input` if a dataset of texts or lists declares an element that is longer than its file. HDF5
/// allocates such lengths before it looks for the elements. Only datasets in one piece are looked at; `name`
/// is in the message.
void require_lengths(const hdf5_file& file, hid_t dataset, hid_t type, std::uint64_t count,
                     const std::string& name);

}  // namespace perdure::formats
