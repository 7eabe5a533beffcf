// Open identifiers of HDF5, and what HDF5 says of a failure.
#pragma once

// The functions of HDF5 1.10, which later versions have too.
#define H5_USE_110_API
#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace perdure::formats {

/// An identifier that is closed by its own function.
class hdf5_handle {
 public:
  using closer = herr_t (*)(hid_t);
  hdf5_handle() = default;
  /// Takes over an identifier. `bad_input` if it is none: `what` names the object.
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

/// An open file that is read.
struct hdf5_file {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  hdf5_handle file;

  /// Throws `bad_input` with what HDF5 says.
  [[noreturn]] void refuse(const std::string& what) const;
};

/// Keeps HDF5 from printing its errors.
void silence_hdf5();
/// Returns the innermost message of HDF5's last failure.
std::string hdf5_complaint();

}  // namespace perdure::formats
