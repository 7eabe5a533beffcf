// Reads and writes HDF5 files by their own library: all datasets, by their paths without the first "/". Links
// to other files are not followed. A name with "/" becomes a path of groups.

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <perdure/array/array_pieces.hpp>
#include <perdure/error.hpp>
#include <set>
#include <vector>

#include "hdf5/hdf5_types.hpp"
#include "module/format.hpp"
#include "region.hpp"

namespace perdure::formats {

namespace {

constexpr std::size_t deepest_group = 64;
constexpr std::size_t most_datasets = std::size_t{1} << 20;
constexpr const char* labels_key = "DIMENSION_LABELS";

/// The library prints what goes wrong, unless it is told not to.
void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// What HDF5 says went wrong, in a line: the innermost of its messages.
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

struct hdf5_file {
  std::filesystem::path path;
  hdf5_handle file;

  [[noreturn]] void refuse(const std::string& what) const {
    throw error(errc::bad_input, path.string() + ": " + what + ": " + hdf5_complaint());
  }
};

/// The dimensions of a dataspace; empty of a single element, and of none at all.
extents dims_of(const hdf5_file& file, hid_t space, const std::string& name) {
  std::array<hsize_t, H5S_MAX_RANK> dims{};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || H5Sget_simple_extent_dims(space, dims.data(), nullptr) < 0)
    file.refuse("the shape of " + name + " cannot be read");
  extents result;
  for (int i = 0; i < rank; ++i) result.push_back(dims[static_cast<std::size_t>(i)]);
  return result;
}

/// Variable elements as the library gives them, and takes them back.
class variable_memory {
 public:
  variable_memory(const data_type& type, std::size_t count)
      : type_(type),
        texts_(type.kind() == element_kind::text ? count : 0),
        lists_(texts_.empty() ? count : 0) {}
  variable_memory(const variable_memory&) = delete;
  variable_memory& operator=(const variable_memory&) = delete;
  ~variable_memory() {
    if (reclaim_ >= 0) H5Dvlen_reclaim(reclaim_, space_, H5P_DEFAULT, data());
  }

  void* data() noexcept {
    return texts_.empty() ? static_cast<void*>(lists_.data()) : static_cast<void*>(texts_.data());
  }
  /// Once the library has given them. Both must live as long.
  void reclaim(hid_t type, hid_t space) noexcept {
    reclaim_ = type;
    space_ = space;
  }
  variable_elements elements() const {
    variable_elements all;
    for (const char* const text : texts_) {
      if (text != nullptr) all.bytes += text;
      all.ends.push_back(all.bytes.size());
    }
    for (const hvl_t& list : lists_) {
      all.bytes.append(static_cast<const char*>(list.p), list.len * type_.element().size());
      all.ends.push_back(all.bytes.size());
    }
    return all;
  }
  /// To be written: `all` must live as long.
  void point_to(variable_elements& all) {
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < all.ends.size(); ++i) {
      if (texts_.empty()) {
        lists_[i] = {(all.ends[i] - begin) / std::max<std::size_t>(type_.element().size(), 1),
                     all.bytes.data() + begin};
      } else {
        copies_.emplace_back(all.bytes, begin, all.ends[i] - begin);
      }
      begin = all.ends[i];
    }
    for (std::size_t i = 0; i < copies_.size(); ++i) texts_[i] = copies_[i].data();
  }

 private:
  const data_type& type_;
  std::vector<char*> texts_;
  std::vector<hvl_t> lists_;
  std::vector<std::string> copies_;
  hid_t reclaim_ = H5I_INVALID_HID;
  hid_t space_ = H5I_INVALID_HID;
};

class hdf5_input final : public array_source {
 public:
  hdf5_input(std::shared_ptr<const hdf5_file> file, hdf5_handle dataset, data_type element,
             array_description what)
      : array_source(std::move(what)),
        file_(std::move(file)),
        dataset_(std::move(dataset)),
        element_(std::move(element)),
        memory_(hdf5_memory_type(element_)) {}

