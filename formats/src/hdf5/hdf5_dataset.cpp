// Opens datasets, and reads their elements.
#include "hdf5/hdf5_dataset.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "declared_size.hpp"
#include "hdf5/hdf5_attributes.hpp"
#include "hdf5/hdf5_chunks.hpp"
#include "hdf5/hdf5_filters.hpp"
#include "hdf5/hdf5_types.hpp"
#include "hdf5/hdf5_variable.hpp"
#include "region.hpp"
#include "reserved_keys.hpp"

namespace perdure::formats {
namespace {

/// Bytes of a fill value that are written out without asking whether the file's data are as many.
constexpr std::uint64_t most_filled = std::uint64_t{1} << 30;

[[noreturn]] void refuse_dataset(const std::string& why) {
  throw error(errc::unsupported, why);
}

class hdf5_input final : public array_source {
 public:
  hdf5_input(std::shared_ptr<const hdf5_file> file, hdf5_handle dataset, hdf5_handle properties,
             data_type element, bool is_zero_filled, array_description what)
      : array_source(std::move(what)),
        file_(std::move(file)),
        dataset_(std::move(dataset)),
        properties_(std::move(properties)),
        type_(H5Dget_type(dataset_.get()), H5Tclose, what_.name),
        element_(std::move(element)),
        memory_(hdf5_memory_type(element_, type_.get())),
        is_zero_filled_(is_zero_filled) {}

  void read(const slab& part, std::byte* to) override {
    const std::uint64_t count = part.count.elements();
    if (count == 0) return;
    const std::size_t rank = what_.dims.rank() - element_.dims().size();
    // The library gives all of the elements' own dimensions.
    slab whole = part;
    bool is_whole = true;
    for (std::size_t i = rank; i < what_.dims.rank(); ++i) {
      is_whole = is_whole && part.count[i] == what_.dims[i];
      whole.offset[i] = 0;
      whole.count[i] = what_.dims[i];
    }
    if (is_whole) return read_elements(whole, rank, to, count);
    std::vector<std::byte> all(whole.count.elements() * what_.type.size());
    read_elements(whole, rank, all.data(), whole.count.elements());
    const region_strides strides = row_major(whole.count, what_.type.size());
    const std::byte* from = all.data();
    for (std::size_t i = rank; i < part.count.rank(); ++i) from += part.offset[i] * strides[i];
    copy_region(part.count, what_.type.size(), to, row_major(part.count, what_.type.size()), from, strides);
  }

  variable_elements read_variable() override {
    const std::uint64_t count = what_.dims.elements();
    if (count == 0) return {};
    const hdf5_handle space(H5Dget_space(dataset_.get()), H5Sclose, what_.name);
    require_lengths(*file_, dataset_.get(), type_.get(), count, what_.name);
    // Elements of variable length are stored as they are.
    variable_memory memory(what_.type, count, file_->bytes);
    if (H5Dread(dataset_.get(), memory_.get(), H5S_ALL, H5S_ALL, memory.transfer(), memory.data()) < 0) {
      if (memory.is_exceeded())
        throw error(errc::bad_input, file_->path.string() + ": elements of " + what_.name +
                                         " cannot be read: they are longer than the file");
      file_->refuse("elements of " + what_.name + " cannot be read");
    }
    memory.reclaim(memory_.get(), space.get());
    return memory.elements();
  }

  std::optional<std::vector<slab>> stored_parts() override {
    if (!is_zero_filled_ || what_.type.is_variable()) return std::nullopt;
    const std::size_t rank = what_.dims.rank() - element_.dims().size();
    std::optional<std::vector<slab>> parts;
    try {
      parts = stored_chunks(dataset_.get(), properties_.get(), extents(what_.dims.span().first(rank)),
                            element_.size());
    } catch (const error& failure) {
      throw error(failure.code(), file_->path.string() + ": " + what_.name + ": " + failure.what());
    }
    if (!parts) return std::nullopt;
    for (slab& one : *parts) {
      for (const std::uint64_t n : element_.dims()) {
        one.offset.push_back(0);
        one.count.push_back(n);
      }
    }
    return parts;
  }

