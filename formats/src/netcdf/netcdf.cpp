// Reads and writes NetCDF files by their own library: all variables of all groups, by their paths, with the
// names of their dimensions. Written are NetCDF-4 files, where arrays of a group that call dimensions the
// same share them, if they are as long.

#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <perdure/error.hpp>
#include <vector>

#include "module/format.hpp"

namespace perdure::formats {

namespace {

constexpr unsigned deepest_netcdf_group = 64;

struct netcdf_type {
  nc_type type;
  element_kind kind;
};
constexpr netcdf_type netcdf_types[] = {
    {NC_BYTE, element_kind::int8},     {NC_UBYTE, element_kind::uint8},    {NC_CHAR, element_kind::character},
    {NC_SHORT, element_kind::int16},   {NC_USHORT, element_kind::uint16},  {NC_INT, element_kind::int32},
    {NC_UINT, element_kind::uint32},   {NC_INT64, element_kind::int64},    {NC_UINT64, element_kind::uint64},
    {NC_FLOAT, element_kind::float32}, {NC_DOUBLE, element_kind::float64}, {NC_STRING, element_kind::text},
    {NC_BYTE, element_kind::boolean},
};

class netcdf_file {
 public:
  netcdf_file(std::filesystem::path path, int id) : path_(std::move(path)), id_(id) {}
  netcdf_file(const netcdf_file&) = delete;
  netcdf_file& operator=(const netcdf_file&) = delete;
  ~netcdf_file() {
    if (id_ >= 0) nc_close(id_);
  }
  int id() const noexcept { return id_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  void require(int status, const char* what, const std::string& name = {}) const {
    if (status == NC_NOERR) return;
    const std::string of = name.empty() ? "" : ' ' + name;
    throw error(errc::bad_input, path_.string() + ": " + what + of + ": " + nc_strerror(status));
  }
  /// What was written may be lost only now.
  void close() {
    const int status = nc_close(std::exchange(id_, -1));
    if (status != NC_NOERR) throw error(errc::io, path_.string() + ": cannot write: " + nc_strerror(status));
  }

 private:
  std::filesystem::path path_;
  int id_;
};

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
    const std::uint64_t elements = what_.dims.elements();
    variable_elements all;
    if (elements == 0) return all;
    std::vector<char*> texts(elements);
    file_->require(nc_get_var_string(group_, variable_, texts.data()), "texts cannot be read of", what_.name);
    for (const char* const one : texts) {
      if (one != nullptr) all.bytes += one;
      all.ends.push_back(all.bytes.size());
    }
    nc_free_string(texts.size(), texts.data());
    return all;
  }

