// Names with "/" become paths of groups.
#include "netcdf/netcdf_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <perdure/array/array_pieces.hpp>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <string>
#include <utility>
#include <vector>

#include "netcdf/netcdf_attributes.hpp"
#include "netcdf/netcdf_file.hpp"
#include "netcdf/netcdf_types.hpp"
#include "reserved_keys.hpp"
#include "stored_parts.hpp"

namespace perdure::formats {
namespace {

class netcdf_writer {
 public:
  netcdf_writer(const std::filesystem::path& path, int id, const loss_sink& report)
      : file_(path, id, 0), types_(file_), report_(report) {}

  void add(array_source& from, bool compressed) {
    const array_description& what = from.what();
    if (is_group_attributes(what)) {
      const std::string group(group_of_attributes(what.name));
      return write_attributes(file_, group.empty() ? file_.id() : group_of(group), NC_GLOBAL, what, types_,
                              report_);
    }
    const std::string whole = what.name.empty() ? "data" : what.name;
    const std::size_t slash = whole.rfind('/');
    const int group = slash == std::string::npos ? file_.id() : group_of(whole.substr(0, slash));
    const std::string name = slash == std::string::npos ? whole : whole.substr(slash + 1);
    const std::vector<std::string> enumeration = texts_of(find_attribute(what, enumeration_key));
    const nc_type type = types_.type_for(what.type, enumeration);
    if (what.type.kind() == element_kind::opaque && what.type.alignment() != 1)
      report_({what.name, "becomes raw bytes: NetCDF has no type " + what.type.text()});
    if (!keeps_layout(what.type))
      report_({what.name, "gets other places of its fields: NetCDF aligns those of structs"});
    // An array of which most is not stored lies in one piece: in the file it has holes, which are zeros.
    const auto parts = parts_beside_holes(from);
    const std::vector<int> dims = dimensions_of(group, what, parts.has_value());
    int variable = -1;
    require(nc_def_var(group, name.c_str(), type, static_cast<int>(dims.size()), dims.data(), &variable),
            whole);
    if (parts)
      require_holes(group, variable, whole);
    else
      set_storage(group, variable, what, compressed && !what.type.is_variable());
    // Before the elements: NetCDF takes no fill value behind them.
    write_attributes(file_, group, variable, what, types_, report_);
    set_fill_value(group, variable, what, parts.has_value());
    if (what.type.kind() == element_kind::text)
      put_texts(group, variable, from, whole);
    else if (what.type.is_variable())
      put_lists(group, variable, from, whole);
    else if (parts)
      put_parts(group, variable, from, *parts, whole);
    else
      put_part(group, variable, from, slab::whole(what.dims), whole);
  }
  void finish() { file_.close(); }

 private:
  void require(int status, const std::string& what) const { file_.require_written(status, what); }

  int group_of(const std::string& path) {
    const auto known = groups_.find(path);
    if (known != groups_.end()) return known->second;
    const std::size_t slash = path.rfind('/');
    const int above = slash == std::string::npos ? file_.id() : group_of(path.substr(0, slash));
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    int group = -1;
    require(nc_def_grp(above, name.c_str(), &group), path);
    return groups_[path] = group;
  }

  std::vector<int> dimensions_of(int group, const array_description& what, bool has_holes) {
    std::string problem;
    const std::vector<std::uint64_t> limits = max_dims_of(what, problem);
    if (!problem.empty()) report_({what.name, problem});
    std::vector<int> dims;
    for (std::size_t i = 0; i < what.dims.rank(); ++i) {
      const bool may_grow = !limits.empty() && limits[i] == UINT64_MAX;
      const bool is_unlimited = may_grow && !has_holes;
      if (may_grow && has_holes)
        report_({what.name, "loses that dimension " + std::to_string(i) +
                                " may grow: most of its elements are not stored, and become a hole in the "
                                "file"});
      else if (!limits.empty() && !may_grow && limits[i] != what.dims[i])
        report_({what.name, "loses the limit of dimension " + std::to_string(i) +
                                ": in NetCDF there is none, or the length"});
      const std::string name = what.dimensions.empty() ? "" : what.dimensions[i];
      if (what.dims[i] == 0 && !is_unlimited && !name.empty())
        report_({what.name,
                 "has a dimension " + name + " of length 0, which becomes unlimited: NetCDF has no other"});
      dims.push_back(dimension_in(group, name, what.dims[i], is_unlimited));
    }
    return dims;
  }

  /// Without a name: one for each length.
  int dimension_in(int group, const std::string& name, std::uint64_t length, bool is_unlimited) {
    // Of length 0 there is none but the one that may grow.
    is_unlimited = is_unlimited || length == 0;
    const std::string first = name.empty() ? "dim_" + std::to_string(length) : name;
    std::string called = first;
    for (unsigned other = 2;; ++other) {
      const auto [place, is_new] =
          dimensions_.try_emplace({group, called}, dimension{-1, length, is_unlimited});
      if (is_new)
        require(nc_def_dim(group, called.c_str(), is_unlimited ? NC_UNLIMITED : length, &place->second.id),
                called);
      if (place->second.length == length && place->second.is_unlimited == is_unlimited)
        return place->second.id;
      called = first + '_' + std::to_string(other);
    }
  }