 private:
  void read_elements(const slab& part, std::size_t rank, std::byte* to, std::uint64_t count) {
    const hdf5_handle space(H5Dget_space(dataset_.get()), H5Sclose, what_.name);
    std::array<hsize_t, max_rank> begin{};
    std::array<hsize_t, max_rank> shape{};
    for (std::size_t i = 0; i < rank; ++i) {
      begin[i] = part.offset[i];
      shape[i] = part.count[i];
    }
    const hdf5_handle memory(
        rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(rank), shape.data(), nullptr),
        H5Sclose, what_.name);
    // Elements that were never written, and are not to be filled, are left alone by the library.
    std::memset(to, 0, count * what_.type.size());
    const bool is_selected = rank == 0 || H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(),
                                                              nullptr, shape.data(), nullptr) >= 0;
    if (!is_selected ||
        H5Dread(dataset_.get(), memory_.get(), memory.get(), space.get(), H5P_DEFAULT, to) < 0)
      file_->refuse("elements of " + what_.name + " cannot be read");
  }

  std::shared_ptr<const hdf5_file> file_;
  hdf5_handle dataset_;
  hdf5_handle properties_;
  hdf5_handle type_;
  data_type element_;  // with its fixed dimensions
  hdf5_handle memory_;
  bool is_zero_filled_;
};

/// A dataset on its way to being a source.
class dataset_opener {
 public:
  dataset_opener(std::shared_ptr<const hdf5_file> file, hdf5_handle dataset, const std::string& name)
      : file_(std::move(file)),
        dataset_(std::move(dataset)),
        type_(H5Dget_type(dataset_.get()), H5Tclose, "its type"),
        space_(H5Dget_space(dataset_.get()), H5Sclose, "its shape"),
        properties_(H5Dget_create_plist(dataset_.get()), H5Pclose, "its properties") {
    what_.name = name;
  }

  std::unique_ptr<array_source> open(std::vector<loss>& losses) {
    element_ = element_from_hdf5(type_.get());
    for (const std::string& one : element_.losses) losses.push_back({what_.name, one});
    read_shape();
    require_sources();
    if (const auto filter = missing_filter(properties_.get());
        filter && H5Dget_storage_size(dataset_.get()) != 0)
      refuse_dataset(
          "it needs the HDF5 filter " + *filter +
          ", which is not installed: install its plugin, and set HDF5_PLUGIN_PATH to its directory");
    read_fill_value();
    require_held();
    read_chunk();
    hdf5_attributes attributes = read_attributes(*file_, dataset_.get(), rank_);
    for (const std::string& one : attributes.losses) losses.push_back({what_.name, one});
    what_.dimensions = std::move(attributes.dimensions);
    // Fixed dimensions have no names.
    if (!what_.dimensions.empty()) what_.dimensions.resize(what_.dims.rank());
    std::move(attributes.kept.begin(), attributes.kept.end(), std::back_inserter(what_.attributes));
    return std::make_unique<hdf5_input>(file_, std::move(dataset_), std::move(properties_), element_.type,
                                        is_zero_filled_, std::move(what_));
  }

 private:
  void add(std::string_view key, const data_type& type, const extents& dims, std::string bytes) {
    what_.attributes.push_back({std::string(key), type, dims, std::move(bytes)});
  }

