// Element types as HDF5 has them.
#pragma once

#include <hdf5.h>

#include <perdure/data_type.hpp>
#include <string>
#include <utility>

namespace perdure::formats {

/// An open thing of HDF5, closed by its own function.
class hdf5_handle {
 public:
  using closer = herr_t (*)(hid_t);
  hdf5_handle() = default;
  /// `bad_input` where the library failed: `what` says of what.
  hdf5_handle(hid_t id, closer close, const std::string& what);
  hdf5_handle(hdf5_handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  hdf5_handle& operator=(hdf5_handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~hdf5_handle() {
    if (id_ >= 0) close_(id_);
  }
  hid_t get() const noexcept { return id_; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  closer close_ = nullptr;
};

/// What a file's type is here, with fixed dimensions. `unsupported`.
data_type type_from_hdf5(hid_t type, unsigned depth = 0);
/// In this machine's memory. Texts are of variable length.
hdf5_handle hdf5_memory_type(const data_type& type);

}  // namespace perdure::formats