  void set_storage(int group, int variable, const array_description& what, bool compressed) const {
    if (what.dims.rank() == 0 || what.dims.elements() == 0) return;
    if (!what.chunk.empty()) {
      std::vector<std::size_t> chunk;
      for (std::size_t i = 0; i < what.dims.rank(); ++i)
        chunk.push_back(std::max<std::uint64_t>(std::min(what.chunk[i], what.dims[i]), 1));
      require(nc_def_var_chunking(group, variable, NC_CHUNKED, chunk.data()), what.name);
    }
    if (compressed) require(nc_def_var_deflate(group, variable, 1, 1, 4), what.name);
  }

  /// Keeps NetCDF from writing fill values where no elements are written.
  void require_holes(int group, int variable, const std::string& name) const {
    require(nc_def_var_chunking(group, variable, NC_CONTIGUOUS, nullptr), name);
    require(nc_def_var_fill(group, variable, NC_NOFILL, nullptr), name);
  }

  void set_fill_value(int group, int variable, const array_description& what, bool has_holes) const {
    const array_attribute* const value = find_attribute(what, fill_value_key);
    if (value == nullptr || find_attribute(what, netcdf_fill_value_key) != nullptr) return;
    if (has_holes)
      report_({what.name, "loses its fill value: elements that are not stored are zero"});
    else if (value->type != what.type || !value->dims.empty() ||
             nc_def_var_fill(group, variable, NC_FILL, value->bytes.data()) != NC_NOERR)
      report_({what.name, "loses its fill value: it is not one element of the array's type"});
  }

  void put_texts(int group, int variable, array_source& from, const std::string& name) {
    const std::vector<std::string> texts = split(from.read_variable());
    std::vector<const char*> pointers;
    pointers.reserve(texts.size());
    for (const std::string& one : texts) {
      if (one.find('\0') != std::string::npos)
        throw error(errc::unsupported,
                    name + ": text " + std::to_string(pointers.size()) +
                        " has a zero byte, where HDF5 and NetCDF end texts: choose .npz or .zarr");
      pointers.push_back(one.c_str());
    }
    put_all(group, variable, from.what(), pointers.data(), pointers.size(), name);
  }

  void put_lists(int group, int variable, array_source& from, const std::string& name) {
    variable_elements all = from.read_variable();
    const std::vector<nc_vlen_t> lists = lists_of(all, from.what().type);
    put_all(group, variable, from.what(), lists.data(), lists.size(), name);
  }

  /// By their number: a dimension that may grow has none yet.
  void put_all(int group, int variable, const array_description& what, const void* elements,
               std::size_t count, const std::string& name) const {
    if (count == 0) return;
    const std::vector<std::size_t> begin(what.dims.rank(), 0);
    const std::vector<std::size_t> shape(what.dims.begin(), what.dims.end());
    require(begin.empty() ? nc_put_var(group, variable, elements)
                          : nc_put_vara(group, variable, begin.data(), shape.data(), elements),
            name);
  }

  void put_parts(int group, int variable, array_source& from, const std::vector<slab>& parts,
                 const std::string& name) {
    for (const slab& part : parts) put_part(group, variable, from, part, name);
    // Before the first element is written the array has no place in the file.
    const slab first{extents::all(from.what().dims.rank(), 0), extents::all(from.what().dims.rank(), 1)};
    if (parts.empty()) put_part(group, variable, from, first, name);
  }

  void put_part(int group, int variable, array_source& from, const slab& part, const std::string& name) {
    const array_description& what = from.what();
    const std::uint64_t grain = what.chunk.empty() ? 1 : what.chunk[0];
    std::vector<std::byte> bytes;
    for_each_piece(part, what.type.size(), grain, [&](const slab& piece) {
      bytes.resize(piece.count.elements() * what.type.size());
      from.read(piece, bytes.data());
      const std::vector<std::size_t> begin(piece.offset.begin(), piece.offset.end());
      const std::vector<std::size_t> count(piece.count.begin(), piece.count.end());
      require(begin.empty() ? nc_put_var(group, variable, bytes.data())
                            : nc_put_vara(group, variable, begin.data(), count.data(), bytes.data()),
              name);
    });
  }

  struct dimension {
    int id;
    std::uint64_t length;
    bool is_unlimited;
  };
  netcdf_file file_;
  netcdf_type_definitions types_;
  const loss_sink& report_;
  std::map<std::string, int> groups_;
  std::map<std::pair<int, std::string>, dimension> dimensions_;
};

}  // namespace

void write_netcdf(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                  const loss_sink& report) {
  int id = -1;
  const int status = nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &id);
  if (status != NC_NOERR)
    throw error(status == EACCES ? errc::permission_denied : errc::io,
                path.string() + ": NetCDF cannot create it: " + nc_strerror(status));
  netcdf_writer writer(path, id, report);
  for (array_source* const one : arrays) writer.add(*one, compressed);
  writer.finish();
}

}  // namespace perdure::formats
