// Asks HDF5 for the chunks that are allocated.
#include "hdf5/hdf5_chunks.hpp"

#include <algorithm>
#include <array>
#include <perdure/error.hpp>
#include <string>

namespace perdure::formats {
namespace {

constexpr std::uint64_t sparse_from = std::uint64_t{64} << 20;
// HDF5 1.10 walks all chunks before one that is asked for by number.
constexpr std::uint64_t most_by_number = std::uint64_t{1} << 14;
constexpr std::uint64_t most_by_place = std::uint64_t{1} << 22;

#if H5_VERSION_GE(1, 10, 5)

class chunk_finder {
 public:
  chunk_finder(hid_t dataset, hid_t space, const extents& dims, const extents& chunk)
      : dataset_(dataset), space_(space), dims_(dims), chunk_(chunk) {}

  void by_number(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::array<hsize_t, H5S_MAX_RANK> at{};
      unsigned filters = 0;
      haddr_t address = 0;
      hsize_t bytes = 0;
      if (H5Dget_chunk_info(dataset_, space_, i, at.data(), &filters, &address, &bytes) < 0) refuse();
      add(at.data());
    }
  }

  void by_place() {
    std::array<hsize_t, H5S_MAX_RANK> at{};
    for (;;) {
      unsigned filters = 0;
      haddr_t address = HADDR_UNDEF;
      hsize_t bytes = 0;
      if (H5Dget_chunk_info_by_coord(dataset_, at.data(), &filters, &address, &bytes) < 0) refuse();
      if (address != HADDR_UNDEF) add(at.data());
      std::size_t i = dims_.rank();
      while (i > 0 && (at[i - 1] += chunk_[i - 1]) >= dims_[i - 1]) at[--i] = 0;
      if (i == 0) return;
    }
  }

  std::vector<slab> take() { return std::move(parts_); }

 private:
  [[noreturn]] static void refuse() {
    throw error(errc::bad_input, "the chunks of a dataset cannot be listed: " + hdf5_complaint());
  }

  void add(const hsize_t* at) {
    slab part{extents::all(dims_.rank(), 0), chunk_, {}};
    for (std::size_t i = 0; i < dims_.rank(); ++i) {
      if (at[i] >= dims_[i]) return;
      part.offset[i] = at[i];
      part.count[i] = std::min<std::uint64_t>(chunk_[i], dims_[i] - at[i]);
    }
    parts_.push_back(part);
  }

  hid_t dataset_;
  hid_t space_;
  const extents& dims_;
  const extents& chunk_;
  std::vector<slab> parts_;
};

#endif

}  // namespace

std::optional<std::vector<slab>> stored_chunks(hid_t dataset, hid_t properties, const extents& dims,
                                               std::size_t element_size) {
  std::uint64_t declared = dims.elements();
  if (__builtin_mul_overflow(declared, element_size, &declared)) declared = UINT64_MAX;
  if (declared < sparse_from) return std::nullopt;
  const H5D_layout_t layout = H5Pget_layout(properties);
  const bool is_external = H5Pget_external_count(properties) > 0;
  if (layout == H5D_CONTIGUOUS && !is_external && H5Dget_storage_size(dataset) == 0)
    return std::vector<slab>();
#if H5_VERSION_GE(1, 10, 5)
  if (layout != H5D_CHUNKED) return std::nullopt;
  extents chunk = dims;
  std::array<hsize_t, H5S_MAX_RANK> shape{};
  if (H5Pget_chunk(properties, H5S_MAX_RANK, shape.data()) != static_cast<int>(dims.rank()))
    return std::nullopt;
  std::uint64_t places = 1;
  std::uint64_t chunk_elements = 1;
  for (std::size_t i = 0; i < dims.rank(); ++i) {
    chunk[i] = std::max<std::uint64_t>(shape[i], 1);
    // Both fit, as all elements do.
    places *= (dims[i] - 1) / chunk[i] + 1;
    chunk_elements *= std::min(chunk[i], dims[i]);
  }
  const hdf5_handle space(H5Dget_space(dataset), H5Sclose, "its shape");
  hsize_t count = 0;
  if (H5Dget_num_chunks(dataset, space.get(), &count) < 0)
    throw error(errc::bad_input, "the chunks of a dataset cannot be counted: " + hdf5_complaint());
  std::uint64_t stored = 0;
  if (__builtin_mul_overflow(count, chunk_elements, &stored) || stored >= dims.elements() / 2)
    return std::nullopt;
  chunk_finder finder(dataset, space.get(), dims, chunk);
  if (count <= most_by_number)
    finder.by_number(count);
  else if (places <= most_by_place)
    finder.by_place();
  else
    throw error(errc::unsupported, "its " + std::to_string(count) + " chunks among " +
                                       std::to_string(places) +
                                       " places are too many to be found: store it with larger chunks");
  return finder.take();
#else
  return std::nullopt;
#endif
}

}  // namespace perdure::formats