 private:
  std::shared_ptr<const netcdf_file> file_;
  int group_;
  int variable_;
};

const netcdf_type* known_type(nc_type type) {
  for (const netcdf_type& one : netcdf_types)
    if (one.type == type) return &one;
  return nullptr;
}

void read_netcdf_attributes(const netcdf_file& file, int group, int variable, int count,
                            array_description& what) {
  for (int i = 0; i < count; ++i) {
    std::array<char, NC_MAX_NAME + 1> name{};
    nc_type type = NC_NAT;
    std::size_t length = 0;
    file.require(nc_inq_attname(group, variable, i, name.data()), "an attribute cannot be read of",
                 what.name);
    file.require(nc_inq_att(group, variable, name.data(), &type, &length), "an attribute cannot be read of",
                 what.name);
    const netcdf_type* const known = known_type(type);
    if (known == nullptr) continue;  // of the file's own types
    if (type == NC_STRING) {
      if (length != 1) continue;
      char* text = nullptr;
      file.require(nc_get_att_string(group, variable, name.data(), &text), "an attribute cannot be read of",
                   what.name);
      what.attributes.push_back({name.data(), element_kind::text, {}, text == nullptr ? "" : text});
      nc_free_string(1, &text);
      continue;
    }
    const data_type element = known->kind;
    std::string bytes(length * element.size(), '\0');
    if (!bytes.empty())
      file.require(nc_get_att(group, variable, name.data(), bytes.data()), "an attribute cannot be read of",
                   what.name);
    if (type == NC_CHAR)
      what.attributes.push_back({name.data(), element_kind::text, {}, std::move(bytes)});
    else
      what.attributes.push_back(
          {name.data(), element, length == 1 ? extents{} : extents{length}, std::move(bytes)});
  }
}

std::unique_ptr<array_source> open_variable(const std::shared_ptr<const netcdf_file>& file, int group,
                                            int variable, const std::string& prefix) {
  std::array<char, NC_MAX_NAME + 1> name{};
  nc_type type = NC_NAT;
  int rank = 0;
  int attributes = 0;
  file->require(nc_inq_var(group, variable, name.data(), &type, &rank, nullptr, &attributes),
                "a variable cannot be read");
  array_description what;
  what.name = prefix + name.data();
  const netcdf_type* const known = known_type(type);
  if (known == nullptr)
    throw error(errc::unsupported,
                file->path().string() + ": " + what.name +
                    " is of a type of the file's own: as HDF5 (--format hdf5) it may be known");
  what.type = known->kind;
  if (rank < 0 || static_cast<std::size_t>(rank) > max_rank)
    throw error(errc::unsupported, file->path().string() + ": " + what.name + " has " + std::to_string(rank) +
                                       " dimensions; an array here has up to 32");
  std::array<int, max_rank> dims{};
  file->require(nc_inq_vardimid(group, variable, dims.data()), "dimensions cannot be read of", what.name);
  for (int i = 0; i < rank; ++i) {
    std::array<char, NC_MAX_NAME + 1> dimension{};
    std::size_t length = 0;
    file->require(nc_inq_dim(group, dims[static_cast<std::size_t>(i)], dimension.data(), &length),
                  "dimensions cannot be read of", what.name);
    what.dims.push_back(length);
    what.dimensions.emplace_back(dimension.data());
  }
  int storage = NC_CONTIGUOUS;
  std::array<std::size_t, max_rank> chunk{};
  if (nc_inq_var_chunking(group, variable, &storage, chunk.data()) == NC_NOERR && storage == NC_CHUNKED)
    for (int i = 0; i < rank; ++i)
      what.chunk.push_back(std::max<std::size_t>(chunk[static_cast<std::size_t>(i)], 1));
  read_netcdf_attributes(*file, group, variable, attributes, what);
  return std::make_unique<netcdf_input>(file, group, variable, std::move(what));
}

void add_variables(const std::shared_ptr<const netcdf_file>& file, int group, const std::string& prefix,
                   unsigned depth, array_sources& arrays) {
  int count = 0;
  file->require(nc_inq_nvars(group, &count), "its variables cannot be read");
  for (int i = 0; i < count; ++i) arrays.push_back(open_variable(file, group, i, prefix));
  int groups = 0;
  if (depth == deepest_netcdf_group || nc_inq_grps(group, &groups, nullptr) != NC_NOERR || groups == 0)
    return;
  std::vector<int> ids(static_cast<std::size_t>(groups));
  file->require(nc_inq_grps(group, &groups, ids.data()), "its groups cannot be read");
  for (const int id : ids) {
    std::array<char, NC_MAX_NAME + 1> name{};
    file->require(nc_inq_grpname(id, name.data()), "its groups cannot be read");
    add_variables(file, id, prefix + name.data() + '/', depth + 1, arrays);
  }
}

array_sources open_netcdf(const std::filesystem::path& path) {
  int id = -1;
  const int status = nc_open(path.c_str(), NC_NOWRITE, &id);
  if (status != NC_NOERR)
    throw error(status == ENOENT ? errc::not_found : errc::bad_input,
                path.string() + ": NetCDF cannot open it: " + nc_strerror(status));
  const auto file = std::make_shared<const netcdf_file>(path, id);
  array_sources arrays;
  add_variables(file, id, "", 0, arrays);
  return arrays;
}

class netcdf_writer {
 public:
  netcdf_writer(const std::filesystem::path& path, int id) : file_(path, id) {}

  void add(array_source& from, bool compressed) {
    const array_description& what = from.what();
    const std::string whole = what.name.empty() ? "data" : what.name;
    const std::size_t slash = whole.rfind('/');
    const int group = slash == std::string::npos ? file_.id() : group_of(whole.substr(0, slash));
    const std::string name = slash == std::string::npos ? whole : whole.substr(slash + 1);
    const nc_type type = type_of(what);
    std::vector<int> dims;
    for (std::size_t i = 0; i < what.dims.rank(); ++i)
      dims.push_back(dimension_in(group, what.dimensions.empty() ? "" : what.dimensions[i], what.dims[i]));
    int variable = -1;
    require(nc_def_var(group, name.c_str(), type, static_cast<int>(dims.size()), dims.data(), &variable),
            whole);
    if (!dims.empty() && what.dims.elements() != 0) {
      if (!what.chunk.empty()) {
        std::vector<std::size_t> chunk;
        for (std::size_t i = 0; i < dims.size(); ++i) chunk.push_back(std::min(what.chunk[i], what.dims[i]));
        require(nc_def_var_chunking(group, variable, NC_CHUNKED, chunk.data()), whole);
      }
      if (compressed && type != NC_STRING) require(nc_def_var_deflate(group, variable, 1, 1, 4), whole);
    }
    for (const array_attribute& one : what.attributes) put_attribute(group, variable, one);
    if (type == NC_STRING)
      put_texts(group, variable, from, whole);
    else
      put_elements(group, variable, from, whole);
  }
  void finish() { file_.close(); }

