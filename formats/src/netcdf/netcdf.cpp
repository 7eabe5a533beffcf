// Reads NetCDF files by their own library: all variables of all groups, by their paths, with the names of
// their dimensions, and attributes of groups.

#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "declared_size.hpp"
#include "module/format.hpp"
#include "netcdf/classic_header.hpp"
#include "netcdf/netcdf_attributes.hpp"
#include "netcdf/netcdf_file.hpp"
#include "netcdf/netcdf_types.hpp"
#include "netcdf/netcdf_writer.hpp"
#include "reserved_keys.hpp"

namespace perdure::formats {
namespace {

constexpr unsigned deepest_group = 64;

class netcdf_input final : public array_source {
 public:
  netcdf_input(std::shared_ptr<const netcdf_file> file, int group, int variable, array_description what)
      : array_source(std::move(what)), file_(std::move(file)), group_(group), variable_(variable) {}

  void read(const slab& part, std::byte* to) override {
    if (part.count.elements() == 0) return;
    std::array<std::size_t, max_rank + 1> begin{};
    std::array<std::size_t, max_rank + 1> count{1};
    std::copy(part.offset.begin(), part.offset.end(), begin.begin());
    std::copy(part.count.begin(), part.count.end(), count.begin());
    file_->require(nc_get_vara(group_, variable_, begin.data(), count.data(), to),
                   "elements cannot be read of", what_.name);
  }
  variable_elements read_variable() override {
    const std::uint64_t count = what_.dims.elements();
    if (count == 0) return {};
    return what_.type.kind() == element_kind::text ? texts(count) : lists(count);
  }

 private:
  variable_elements texts(std::uint64_t count) const {
    std::vector<char*> given(count);
    file_->require(nc_get_var_string(group_, variable_, given.data()), "texts cannot be read of", what_.name);
    variable_elements all;
    for (const char* const one : given) {
      if (one != nullptr) all.bytes += one;
      all.ends.push_back(all.bytes.size());
    }
    nc_free_string(given.size(), given.data());
    return all;
  }
  variable_elements lists(std::uint64_t count) const {
    std::vector<nc_vlen_t> given(count);
    file_->require(nc_get_var(group_, variable_, given.data()), "lists cannot be read of", what_.name);
    variable_elements all = elements_of(given, what_.type);
    nc_free_vlens(given.size(), given.data());
    return all;
  }

  std::shared_ptr<const netcdf_file> file_;
  int group_;
  int variable_;
};

/// Finds the variables of a file. What cannot be read is a loss, and the rest is read.
class netcdf_walk {
 public:
  netcdf_walk(std::shared_ptr<const netcdf_file> file, const opening& how, cut_variables cut)
      : file_(std::move(file)), how_(how), cut_(std::move(cut)) {}

  opened_arrays all() {
    visit_group(file_->id(), "", 0);
    if (is_foreign_ && how_.member.empty())
      found_.losses.push_back(
          {name_of_group_attributes(""),
           "may lose datasets and attributes: NetCDF did not write it, and does not list those of types "
           "that it lacks; --format hdf5 reads them"});
    return std::move(found_);
  }

 private:
  /// Returns whether the member that is asked for can be in a group.
  bool is_wanted_group(const std::string& path) const {
    return how_.member.empty() || path.empty() || how_.member.starts_with(path + '/');
  }

  void visit_group(int group, const std::string& path, unsigned depth) {
    how_.before_array();
    const std::string prefix = path.empty() ? "" : path + '/';
    const std::size_t before = found_.sources.size();
    add_unlimited(group);
    int variables = 0;
    file_->require(nc_inq_nvars(group, &variables), "its variables cannot be read");
    for (int i = 0; i < variables; ++i) visit_variable(group, i, prefix);
    visit_groups(group, path, depth);
    if (!how_.member.empty()) return;
    report_unused(group, path);
    int count = 0;
    file_->require(nc_inq_natts(group, &count), "its attributes cannot be read");
    const std::string own = name_of_group_attributes(path);
    std::vector<array_attribute> attributes =
        read_attributes(*file_, group, NC_GLOBAL, count, own, found_.losses);
    const bool is_empty = depth != 0 && found_.sources.size() == before && variables == 0;
    if (!attributes.empty() || is_empty)
      found_.sources.push_back(group_attributes(path, std::move(attributes)));
  }