  void read(const slab& part, std::byte* to) override {
    if (part.count.elements() == 0) return;
    const std::size_t fixed = element_.dims().size();
    const std::size_t rank = what_.dims.rank() - fixed;
    // Of the elements' own dimensions the library gives all.
    slab whole = part;
    bool is_whole = true;
    for (std::size_t i = rank; i < what_.dims.rank(); ++i) {
      is_whole = is_whole && part.count[i] == what_.dims[i];
      whole.offset[i] = 0;
      whole.count[i] = what_.dims[i];
    }
    if (is_whole) return read_elements(whole, rank, to);
    std::vector<std::byte> all(whole.count.elements() * what_.type.size());
    read_elements(whole, rank, all.data());
    const region_strides strides = row_major(whole.count, what_.type.size());
    const std::byte* from = all.data();
    for (std::size_t i = rank; i < part.count.rank(); ++i) from += part.offset[i] * strides[i];
    copy_region(part.count, what_.type.size(), to, row_major(part.count, what_.type.size()), from, strides);
  }

  variable_elements read_variable() override {
    const std::uint64_t count = what_.dims.elements();
    if (count == 0) return {};
    const hdf5_handle space(H5Dget_space(dataset_.get()), H5Sclose, what_.name);
    variable_memory memory(what_.type, count);
    if (H5Dread(dataset_.get(), memory_.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, memory.data()) < 0)
      file_->refuse("elements of " + what_.name + " cannot be read");
    memory.reclaim(memory_.get(), space.get());
    return memory.elements();
  }

 private:
  void read_elements(const slab& part, std::size_t rank, std::byte* to) {
    const hdf5_handle space(H5Dget_space(dataset_.get()), H5Sclose, what_.name);
    std::array<hsize_t, max_rank> begin{};
    std::array<hsize_t, max_rank> count{};
    for (std::size_t i = 0; i < rank; ++i) {
      begin[i] = part.offset[i];
      count[i] = part.count[i];
    }
    const hdf5_handle memory(
        rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(rank), count.data(), nullptr),
        H5Sclose, what_.name);
    const bool is_selected = rank == 0 || H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(),
                                                              nullptr, count.data(), nullptr) >= 0;
    if (!is_selected ||
        H5Dread(dataset_.get(), memory_.get(), memory.get(), space.get(), H5P_DEFAULT, to) < 0)
      file_->refuse("elements of " + what_.name + " cannot be read");
  }
  std::shared_ptr<const hdf5_file> file_;
  hdf5_handle dataset_;
  data_type element_;  // with its fixed dimensions
  hdf5_handle memory_;
};

