// Reports failures of HDF5.
#include "hdf5/hdf5_handle.hpp"

#include <perdure/error.hpp>

namespace perdure::formats {

hdf5_handle::hdf5_handle(hid_t id, closer close, const std::string& what) : id_(id), close_(close) {
  if (id < 0) throw error(errc::bad_input, what + ": HDF5 cannot read it: " + hdf5_complaint());
}

void hdf5_file::refuse(const std::string& what) const {
  throw error(errc::bad_input, path.string() + ": " + what + ": " + hdf5_complaint());
}

void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string hdf5_complaint() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned level, const H5E_error2_t* one, void* out) -> herr_t {
        if (level == 0 && one->desc != nullptr) *static_cast<std::string*>(out) = one->desc;
        return 0;
      },
      &text);
  return text.empty() ? "it is damaged" : text;
}

}  // namespace perdure::formats
