// Names with "/" become paths of groups.
#include "hdf5/hdf5_writer.hpp"

#include <algorithm>
#include <perdure/array/array_pieces.hpp>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdf5/hdf5_attributes.hpp"
#include "hdf5/hdf5_types.hpp"
#include "hdf5/hdf5_variable.hpp"
#include "reserved_keys.hpp"

namespace perdure::formats {
namespace {

/// The largest attribute that the oldest files of HDF5 can hold, with room for its header.
constexpr std::size_t most_of_old_attributes = 60000;
constexpr std::uint64_t usual_chunk_bytes = std::uint64_t{1} << 20;

hdf5_handle made(const std::filesystem::path& path, hid_t id, hdf5_handle::closer close,
                 const std::string& what) {
  require_written(path, id >= 0, what);
  return {id, close, what};
}

/// Properties of links: groups on the way are made.
hdf5_handle link_properties() {
  hdf5_handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "properties");
  H5Pset_create_intermediate_group(links.get(), 1);
  H5Pset_char_encoding(links.get(), H5T_CSET_UTF8);
  return links;
}

bool is_there(hid_t file, std::string_view group) {
  for (std::size_t end = group.find('/');; end = group.find('/', end + 1)) {
    const std::string path(group.substr(0, end));
    if (!path.empty() && H5Lexists(file, path.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string_view::npos) return true;
  }
}

void write_group(const std::filesystem::path& path, hid_t file, const array_description& what,
                 const loss_sink& report) {
  const std::string_view inside = group_of_attributes(what.name);
  const std::string name(inside.empty() ? "/" : inside);
  const hdf5_handle group =
      name == "/" || is_there(file, name)
          ? made(path, H5Gopen2(file, name.c_str(), H5P_DEFAULT), H5Gclose, name)
          : made(path, H5Gcreate2(file, name.c_str(), link_properties().get(), H5P_DEFAULT, H5P_DEFAULT),
                 H5Gclose, name);
  write_attributes(path, group.get(), what, report);
}

class dataset_writer {
 public:
  dataset_writer(const std::filesystem::path& path, hid_t file, array_source& from, bool compressed,
                 const loss_sink& report)
      : path_(path),
        file_(file),
        from_(from),
        what_(from.what()),
        compressed_(compressed),
        report_(report),
        rank_(what_.dims.rank()) {
    element_.type = what_.type;
    // The last dimension of characters is a text's length.
    if (what_.type.kind() == element_kind::character && rank_ != 0 && what_.dims[rank_ - 1] > 0)
      element_.type = what_.type.array({what_.dims[--rank_]});
    element_.enumeration = texts_of(find_attribute(what_, enumeration_key));
    element_.is_utf8 = find_attribute(what_, charset_key) != nullptr;
    if (const array_attribute* const null = find_attribute(what_, null_key))
      is_null_ = perdure::is_null(null->type) && rank_ == 1 && what_.dims[0] == 0;
    type_ = hdf5_file_type(element_);
    if (what_.type.kind() == element_kind::opaque && what_.type.alignment() != 1)
      report_({what_.name, "becomes raw bytes: HDF5 has no type " + what_.type.text()});
    if (!element_.enumeration.empty() && H5Tget_class(type_.get()) != H5T_ENUM)
      report_({what_.name, "loses the names of its values: they are not those of an enumeration"});
  }

  void write() {
    const std::string name = what_.name.empty() ? "data" : what_.name;
    const std::vector<hsize_t> limits = most_dims();
    const std::vector<hsize_t> dims(what_.dims.begin(), what_.dims.begin() + rank_);
    const hdf5_handle space =
        made(path_,
             is_null_     ? H5Screate(H5S_NULL)
             : rank_ == 0 ? H5Screate(H5S_SCALAR)
                          : H5Screate_simple(static_cast<int>(rank_), dims.data(), limits.data()),
             H5Sclose, name);
    const hdf5_handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
    const auto parts = element_.type.is_variable() ? std::nullopt : from_.stored_parts();
    set_chunk(creation.get(), limits, parts.has_value());
    set_fill_value(creation.get(), parts.has_value());
    dataset_ = made(path_,
                    H5Dcreate2(file_, name.c_str(), type_.get(), space.get(), link_properties().get(),
                               creation.get(), H5P_DEFAULT),
                    H5Dclose, name);
    if (is_null_) {
    } else if (element_.type.is_variable()) {
      write_variable();
    } else if (parts) {
      for (const slab& one : *parts) write_part(one);
    } else {
      write_part(slab::whole(what_.dims));
    }
    write_names();
    write_attributes(path_, dataset_.get(), what_, report_);
  }

 private:
  /// The largest shape; that of now unless the array says something else.
  std::vector<hsize_t> most_dims() const {
    std::string problem;
    std::vector<std::uint64_t> limits = max_dims_of(what_, problem);
    if (!problem.empty()) report_({what_.name, problem});
    if (limits.empty()) limits.assign(what_.dims.begin(), what_.dims.end());
    return {limits.begin(), limits.begin() + rank_};
  }

  void set_chunk(hid_t creation, const std::vector<hsize_t>& limits, bool is_sparse) const {
    const bool may_grow = !std::equal(limits.begin(), limits.end(), what_.dims.begin());
    const bool is_wanted =
        may_grow || is_sparse || (compressed_ && !element_.type.is_variable()) || !what_.chunk.empty();
    if (rank_ == 0 || !is_wanted || is_null_ || (!may_grow && what_.dims.elements() == 0)) return;
    std::vector<hsize_t> chunk(rank_, 1);
    const std::size_t size = element_.type.is_variable() ? sizeof(hvl_t) : element_.type.size();
    std::uint64_t room = std::max<std::uint64_t>(usual_chunk_bytes / std::max<std::size_t>(size, 1), 1);
    for (std::size_t i = rank_; i-- > 0;) {
      chunk[i] = what_.chunk.empty() ? std::clamp<std::uint64_t>(what_.dims[i], 1, room)
                                     : std::clamp<std::uint64_t>(what_.chunk[i], 1, limits[i]);
      room = std::max<std::uint64_t>(room / chunk[i], 1);
    }
    H5Pset_chunk(creation, static_cast<int>(rank_), chunk.data());
    if (compressed_ && !element_.type.is_variable()) {
      H5Pset_shuffle(creation);
      H5Pset_deflate(creation, 4);
    }
  }

  void set_fill_value(hid_t creation, bool is_sparse) const {
    const array_attribute* const given = find_attribute(what_, fill_value_key);
    if (given == nullptr) return;
    if (is_sparse && given->bytes.find_first_not_of('\0') != std::string::npos)
      report_({what_.name, "loses its fill value: elements that are not stored are zero"});
    else if (given->type != what_.type || given->bytes.size() != element_.type.size() ||
             element_.type.is_variable() || H5Pset_fill_value(creation, type_.get(), given->bytes.data()) < 0)
      report_({what_.name, "loses its fill value: it is not of the array's type"});
  }

  void write_names() const {
    std::vector<std::string> names = what_.dimensions;
    if (names.size() > rank_ && !names.back().empty())
      report_(
          {what_.name, "loses the name " + names.back() + ": the length of texts is no dimension in HDF5"});
    if (names.size() > rank_) names.resize(rank_);
    const auto is_empty = [](const std::string& one) { return one.empty(); };
    if (!std::all_of(names.begin(), names.end(), is_empty))
      write_labels(path_, dataset_.get(), std::move(names));
  }

  void write_variable() {
    variable_elements all = from_.read_variable();
    variable_memory memory(what_.type, all.ends.size(), 0);
    try {
      memory.point_to(all);
    } catch (const error& failure) {
      throw error(failure.code(), what_.name + ": " + failure.what());
    }
    require_written(path_,
                    all.ends.empty() || H5Dwrite(dataset_.get(), type_.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                                 memory.data()) >= 0,
                    what_.name);
  }

  void write_part(const slab& whole) {
    std::vector<std::byte> bytes;
    // Texts are written whole.
    std::uint64_t inner = 1;
    for (std::size_t i = rank_; i < what_.dims.rank(); ++i) inner *= what_.dims[i];
    array_pieces pieces(extents(whole.count.span().first(rank_)),
                        elements_in_piece(what_.type.size() * inner),
                        what_.chunk.empty() ? 1 : std::max<std::uint64_t>(what_.chunk[0], 1));
    while (pieces.next_elements() != 0) {
      slab part = pieces.next();
      for (std::size_t i = 0; i < rank_; ++i) part.offset[i] += whole.offset[i];
      const std::vector<hsize_t> begin(part.offset.begin(), part.offset.end());
      const std::vector<hsize_t> count(part.count.begin(), part.count.end());
      for (std::size_t i = rank_; i < what_.dims.rank(); ++i) {
        part.offset.push_back(0);
        part.count.push_back(what_.dims[i]);
      }
      bytes.resize(part.count.elements() * what_.type.size());
      from_.read(part, bytes.data());
      const hdf5_handle memory(rank_ == 0 ? H5Screate(H5S_SCALAR)
                                          : H5Screate_simple(static_cast<int>(rank_), count.data(), nullptr),
                               H5Sclose, what_.name);
      const hdf5_handle target(H5Dget_space(dataset_.get()), H5Sclose, what_.name);
      if (rank_ != 0)
        H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr);
      require_written(
          path_,
          H5Dwrite(dataset_.get(), memory_type(), memory.get(), target.get(), H5P_DEFAULT, bytes.data()) >= 0,
          what_.name);
    }
  }

  /// Elements of an enumeration are written as they are.
  hid_t memory_type() const noexcept { return type_.get(); }

  const std::filesystem::path& path_;
  hid_t file_;
  array_source& from_;
  const array_description& what_;
  bool compressed_;
  const loss_sink& report_;
  std::size_t rank_;
  bool is_null_ = false;
  hdf5_element element_;
  hdf5_handle type_;
  hdf5_handle dataset_;
};

}  // namespace

void write_hdf5(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                const loss_sink& report) {
  silence_hdf5();
  const hdf5_handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "properties");
  const auto is_large = [](const array_source* one) {
    const std::vector<array_attribute>& all = one->what().attributes;
    return std::any_of(all.begin(), all.end(),
                       [](const array_attribute& it) { return it.bytes.size() > most_of_old_attributes; });
  };
  // Only then: HDF5 before 1.8 does not read such files.
  if (std::any_of(arrays.begin(), arrays.end(), is_large))
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  const hid_t created = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get());
  require_written(path, created >= 0, "it");
  hdf5_handle file(created, H5Fclose, path.string());
  for (array_source* const one : arrays) {
    if (is_group_attributes(one->what()))
      write_group(path, file.get(), one->what(), report);
    else
      dataset_writer(path, file.get(), *one, compressed, report).write();
  }
  require_written(path, H5Fflush(file.get(), H5F_SCOPE_GLOBAL) >= 0, "it");
}

}  // namespace perdure::formats