/// Those that can be read; others are left out.
void read_attributes(const hdf5_file& file, hid_t object, array_description& what) {
  std::vector<std::string> keys;
  hsize_t at = 0;
  H5Aiterate2(
      object, H5_INDEX_NAME, H5_ITER_INC, &at,
      [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->push_back(name);
        return 0;
      },
      &keys);
  for (const std::string& key : keys) {
    try {
      const hdf5_handle attribute(H5Aopen(object, key.c_str(), H5P_DEFAULT), H5Aclose, key);
      const hdf5_handle type(H5Aget_type(attribute.get()), H5Tclose, key);
      const hdf5_handle space(H5Aget_space(attribute.get()), H5Sclose, key);
      const data_type element = type_from_hdf5(type.get());
      extents dims = dims_of(file, space.get(), key);
      const std::uint64_t count = dims.elements();
      const hdf5_handle memory = hdf5_memory_type(element);
      if (element.kind() == element_kind::text) {
        if (count > 4096) continue;
        variable_memory texts(element, count);
        if (count == 0 || H5Aread(attribute.get(), memory.get(), texts.data()) < 0) continue;
        texts.reclaim(memory.get(), space.get());
        variable_elements all = texts.elements();
        if (key == labels_key && dims.rank() == 1 && count == what.dims.rank()) {
          std::uint64_t begin = 0;
          for (const std::uint64_t end : all.ends) {
            what.dimensions.push_back(all.bytes.substr(begin, end - begin));
            begin = end;
          }
          const auto is_empty = [](const std::string& one) { return one.empty(); };
          if (std::any_of(what.dimensions.begin(), what.dimensions.end(), is_empty)) what.dimensions.clear();
        } else if (count == 1) {
          what.attributes.push_back({key, element, {}, std::move(all.bytes)});
        }
        continue;
      }
      if (element.is_variable() || count * element.size() > (std::size_t{64} << 20)) continue;
      std::string bytes(count * element.size(), '\0');
      if (!bytes.empty() && H5Aread(attribute.get(), memory.get(), bytes.data()) < 0) continue;
      if (element.kind() == element_kind::character && dims.empty()) {
        bytes.resize(::strnlen(bytes.data(), bytes.size()));
        what.attributes.push_back({key, element_kind::text, {}, std::move(bytes)});
        continue;
      }
      for (const std::uint64_t n : element.dims()) dims.push_back(n);
      what.attributes.push_back({key, element.base(), dims, std::move(bytes)});
    } catch (const error&) {
      // What has no type here is left out.
    }
  }
}

std::unique_ptr<array_source> open_dataset(const std::shared_ptr<const hdf5_file>& file, hdf5_handle dataset,
                                           const std::string& name) {
  const hdf5_handle type(H5Dget_type(dataset.get()), H5Tclose, file->path.string() + ": " + name);
  const hdf5_handle space(H5Dget_space(dataset.get()), H5Sclose, file->path.string() + ": " + name);
  array_description what;
  what.name = name;
  data_type element;
  try {
    element = type_from_hdf5(type.get());
  } catch (const error& failure) {
    throw error(failure.code(), file->path.string() + ": " + name + ": " + failure.what());
  }
  what.dims = dims_of(*file, space.get(), name);
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) what.dims.push_back(0);
  for (const std::uint64_t n : element.dims()) what.dims.push_back(n);
  what.type = element.base();
  const hdf5_handle properties(H5Dget_create_plist(dataset.get()), H5Pclose, name);
  if (H5Pget_layout(properties.get()) == H5D_CHUNKED) {
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    const int rank = H5Pget_chunk(properties.get(), H5S_MAX_RANK, chunk.data());
    for (int i = 0; i < rank; ++i)
      what.chunk.push_back(std::max<hsize_t>(chunk[static_cast<std::size_t>(i)], 1));
    for (const std::uint64_t n : element.dims()) what.chunk.push_back(n);
  }
  read_attributes(*file, dataset.get(), what);
  return std::make_unique<hdf5_input>(file, std::move(dataset), std::move(element), std::move(what));
}

/// Links may lead back to a group above, which has been seen.
void add_datasets(const std::shared_ptr<const hdf5_file>& file, hid_t group, const std::string& prefix,
                  std::size_t depth, std::set<haddr_t>& seen, array_sources& arrays) {
  std::vector<std::string> names;
  hsize_t at = 0;
  const herr_t walked = H5Literate(
      group, H5_INDEX_NAME, H5_ITER_INC, &at,
      [](hid_t, const char* name, const H5L_info_t* info, void* out) -> herr_t {
        // Links to other files are not followed.
        if (info->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(out)->push_back(name);
        return 0;
      },
      &names);
  if (walked < 0) file->refuse("its groups cannot be read");
  for (const std::string& name : names) {
    H5O_info_t info{};
    std::string whole_name = prefix;
    whole_name += name;
    hdf5_handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose,
                       file->path.string().append(": ").append(whole_name));
    if (H5Oget_info1(object.get(), &info) < 0) file->refuse(whole_name.append(" cannot be read"));
    if (info.type == H5O_TYPE_DATASET) {
      if (arrays.size() >= most_datasets) file->refuse("it has too many datasets");
      arrays.push_back(open_dataset(file, std::move(object), prefix + name));
    } else if (info.type == H5O_TYPE_GROUP && depth < deepest_group && seen.insert(info.addr).second) {
      add_datasets(file, object.get(), prefix + name + '/', depth + 1, seen, arrays);
    }
  }
}

