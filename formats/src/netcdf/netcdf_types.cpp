// Translates element types, and defines those that NetCDF has no names for.
#include "netcdf/netcdf_types.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <perdure/error.hpp>
#include <string_view>
#include <utility>

#include "byte_order.hpp"
#include "reserved_keys.hpp"

namespace perdure::formats {
namespace {

constexpr unsigned deepest_type = 32;

struct netcdf_type {
  nc_type type;
  element_kind kind;
};
constexpr netcdf_type netcdf_types[] = {
    {NC_BYTE, element_kind::int8},     {NC_UBYTE, element_kind::uint8},    {NC_CHAR, element_kind::character},
    {NC_SHORT, element_kind::int16},   {NC_USHORT, element_kind::uint16},  {NC_INT, element_kind::int32},
    {NC_UINT, element_kind::uint32},   {NC_INT64, element_kind::int64},    {NC_UINT64, element_kind::uint64},
    {NC_FLOAT, element_kind::float32}, {NC_DOUBLE, element_kind::float64}, {NC_STRING, element_kind::text},
};

/// How a type lies in memory when its structs are aligned, and whether that is how it is declared.
struct aligned_layout {
  std::size_t size;
  std::size_t alignment;
  bool is_same = true;
};

std::size_t rounded_up(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

aligned_layout aligned_layout_of(const data_type& type) {
  if (type.kind() == element_kind::sequence) return aligned_layout_of(type.element());
  if (type.kind() == element_kind::opaque) return {type.size(), 1};
  if (type.kind() != element_kind::structure) return {type.size(), type.alignment()};
  aligned_layout whole{0, 1};
  for (const data_field& field : type.fields()) {
    const aligned_layout inner = aligned_layout_of(field.type);
    const std::size_t at = rounded_up(whole.size, inner.alignment);
    whole.is_same = whole.is_same && inner.is_same && at == field.offset;
    whole.size = at + inner.size;
    whole.alignment = std::max(whole.alignment, inner.alignment);
  }
  whole.size = rounded_up(whole.size, whole.alignment);
  whole.is_same = whole.is_same && whole.size == type.base().size();
  for (const std::uint64_t extent : type.dims()) whole.size *= extent;
  return whole;
}

[[noreturn]] void refuse_type(const std::string& what) {
  throw error(errc::unsupported, "its elements are " + what + ", which arrays here do not have");
}

bool is_signed(element_kind kind) noexcept {
  return kind == element_kind::int8 || kind == element_kind::int16 || kind == element_kind::int32 ||
         kind == element_kind::int64;
}

std::string value_text(const data_type& integer, const std::array<char, 8>& bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), integer.size());
  if (!is_signed(integer.kind())) return std::to_string(value);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(integer.size());
  return std::to_string(static_cast<std::int64_t>(value << unused) >> unused);
}

class type_reader {
 public:
  type_reader(const netcdf_file& file, int group, netcdf_element& found)
      : file_(file), group_(group), found_(found) {}

  data_type read(nc_type type, unsigned depth) {
    for (const netcdf_type& one : netcdf_types)
      if (one.type == type) return one.kind;
    if (depth > deepest_type) refuse_type("nested too deeply");
    std::array<char, NC_MAX_NAME + 1> name{};
    std::size_t size = 0;
    nc_type base = NC_NAT;
    std::size_t count = 0;
    int kind = 0;
    file_.require(nc_inq_user_type(group_, type, name.data(), &size, &base, &count, &kind),
                  "a type cannot be read");
    switch (kind) {
      case NC_ENUM:
        return enumeration(type, base, count, depth);
      case NC_OPAQUE:
        if (size == 0) refuse_type("of no bytes");
        return data_type::opaque(name.data(), size, 1);
      case NC_VLEN: {
        data_type element = read(base, depth + 1);
        if (element.is_variable()) refuse_type("lists of lists or texts");
        return data_type::list_of(std::move(element));
      }
      case NC_COMPOUND:
        return compound(type, size, count, depth);
      default:
        refuse_type("of a kind that is not known");
    }
  }