  void visit_groups(int group, const std::string& path, unsigned depth) {
    int count = 0;
    if (nc_inq_grps(group, &count, nullptr) != NC_NOERR || count == 0) return;
    std::vector<int> ids(static_cast<std::size_t>(count));
    file_->require(nc_inq_grps(group, &count, ids.data()), "its groups cannot be read");
    for (const int id : ids) {
      std::array<char, NC_MAX_NAME + 1> name{};
      file_->require(nc_inq_grpname(id, name.data()), "its groups cannot be read");
      const std::string below = path.empty() ? name.data() : path + '/' + name.data();
      if (!is_wanted_group(below)) continue;
      if (depth == deepest_group)
        found_.losses.push_back({below, "is skipped: groups are read 64 deep"});
      else
        visit_group(id, below, depth + 1);
    }
  }

  void add_unlimited(int group) {
    int count = 0;
    if (nc_inq_unlimdims(group, &count, nullptr) != NC_NOERR || count <= 0) return;
    std::vector<int> ids(static_cast<std::size_t>(count));
    if (nc_inq_unlimdims(group, &count, ids.data()) == NC_NOERR) unlimited_.insert(ids.begin(), ids.end());
  }

  /// Dimensions live on in arrays that have them.
  void report_unused(int group, const std::string& path) {
    int count = 0;
    constexpr int of_this_group_only = 0;
    if (nc_inq_dimids(group, &count, nullptr, of_this_group_only) != NC_NOERR || count <= 0) return;
    std::vector<int> ids(static_cast<std::size_t>(count));
    if (nc_inq_dimids(group, &count, ids.data(), of_this_group_only) != NC_NOERR) return;
    for (const int id : ids) {
      if (used_.contains(id)) continue;
      std::array<char, NC_MAX_NAME + 1> name{};
      std::size_t length = 0;
      if (nc_inq_dim(group, id, name.data(), &length) != NC_NOERR || is_made_up(name.data())) continue;
      found_.losses.push_back(
          {name_of_group_attributes(path), "loses the dimension " + std::string(name.data()) + " of length " +
                                               std::to_string(length) + ": no array has it"});
    }
  }

  /// Returns whether a dimension is one that NetCDF makes up, in files of others.
  bool is_made_up(std::string_view dimension) {
    const bool is_it = dimension.starts_with("phony_dim_");
    is_foreign_ = is_foreign_ || is_it;
    return is_it;
  }

  void visit_variable(int group, int variable, const std::string& prefix) {
    std::array<char, NC_MAX_NAME + 1> name{};
    // The library looks at attributes here, and fails at those that it does not know.
    if (const int status = nc_inq_varname(group, variable, name.data()); status != NC_NOERR) {
      found_.losses.push_back({prefix + "variable number " + std::to_string(variable),
                               std::string("is skipped: ") + nc_strerror(status) +
                                   ": another library wrote it, and it may be read as HDF5 (--format hdf5)"});
      return;
    }
    const std::string whole = prefix + name.data();
    if (!how_.member.empty() && whole != how_.member) return;
    how_.before_array();
    try {
      if (whole == group_attributes_name || whole.ends_with('/' + std::string(group_attributes_name)))
        throw error(errc::unsupported, "the attributes of its group have this name here");
      if (const auto why = cut_.find(whole); why != cut_.end()) throw error(errc::unsupported, why->second);
      found_.sources.push_back(open_variable(group, variable, whole));
    } catch (const error& failure) {
      found_.losses.push_back({whole, std::string("is skipped: ") + failure.what()});
    }
  }