 private:
  void require(int status, const std::string& what) const {
    if (status == NC_NOERR) return;
    throw error(status == ENOSPC ? errc::no_space : errc::io,
                file_.path().string() + ": NetCDF cannot write " + what + ": " + nc_strerror(status));
  }

  static nc_type type_of(const array_description& what) {
    for (const netcdf_type& one : netcdf_types)
      if (one.kind == what.type.kind()) return one.type;
    throw error(errc::unsupported, "NetCDF has no elements of type " + what.type.text() + ": choose HDF5");
  }

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

  /// Without a name: one for each length.
  int dimension_in(int group, const std::string& name, std::uint64_t length) {
    std::string called = name.empty() ? "dim_" + std::to_string(length) : name;
    for (unsigned other = 2;; ++other) {
      const auto [place, is_new] = dimensions_.try_emplace({group, called}, dimension{-1, length});
      if (is_new) {
        // Of length 0 there is none but the one that may grow.
        require(nc_def_dim(group, called.c_str(), length == 0 ? NC_UNLIMITED : length, &place->second.id),
                called);
        return place->second.id;
      }
      if (place->second.length == length) return place->second.id;
      called = name + '_' + std::to_string(other);
    }
  }

  void put_attribute(int group, int variable, const array_attribute& one) {
    if (one.type.kind() == element_kind::text)
      return require(nc_put_att_text(group, variable, one.key.c_str(), one.bytes.size(), one.bytes.data()),
                     one.key);
    for (const netcdf_type& known : netcdf_types) {
      if (known.kind != one.type.kind()) continue;
      return require(
          nc_put_att(group, variable, one.key.c_str(), known.type, one.dims.elements(), one.bytes.data()),
          one.key);
    }
    // What NetCDF has no type for is left out.
  }

  void put_texts(int group, int variable, array_source& from, const std::string& name) {
    variable_elements all = from.read_variable();
    std::vector<std::string> texts;
    std::uint64_t begin = 0;
    for (const std::uint64_t end : all.ends) {
      texts.emplace_back(all.bytes, begin, end - begin);
      begin = end;
    }
    std::vector<const char*> pointers;
    pointers.reserve(texts.size());
    for (const std::string& one : texts) pointers.push_back(one.c_str());
    if (!pointers.empty()) require(nc_put_var_string(group, variable, pointers.data()), name);
  }

  void put_elements(int group, int variable, array_source& from, const std::string& name) {
    const array_description& what = from.what();
    std::vector<std::byte> bytes;
    for (array_pieces pieces = pieces_of(what); pieces.next_elements() != 0;) {
      const slab part = pieces.next();
      bytes.resize(part.count.elements() * what.type.size());
      from.read(part, bytes.data());
      std::vector<std::size_t> begin(part.offset.begin(), part.offset.end());
      std::vector<std::size_t> count(part.count.begin(), part.count.end());
      if (begin.empty())
        require(nc_put_var(group, variable, bytes.data()), name);
      else
        require(nc_put_vara(group, variable, begin.data(), count.data(), bytes.data()), name);
    }
  }

  struct dimension {
    int id;
    std::uint64_t length;
  };
  netcdf_file file_;
  std::map<std::string, int> groups_;
  std::map<std::pair<int, std::string>, dimension> dimensions_;
};

void write_netcdf(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed) {
  int id = -1;
  const int status = nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &id);
  if (status != NC_NOERR)
    throw error(status == EACCES ? errc::permission_denied : errc::io,
                path.string() + ": NetCDF cannot create it: " + nc_strerror(status));
  netcdf_writer writer(path, id);
  for (array_source* const one : arrays) writer.add(*one, compressed);
  writer.finish();
}

}  // namespace

namespace modules {

opened_arrays open_file(const std::filesystem::path& path, const opening&) {
  return {open_netcdf(path), {}};
}

void write_file(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                const loss_sink&) {
  write_netcdf(path, arrays, compressed);
}

}  // namespace modules
}  // namespace perdure::formats
