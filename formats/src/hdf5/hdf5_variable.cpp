// Limits the memory that damaged lengths make HDF5 allocate.
#include "hdf5/hdf5_variable.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <perdure/error.hpp>

namespace perdure::formats {

variable_memory::variable_memory(const data_type& type, std::size_t count, std::uint64_t most_bytes)
    : type_(type),
      texts_(type.kind() == element_kind::text ? count : 0),
      lists_(type.kind() == element_kind::text ? 0 : count),
      // Each text has a zero at its end.
      left_(most_bytes + count),
      transfer_(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "a transfer") {
  H5Pset_vlen_mem_manager(
      transfer_.get(), allocate, this, [](void* memory, void*) { std::free(memory); }, this);
}

variable_memory::~variable_memory() {
  if (reclaim_ >= 0) H5Dvlen_reclaim(reclaim_, space_, transfer_.get(), data());
}

void* variable_memory::allocate(size_t size, void* self) {
  auto& memory = *static_cast<variable_memory*>(self);
  if (size > memory.left_) {
    memory.is_exceeded_ = true;
    return nullptr;
  }
  memory.left_ -= size;
  return std::malloc(size);
}

void* variable_memory::data() noexcept {
  return type_.kind() == element_kind::text ? static_cast<void*>(texts_.data())
                                            : static_cast<void*>(lists_.data());
}

void variable_memory::reclaim(hid_t type, hid_t space) noexcept {
  reclaim_ = type;
  space_ = space;
}

variable_elements variable_memory::elements() const {
  variable_elements all;
  for (const char* const text : texts_) {
    if (text != nullptr) all.bytes += text;
    all.ends.push_back(all.bytes.size());
  }
  for (const hvl_t& list : lists_) {
    if (list.len != 0) all.bytes.append(static_cast<const char*>(list.p), list.len * type_.element().size());
    all.ends.push_back(all.bytes.size());
  }
  return all;
}

void variable_memory::point_to(variable_elements& all) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < all.ends.size(); ++i) {
    if (type_.kind() != element_kind::text) {
      lists_[i] = {(all.ends[i] - begin) / std::max<std::size_t>(type_.element().size(), 1),
                   all.bytes.data() + begin};
    } else {
      const std::string& one = copies_.emplace_back(all.bytes, begin, all.ends[i] - begin);
      if (one.find('\0') != std::string::npos)
        throw error(errc::unsupported,
                    "text " + std::to_string(i) +
                        " has a zero byte, where HDF5 and NetCDF end texts: choose .npz or .zarr");
    }
    begin = all.ends[i];
  }
  for (std::size_t i = 0; i < copies_.size(); ++i) texts_[i] = copies_[i].data();
}

void require_lengths(const hdf5_file& file, hid_t dataset, hid_t type, std::uint64_t count,
                     const std::string& name) {
  const hdf5_handle properties(H5Dget_create_plist(dataset), H5Pclose, "its properties");
  const haddr_t begin = H5Dget_offset(dataset);
  if (H5Pget_layout(properties.get()) != H5D_CONTIGUOUS || H5Pget_external_count(properties.get()) > 0 ||
      begin == HADDR_UNDEF)
    return;
  const hdf5_handle base(H5Tget_super(type), H5Tclose, "its type");
  const std::uint64_t element_size = std::max<std::size_t>(H5Tget_size(base.get()), 1);
  // An element is its length in 4 bytes, the lowest first, an address and a number in 4 bytes.
  const hdf5_handle creation(H5Fget_create_plist(file.file.get()), H5Pclose, "its file's properties");
  std::size_t address_size = 0;
  std::size_t length_size = 0;
  H5Pget_sizes(creation.get(), &address_size, &length_size);
  const std::size_t size = 2 * sizeof(std::uint32_t) + address_size;
  std::ifstream bytes(file.path, std::ios::binary);
  bytes.seekg(static_cast<std::streamoff>(begin));
  std::string one(size, '\0');
  for (std::uint64_t i = 0; i < count && bytes.read(one.data(), static_cast<std::streamsize>(size)); ++i) {
    std::uint32_t length = 0;
    std::memcpy(&length, one.data(), sizeof length);
    if (length * element_size > file.bytes)
      throw error(errc::bad_input, file.path.string() + ": elements of " + name + " cannot be read: number " +
                                       std::to_string(i) + " declares " +
                                       std::to_string(length * element_size) +
                                       " bytes, more than the file has");
  }
}

}  // namespace perdure::formats