 private:
  data_type enumeration(nc_type type, nc_type base, std::size_t count, unsigned depth) {
    data_type integer = read(base, depth + 1);
    std::vector<std::string> named_values;
    for (std::size_t i = 0; i < count; ++i) {
      std::array<char, NC_MAX_NAME + 1> name{};
      std::array<char, 8> value{};
      file_.require(nc_inq_enum_member(group_, type, static_cast<int>(i), name.data(), value.data()),
                    "an enumeration cannot be read");
      named_values.push_back(std::string(name.data()) + '=' + value_text(integer, value));
    }
    if (integer.size() == 1 && named_values == std::vector<std::string>{"FALSE=0", "TRUE=1"})
      return element_kind::boolean;
    if (depth == 0)
      found_.enumeration = std::move(named_values);
    else
      found_.losses.emplace_back("loses the names of the values of an enumeration inside of another type");
    return integer;
  }

  data_type compound(nc_type type, std::size_t size, std::size_t count, unsigned depth) {
    std::vector<data_field> fields;
    for (std::size_t i = 0; i < count; ++i) {
      std::array<char, NC_MAX_NAME + 1> name{};
      std::size_t offset = 0;
      nc_type field_type = NC_NAT;
      int rank = 0;
      std::array<int, NC_MAX_VAR_DIMS> dims{};
      file_.require(nc_inq_compound_field(group_, type, static_cast<int>(i), name.data(), &offset,
                                          &field_type, &rank, dims.data()),
                    "a field cannot be read");
      data_type field = read(field_type, depth + 1);
      if (field.is_variable()) refuse_type("structs with texts or lists of any length");
      if (rank > 0) {
        std::vector<std::uint64_t> shape(dims.begin(), dims.begin() + rank);
        field = field.array(shape);
      }
      fields.push_back({name.data(), offset, std::move(field)});
    }
    std::sort(fields.begin(), fields.end(),
              [](const data_field& a, const data_field& b) { return a.offset < b.offset; });
    if (data_type complex = complex_of(fields, size); complex != data_type()) return complex;
    return naturally_aligned(std::move(fields), size);
  }

  static data_type complex_of(const std::vector<data_field>& fields, std::size_t size) {
    if (fields.size() != 2 || fields[0].type != fields[1].type || fields[0].offset != 0 ||
        fields[1].offset != size / 2)
      return {};
    const bool is_named = (fields[0].name == "r" && fields[1].name == "i") ||
                          (fields[0].name == "real" && fields[1].name == "imag");
    if (!is_named) return {};
    if (fields[0].type == element_kind::float32) return element_kind::complex64;
    if (fields[0].type == element_kind::float64) return element_kind::complex128;
    return {};
  }

  const netcdf_file& file_;
  int group_;
  netcdf_element& found_;
};

}  // namespace

netcdf_element element_from_netcdf(const netcdf_file& file, int group, nc_type type) {
  netcdf_element found;
  found.type = type_reader(file, group, found).read(type, 0);
  return found;
}

nc_type netcdf_type_definitions::type_for(const data_type& type,
                                          const std::vector<std::string>& enumeration) {
  if (!enumeration.empty()) {
    const nc_type made = define_enumeration(type, enumeration);
    if (made != NC_NAT) return made;
  }
  for (const netcdf_type& one : netcdf_types)
    if (one.kind == type.kind()) return one.type;
  const auto known = known_.find(type.text());
  if (known != known_.end()) return known->second;
  const nc_type made = define(type);
  known_[type.text()] = made;
  return made;
}

nc_type netcdf_type_definitions::define(const data_type& type) {
  nc_type made = NC_NAT;
  switch (type.kind()) {
    case element_kind::boolean:
      // h5py has booleans as such an enumeration.
      return define_enumeration(element_kind::int8, {"FALSE=0", "TRUE=1"});
    case element_kind::complex64:
    case element_kind::complex128:
      return define_complex(type);
    case element_kind::structure:
      return define_structure(type);
    case element_kind::opaque:
      if (type.size() == 0) break;
      file_.require_written(nc_def_opaque(file_.id(), type.size(), new_name(type.name()).c_str(), &made),
                            "a type");
      return made;
    case element_kind::sequence:
      file_.require_written(
          nc_def_vlen(file_.id(),
                      new_name("list_of_" + std::string(to_string(type.element().kind()))).c_str(),
                      type_for(type.element()), &made),
          "a type");
      return made;
    default:
      break;
  }
  throw error(errc::unsupported, "NetCDF has no elements of type " + type.text() + ": choose HDF5");
}