array_sources open_hdf5(const std::filesystem::path& path) {
  silence_hdf5();
  auto file = std::make_shared<hdf5_file>();
  file->path = path;
  const hid_t opened = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (opened < 0) file->refuse("HDF5 cannot open it");
  file->file = hdf5_handle(opened, H5Fclose, path.string());
  array_sources arrays;
  std::set<haddr_t> seen;
  H5O_info_t root{};
  const hdf5_handle group(H5Gopen2(opened, "/", H5P_DEFAULT), H5Gclose, path.string());
  if (H5Oget_info1(group.get(), &root) >= 0) seen.insert(root.addr);
  add_datasets(file, group.get(), "", 0, seen, arrays);
  return arrays;
}

void require_written(const std::filesystem::path& path, bool is_done, const std::string& what) {
  if (is_done) return;
  throw error(errc::io, path.string() + ": HDF5 cannot write " + what + ": " + hdf5_complaint());
}

hdf5_handle made(const std::filesystem::path& path, hid_t id, hdf5_handle::closer close,
                 const std::string& what) {
  require_written(path, id >= 0, what);
  return {id, close, what};
}

void write_text_attribute(const std::filesystem::path& path, hid_t object, const std::string& key,
                          std::vector<std::string> texts, bool is_list) {
  const hdf5_handle type = hdf5_memory_type(element_kind::text);
  const hsize_t count = texts.size();
  const hdf5_handle space(is_list ? H5Screate_simple(1, &count, nullptr) : H5Screate(H5S_SCALAR), H5Sclose,
                          key);
  const hdf5_handle attribute =
      made(path, H5Acreate2(object, key.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
           key);
  std::vector<char*> pointers;
  pointers.reserve(texts.size());
  for (std::string& one : texts) pointers.push_back(one.data());
  require_written(path, H5Awrite(attribute.get(), type.get(), pointers.data()) >= 0, key);
}

void write_attribute(const std::filesystem::path& path, hid_t object, const array_attribute& one) {
  if (one.type.kind() == element_kind::text)
    return write_text_attribute(path, object, one.key, {one.bytes}, false);
  if (one.type.is_variable()) return;
  const hdf5_handle type = hdf5_memory_type(one.type);
  std::vector<hsize_t> dims(one.dims.begin(), one.dims.end());
  const hdf5_handle space(dims.empty()
                              ? H5Screate(H5S_SCALAR)
                              : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                          H5Sclose, one.key);
  const hdf5_handle attribute =
      made(path, H5Acreate2(object, one.key.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
           H5Aclose, one.key);
  require_written(path, one.bytes.empty() || H5Awrite(attribute.get(), type.get(), one.bytes.data()) >= 0,
                  one.key);
}

void write_dataset(const std::filesystem::path& path, hid_t file, array_source& from, bool compressed) {
  const array_description& what = from.what();
  // The last dimension of characters is a text's length.
  data_type element = what.type;
  std::size_t rank = what.dims.rank();
  if (element.kind() == element_kind::character && rank != 0 && what.dims[rank - 1] > 0)
    element = element.array({what.dims[--rank]});
  const hdf5_handle type = hdf5_memory_type(element);
  std::vector<hsize_t> dims(what.dims.begin(), what.dims.begin() + rank);
  const hdf5_handle space =
      made(path,
           rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(rank), dims.data(), nullptr),
           H5Sclose, what.name);
  const hdf5_handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, what.name);
  H5Pset_create_intermediate_group(links.get(), 1);
  H5Pset_char_encoding(links.get(), H5T_CSET_UTF8);
  const hdf5_handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what.name);
  const bool is_chunked =
      rank != 0 && !element.is_variable() && what.dims.elements() != 0 && (compressed || !what.chunk.empty());
  if (is_chunked) {
    std::vector<hsize_t> chunk(rank, 1);
    std::uint64_t room =
        std::max<std::uint64_t>((std::uint64_t{1} << 20) / std::max<std::size_t>(element.size(), 1), 1);
    for (std::size_t i = rank; i-- > 0;) {
      chunk[i] = what.chunk.empty() ? std::clamp<std::uint64_t>(dims[i], 1, room)
                                    : std::min(what.chunk[i], what.dims[i]);
      room = std::max<std::uint64_t>(room / chunk[i], 1);
    }
    H5Pset_chunk(creation.get(), static_cast<int>(rank), chunk.data());
    if (compressed) {
      H5Pset_shuffle(creation.get());
      H5Pset_deflate(creation.get(), 4);
    }
  }
  const hdf5_handle dataset =
      made(path,
           H5Dcreate2(file, what.name.empty() ? "data" : what.name.c_str(), type.get(), space.get(),
                      links.get(), creation.get(), H5P_DEFAULT),
           H5Dclose, what.name);
  if (element.is_variable()) {
    variable_elements all = from.read_variable();
    variable_memory memory(what.type, all.ends.size());
    memory.point_to(all);
    require_written(path,
                    all.ends.empty() || H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                                 memory.data()) >= 0,
                    what.name);
  } else {
    std::vector<std::byte> bytes;
    // Texts are written whole.
    extents outer(what.dims.span().first(rank));
    std::uint64_t inner = 1;
    for (std::size_t i = rank; i < what.dims.rank(); ++i) inner *= what.dims[i];
    array_pieces pieces(outer, elements_in_piece(what.type.size() * inner),
                        what.chunk.empty() ? 1 : what.chunk[0]);
    while (pieces.next_elements() != 0) {
      slab part = pieces.next();
      std::vector<hsize_t> begin(part.offset.begin(), part.offset.end());
      std::vector<hsize_t> count(part.count.begin(), part.count.end());
      for (std::size_t i = rank; i < what.dims.rank(); ++i) {
        part.offset.push_back(0);
        part.count.push_back(what.dims[i]);
      }
      bytes.resize(part.count.elements() * what.type.size());
      from.read(part, bytes.data());
      const hdf5_handle memory(
          rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(rank), count.data(), nullptr),
          H5Sclose, what.name);
      const hdf5_handle target(H5Dget_space(dataset.get()), H5Sclose, what.name);
      if (rank != 0)
        H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr);
      require_written(
          path,
          H5Dwrite(dataset.get(), type.get(), memory.get(), target.get(), H5P_DEFAULT, bytes.data()) >= 0,
          what.name);
    }
  }
  if (!what.dimensions.empty()) write_text_attribute(path, dataset.get(), labels_key, what.dimensions, true);
  for (const array_attribute& one : what.attributes)
    if (one.key != labels_key) write_attribute(path, dataset.get(), one);
}

void write_hdf5(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed) {
  silence_hdf5();
  const hid_t created = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  require_written(path, created >= 0, "it");
  hdf5_handle file(created, H5Fclose, path.string());
  for (array_source* const one : arrays) write_dataset(path, file.get(), *one, compressed);
  require_written(path, H5Fflush(file.get(), H5F_SCOPE_GLOBAL) >= 0, "it");
}

}  // namespace

namespace modules {

opened_arrays open_file(const std::filesystem::path& path, const opening&) {
  return {open_hdf5(path), {}};
}

void write_file(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                const loss_sink&) {
  write_hdf5(path, arrays, compressed);
}

}  // namespace modules
}  // namespace perdure::formats