  void read_shape() {
    std::array<hsize_t, H5S_MAX_RANK> dims{};
    std::array<hsize_t, H5S_MAX_RANK> most{};
    const int rank = H5Sget_simple_extent_ndims(space_.get());
    if (rank < 0 || H5Sget_simple_extent_dims(space_.get(), dims.data(), most.data()) < 0)
      refuse_dataset("its shape cannot be read: " + hdf5_complaint());
    rank_ = static_cast<std::size_t>(rank);
    const bool is_null = H5Sget_simple_extent_type(space_.get()) == H5S_NULL;
    for (std::size_t i = 0; i < rank_; ++i) what_.dims.push_back(dims[i]);
    if (is_null) what_.dims.push_back(0);
    for (const std::uint64_t n : element_.type.dims()) what_.dims.push_back(n);
    what_.type = element_.type.base();
    what_.dims.elements();  // throws if there are too many
    if (is_null) add(null_key, null_type(), {}, {});
    if (!std::equal(dims.begin(), dims.begin() + rank, most.begin())) {
      std::vector<std::uint64_t> limits(most.begin(), most.begin() + rank);
      limits.insert(limits.end(), element_.type.dims().begin(), element_.type.dims().end());
      what_.attributes.push_back(max_dims_attribute(limits));
    }
    if (!element_.enumeration.empty())
      what_.attributes.push_back(list_of_texts(std::string(enumeration_key), element_.enumeration));
    if (element_.is_utf8 && what_.type.kind() == element_kind::character)
      add(charset_key, element_kind::text, {}, "utf-8");
  }