nc_type netcdf_type_definitions::define_complex(const data_type& type) {
  const bool is_double = type.kind() == element_kind::complex128;
  const nc_type part = is_double ? NC_DOUBLE : NC_FLOAT;
  nc_type made = NC_NAT;
  // The name by which netCDF4 for Python and nc-complex know complex numbers.
  const std::string name = new_name(is_double ? "_PFNC_DOUBLE_COMPLEX_TYPE" : "_PFNC_FLOAT_COMPLEX_TYPE");
  file_.require_written(nc_def_compound(file_.id(), type.size(), name.c_str(), &made), "a type");
  file_.require_written(nc_insert_compound(file_.id(), made, "r", 0, part), "a type");
  file_.require_written(nc_insert_compound(file_.id(), made, "i", type.size() / 2, part), "a type");
  return made;
}

bool keeps_layout(const data_type& type) {
  return aligned_layout_of(type).is_same;
}

nc_type netcdf_type_definitions::define_structure(const data_type& type) {
  // Types of fields are defined before the struct's own.
  std::vector<nc_type> types;
  for (const data_field& field : type.fields()) types.push_back(type_for(field.type.base()));
  nc_type made = NC_NAT;
  file_.require_written(nc_def_compound(file_.id(), type.base().size(), new_name("struct").c_str(), &made),
                        "a type");
  for (std::size_t i = 0; i < types.size(); ++i) {
    const data_field& field = type.fields()[i];
    const std::vector<int> dims(field.type.dims().begin(), field.type.dims().end());
    const int status = dims.empty()
                           ? nc_insert_compound(file_.id(), made, field.name.c_str(), field.offset, types[i])
                           : nc_insert_array_compound(file_.id(), made, field.name.c_str(), field.offset,
                                                      types[i], static_cast<int>(dims.size()), dims.data());
    file_.require_written(status, "the field " + field.name);
  }
  return made;
}

nc_type netcdf_type_definitions::define_enumeration(const data_type& integer,
                                                    const std::vector<std::string>& named_values) {
  std::string key = integer.text();
  for (const std::string& one : named_values) key += '\n' + one;
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const netcdf_type* base = nullptr;
  for (const netcdf_type& one : netcdf_types)
    if (one.kind == integer.kind() && one.type != NC_CHAR && one.type != NC_FLOAT && one.type != NC_DOUBLE &&
        one.type != NC_STRING)
      base = &one;
  std::vector<std::pair<std::string, std::uint64_t>> parsed(named_values.size());
  for (std::size_t i = 0; i < named_values.size(); ++i)
    if (!parse_enumerator(named_values[i], parsed[i].first, parsed[i].second)) return NC_NAT;
  if (base == nullptr) return NC_NAT;
  nc_type made = NC_NAT;
  const bool is_truth = key == "int8\nFALSE=0\nTRUE=1";
  file_.require_written(
      nc_def_enum(file_.id(), base->type, new_name(is_truth ? "bool" : "enumeration").c_str(), &made),
      "a type");
  for (const auto& [name, value] : parsed)
    file_.require_written(nc_insert_enum(file_.id(), made, name.c_str(), &value), "the value " + name);
  known_[key] = made;
  return made;
}

/// Names of types are different, and begin with a letter.
std::string netcdf_type_definitions::new_name(const std::string& wanted) {
  std::string name = wanted;
  for (char& c : name)
    if (c == '/' || static_cast<unsigned char>(c) < ' ') c = '_';
  const unsigned number = names_[name]++;
  return number == 0 ? name : name + '_' + std::to_string(number + 1);
}

}  // namespace perdure::formats
