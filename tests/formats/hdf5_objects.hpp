// Makes HDF5 files by HDF5's own library, for what other programs write and Perdure does not.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

namespace perdure::test {

/// A type of texts.
inline hid_t text_type(std::size_t size, H5T_cset_t set, H5T_str_t padding = H5T_STR_NULLPAD) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  H5Tset_cset(type, set);
  if (size != H5T_VARIABLE) H5Tset_strpad(type, padding);
  return type;
}

/// A file that is written. Identifiers of types and properties are left open until the process ends.
class hdf5_objects {
 public:
  explicit hdf5_objects(const std::filesystem::path& path, hid_t access = H5P_DEFAULT)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)) {
    EXPECT_GE(file_, 0) << path;
  }
  hdf5_objects(const hdf5_objects&) = delete;
  hdf5_objects& operator=(const hdf5_objects&) = delete;
  ~hdf5_objects() { H5Fclose(file_); }

  hid_t file() const noexcept { return file_; }

  /// Writes a dataset; a single element without dimensions.
  void dataset(const std::string& name, hid_t type, const std::vector<hsize_t>& dims, const void* elements,
               hid_t properties = H5P_DEFAULT, const std::vector<hsize_t>& limits = {}) const {
    const hid_t space = space_of(dims, limits);
    const hid_t made = H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    EXPECT_GE(made, 0) << name;
    if (elements != nullptr) {
      EXPECT_GE(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements), 0) << name;
    }
    H5Dclose(made);
    H5Sclose(space);
  }
  void group(const std::string& name) const {
    H5Gclose(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  /// Writes an attribute of an object, "/" is the file itself.
  void attribute(const std::string& object, const std::string& key, hid_t type,
                 const std::vector<hsize_t>& dims, const void* elements) const {
    const hid_t space = space_of(dims, {});
    attribute_in(object, key, type, space, elements);
    H5Sclose(space);
  }
  /// Writes an attribute that has no value.
  void null_attribute(const std::string& object, const std::string& key, hid_t type) const {
    const hid_t space = H5Screate(H5S_NULL);
    attribute_in(object, key, type, space, nullptr);
    H5Sclose(space);
  }

 private:
  static hid_t space_of(const std::vector<hsize_t>& dims, const std::vector<hsize_t>& limits) {
    if (dims.empty()) return H5Screate(H5S_SCALAR);
    return H5Screate_simple(static_cast<int>(dims.size()), dims.data(),
                            limits.empty() ? nullptr : limits.data());
  }
  void attribute_in(const std::string& object, const std::string& key, hid_t type, hid_t space,
                    const void* elements) const {
    const hid_t opened = H5Oopen(file_, object.c_str(), H5P_DEFAULT);
    const hid_t made = H5Acreate2(opened, key.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(made, 0) << key;
    if (elements != nullptr) {
      EXPECT_GE(H5Awrite(made, type, elements), 0) << key;
    }
    H5Aclose(made);
    H5Oclose(opened);
  }

  hid_t file_;
};

}  // namespace perdure::test