  /// Files and datasets that elements lie in must be there, as a whole: HDF5 gives zeros or the fill value
  /// in the place of those that are not.
  void require_sources() const {
    require_external();
    std::size_t count = 0;
    if (H5Pget_layout(properties_.get()) != H5D_VIRTUAL ||
        H5Pget_virtual_count(properties_.get(), &count) < 0)
      return;
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t i = 0; i < count; ++i) {
      std::array<char, 4096> file{};
      std::array<char, 4096> dataset{};
      if (H5Pget_virtual_filename(properties_.get(), i, file.data(), file.size()) < 0 ||
          H5Pget_virtual_dsetname(properties_.get(), i, dataset.data(), dataset.size()) < 0)
        continue;
      // Names with "%b" are as many as there are files or datasets.
      const bool is_pattern = std::strstr(file.data(), "%b") != nullptr;
      if (!is_pattern && seen.emplace(file.data(), dataset.data()).second)
        require_source(file.data(), dataset.data());
    }
  }

  void require_external() const {
    std::uint64_t needed = element_.type.size();
    for (std::size_t i = 0; i < rank_; ++i)
      if (__builtin_mul_overflow(needed, what_.dims[i], &needed)) needed = UINT64_MAX;
    for (int i = 0; i < H5Pget_external_count(properties_.get()); ++i) {
      std::array<char, 4096> name{};
      off_t offset = 0;
      hsize_t size = 0;
      if (H5Pget_external(properties_.get(), static_cast<unsigned>(i), name.size() - 1, name.data(), &offset,
                          &size) < 0)
        continue;
      const std::filesystem::path path = path_of(name.data(), std::filesystem::current_path());
      const std::uint64_t here = std::min<std::uint64_t>(needed, size);
      needed -= here;
      std::error_code ignored;
      const std::uint64_t bytes = std::filesystem::file_size(path, ignored);
      const auto begin = static_cast<std::uint64_t>(offset);
      if (!ignored && here != 0 && (begin > bytes || here > bytes - begin))
        refuse_dataset("its elements are in another file, " + path.string() +
                       ", which is cut short: it has " + std::to_string(bytes) + " bytes");
    }
  }

  void require_source(const std::string& name, const std::string& dataset) const {
    hdf5_handle opened;
    hid_t file = file_->file.get();
    if (name != ".") {
      const std::filesystem::path path = path_of(name, file_->path.parent_path());
      opened = hdf5_handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, path.string());
      file = opened.get();
    }
    if (dataset.find("%b") != std::string::npos) return;
    const hid_t found = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
    if (found < 0) refuse_dataset("its elements are in " + dataset + " of " + name + ", which is not there");
    H5Dclose(found);
  }

  static std::filesystem::path path_of(const std::filesystem::path& name,
                                       const std::filesystem::path& directory) {
    std::error_code ignored;
    if (std::filesystem::exists(directory / name, ignored)) return directory / name;
    if (std::filesystem::exists(name, ignored)) return name;
    refuse_dataset("its elements are in another file, " + name.string() + ", which is not there");
  }

  void read_fill_value() {
    H5D_fill_value_t status = H5D_FILL_VALUE_DEFAULT;
    if (H5Pfill_value_defined(properties_.get(), &status) < 0 || status != H5D_FILL_VALUE_USER_DEFINED ||
        element_.type.size() > most_filled)
      return;
    if (element_.type.is_variable()) return read_fill_text();
    const hdf5_handle memory = hdf5_memory_type(element_.type, type_.get());
    std::string value(element_.type.size(), '\0');
    if (H5Pget_fill_value(properties_.get(), memory.get(), value.data()) < 0) return;
    is_zero_filled_ = std::all_of(value.begin(), value.end(), [](char one) { return one == 0; });
    add(fill_value_key, what_.type, extents(std::span(element_.type.dims())), std::move(value));
  }

  void read_fill_text() {
    char* text = nullptr;
    if (element_.type.kind() != element_kind::text ||
        H5Pget_fill_value(properties_.get(), type_.get(), &text) < 0 || text == nullptr)
      return;
    if (*text != '\0') add(fill_value_key, what_.type, {}, text);
    H5free_memory(text);
  }

  /// Refuses what a damaged header declares.
  void require_held() const {
    const std::uint64_t size = what_.type.is_variable() ? H5Tget_size(type_.get()) : element_.type.size();
    std::uint64_t declared = 0;
    std::uint64_t count = 1;
    for (std::size_t i = 0; i < rank_; ++i) count *= what_.dims[i];
    if (H5Sget_simple_extent_type(space_.get()) == H5S_NULL) count = 0;
    if (__builtin_mul_overflow(count, size, &declared)) declared = UINT64_MAX;
    if (!can_hold(file_->bytes, size) || (what_.type.is_variable() && !can_hold(file_->bytes, declared)))
      refuse_dataset("it declares more than its file of " + std::to_string(file_->bytes) + " bytes can hold");
    const std::uint64_t stored = H5Dget_storage_size(dataset_.get());
    if (is_zero_filled_ || declared <= most_filled || declared / most_expansion <= stored) return;
    if (H5Pget_layout(properties_.get()) == H5D_VIRTUAL || H5Pget_external_count(properties_.get()) > 0)
      return;
    refuse_dataset(
        "it declares " + std::to_string(declared) + " bytes and has " + std::to_string(stored) +
        "; its other elements have a fill value that is not 0, and a store keeps only zeros without space");
  }

  void read_chunk() {
    if (H5Pget_layout(properties_.get()) != H5D_CHUNKED) return;
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    const int rank = H5Pget_chunk(properties_.get(), H5S_MAX_RANK, chunk.data());
    if (rank < 0 || static_cast<std::size_t>(rank) != rank_) return;
    for (std::size_t i = 0; i < rank_; ++i) what_.chunk.push_back(std::max<hsize_t>(chunk[i], 1));
    for (const std::uint64_t n : element_.type.dims()) what_.chunk.push_back(n);
    // A chunk is in memory as a whole.
    std::uint64_t bytes = element_.type.size();
    for (std::size_t i = 0; i < rank_; ++i)
      if (__builtin_mul_overflow(bytes, what_.chunk[i], &bytes)) bytes = UINT64_MAX;
    if (!can_hold(file_->bytes, bytes) && H5Dget_storage_size(dataset_.get()) != 0)
      refuse_dataset("it declares chunks of " + std::to_string(bytes) + " bytes, more than its file of " +
                     std::to_string(file_->bytes) + " bytes can hold");
  }

  std::shared_ptr<const hdf5_file> file_;
  hdf5_handle dataset_;
  hdf5_handle type_;
  hdf5_handle space_;
  hdf5_handle properties_;
  hdf5_element element_;
  std::size_t rank_ = 0;
  bool is_zero_filled_ = true;
  array_description what_;
};

}  // namespace

std::unique_ptr<array_source> open_dataset(std::shared_ptr<const hdf5_file> file, hdf5_handle dataset,
                                           const std::string& name, std::vector<loss>& losses) {
  return dataset_opener(std::move(file), std::move(dataset), name).open(losses);
}

}  // namespace perdure::formats