  std::unique_ptr<array_source> open_variable(int group, int variable, const std::string& name) {
    nc_type type = NC_NAT;
    int rank = 0;
    int attributes = 0;
    std::array<int, NC_MAX_VAR_DIMS> dims{};
    file_->require(nc_inq_var(group, variable, nullptr, &type, &rank, dims.data(), &attributes),
                   "it cannot be read");
    if (rank < 0 || static_cast<std::size_t>(rank) > max_rank)
      throw error(errc::unsupported,
                  "it has " + std::to_string(rank) + " dimensions; an array here has up to 32");
    array_description what;
    what.name = name;
    add_dimensions(group, std::span(dims.data(), static_cast<std::size_t>(rank)), what);
    netcdf_element element = element_from_netcdf(*file_, group, type);
    what.type = std::move(element.type);
    for (const std::string& one : element.losses) found_.losses.push_back({name, one});
    if (!element.enumeration.empty())
      what.attributes.push_back(list_of_texts(std::string(enumeration_key), element.enumeration));
    require_held(what);
    if (rank == 0 && !what.type.is_variable()) {
      // HDF5's arrays without a value look like single elements, until they are read.
      std::vector<std::byte> ignored(what.type.size());
      if (const int status = nc_get_var(group, variable, ignored.data()); status != NC_NOERR)
        throw error(errc::unsupported, std::string("its element cannot be read: ") + nc_strerror(status));
    }
    int storage = NC_CONTIGUOUS;
    std::array<std::size_t, max_rank> chunk{};
    if (nc_inq_var_chunking(group, variable, &storage, chunk.data()) == NC_NOERR && storage == NC_CHUNKED)
      for (std::size_t i = 0; i < what.dims.rank(); ++i)
        what.chunk.push_back(std::max<std::size_t>(chunk[i], 1));
    std::vector<array_attribute> read =
        read_attributes(*file_, group, variable, attributes, name, found_.losses);
    std::move(read.begin(), read.end(), std::back_inserter(what.attributes));
    return std::make_unique<netcdf_input>(file_, group, variable, std::move(what));
  }

  void add_dimensions(int group, std::span<const int> dims, array_description& what) {
    std::vector<std::uint64_t> limits;
    bool may_grow = false;
    for (const int id : dims) {
      std::array<char, NC_MAX_NAME + 1> name{};
      std::size_t length = 0;
      file_->require(nc_inq_dim(group, id, name.data(), &length), "its dimensions cannot be read");
      what.dims.push_back(length);
      what.dimensions.emplace_back(is_made_up(name.data()) ? "" : name.data());
      used_.insert(id);
      // A dimension of length 0 is one that may grow, unless it was made for want of one of no length.
      const bool is_unlimited = unlimited_.contains(id) && std::string_view(name.data()) != "dim_0";
      may_grow = may_grow || is_unlimited;
      limits.push_back(is_unlimited ? UINT64_MAX : length);
    }
    if (std::all_of(what.dimensions.begin(), what.dimensions.end(),
                    [](const std::string& one) { return one.empty(); }))
      what.dimensions.clear();
    if (may_grow) what.attributes.push_back(max_dims_attribute(limits));
  }

  /// Refuses what a damaged header declares, and what was never written: NetCDF does not say which elements
  /// were.
  void require_held(const array_description& what) const {
    const std::uint64_t size = what.type.is_variable() ? sizeof(nc_vlen_t) : what.type.size();
    std::uint64_t declared = 0;
    if (__builtin_mul_overflow(what.dims.elements(), size, &declared)) declared = UINT64_MAX;
    if (can_hold(file_->bytes(), declared)) return;
    throw error(errc::unsupported,
                "it declares " + std::to_string(declared) + " bytes, more than its file of " +
                    std::to_string(file_->bytes()) +
                    " bytes can hold: as HDF5 (--format hdf5) elements that were never written are left out");
  }

  std::shared_ptr<const netcdf_file> file_;
  const opening& how_;
  cut_variables cut_;
  opened_arrays found_;
  std::set<int> unlimited_;
  std::set<int> used_;
  bool is_foreign_ = false;
};

opened_arrays open_netcdf(const std::filesystem::path& path, const opening& how) {
  cut_variables cut = check_classic_header(path);
  int id = -1;
  const int status = nc_open(path.c_str(), NC_NOWRITE, &id);
  if (status != NC_NOERR)
    throw error(status == ENOENT ? errc::not_found : errc::bad_input,
                path.string() + ": NetCDF cannot open it: " + nc_strerror(status));
  std::error_code problem;
  const std::uint64_t bytes = std::filesystem::file_size(path, problem);
  const auto file = std::make_shared<const netcdf_file>(path, id, problem ? 0 : bytes);
  return netcdf_walk(file, how, std::move(cut)).all();
}

}  // namespace

namespace modules {

opened_arrays open_file(const std::filesystem::path& path, const opening& how) {
  return open_netcdf(path, how);
}

void write_file(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                const loss_sink& report) {
  write_netcdf(path, arrays, compressed, report);
}

}  // namespace modules
}  // namespace perdure::formats
