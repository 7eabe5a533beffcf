// Reads and writes attributes.
#include "netcdf/netcdf_attributes.hpp"

#include <algorithm>
#include <array>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <utility>

#include "reserved_keys.hpp"

namespace perdure::formats {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw error(errc::unsupported, why);
}

class attribute_reader {
 public:
  attribute_reader(const netcdf_file& file, int group, int variable, const std::string& key,
                   std::vector<array_attribute>& kept)
      : file_(file), group_(group), variable_(variable), key_(key), kept_(kept) {}

  std::vector<std::string> read() {
    if (is_reserved_key(key_)) refuse("its name stands for something else here");
    nc_type type = NC_NAT;
    std::size_t length = 0;
    require(nc_inq_att(group_, variable_, key_.c_str(), &type, &length));
    // Attributes are stored as they are, so a file holds their bytes.
    if (length > file_.bytes()) refuse("it declares more elements than its file can hold");
    if (type == NC_STRING) {
      read_texts(length);
      return {};
    }
    const netcdf_element element = element_from_netcdf(file_, group_, type);
    if (element.type.is_variable())
      read_lists(element.type, length);
    else
      read_fixed(element.type, length);
    if (!element.enumeration.empty())
      kept_.push_back(list_of_texts(enumeration_key_of(key_), element.enumeration));
    return element.losses;
  }

 private:
  void require(int status) const {
    if (status != NC_NOERR) refuse(std::string("it cannot be read: ") + nc_strerror(status));
  }
  /// One element is a single value: NetCDF does not tell it from a list of one.
  static extents shape_of(std::size_t length) { return length == 1 ? extents{} : extents{length}; }

  void read_texts(std::size_t length) {
    std::vector<char*> given(length);
    if (length != 0) require(nc_get_att_string(group_, variable_, key_.c_str(), given.data()));
    std::vector<std::string> texts;
    texts.reserve(length);
    for (const char* const one : given) texts.emplace_back(one == nullptr ? "" : one);
    if (length != 0) nc_free_string(length, given.data());
    if (length == 1)
      kept_.push_back({key_, element_kind::text, {}, texts[0]});
    else
      kept_.push_back(list_of_texts(key_, texts));
  }

  void read_lists(const data_type& type, std::size_t length) {
    std::vector<nc_vlen_t> lists(length);
    if (length != 0) require(nc_get_att(group_, variable_, key_.c_str(), lists.data()));
    const variable_elements all = elements_of(lists, type);
    if (length != 0) nc_free_vlens(length, lists.data());
    kept_.push_back({key_, type, shape_of(length), length == 1 ? all.bytes : pack_elements(all)});
  }

  void read_fixed(const data_type& type, std::size_t length) {
    if (type.size() != 0 && length > file_.bytes() / type.size())
      refuse("it declares more elements than its file can hold");
    std::string bytes(length * type.size(), '\0');
    if (!bytes.empty()) require(nc_get_att(group_, variable_, key_.c_str(), bytes.data()));
    if (type.kind() == element_kind::character)
      kept_.push_back({key_, element_kind::text, {}, std::move(bytes)});
    else
      kept_.push_back({key_, type, shape_of(length), std::move(bytes)});
  }

  const netcdf_file& file_;
  int group_;
  int variable_;
  const std::string& key_;
  std::vector<array_attribute>& kept_;
};

class attribute_writer {
 public:
  attribute_writer(const netcdf_file& file, int group, int variable, const array_description& what,
                   netcdf_type_definitions& types, const loss_sink& report)
      : file_(file), group_(group), variable_(variable), what_(what), types_(types), report_(report) {}

  /// `unsupported`, with the reason, for what NetCDF cannot hold.
  void write(const array_attribute& one) const {
    if (is_null(one.type)) refuse("NetCDF has no null");
    if (one.type.kind() == element_kind::character) return write(characters_as_texts(one));
    if (one.dims.rank() > 1)
      report_({what_.name, "has an attribute \"" + one.key + "\" of shape " + one.dims.text() +
                               ", which becomes a list: NetCDF has no others"});
    if (one.type.kind() == element_kind::text) return write_texts(one);
    if (!keeps_layout(one.type))
      report_({what_.name, "has an attribute \"" + one.key +
                               "\" that gets other places of its fields: NetCDF aligns those of structs"});
    const auto enumeration = texts_of(find_attribute(what_, enumeration_key_of(one.key)));
    const nc_type type = types_.type_for(one.type, enumeration);
    if (one.key == netcdf_fill_value_key &&
        (variable_ == NC_GLOBAL || one.type != what_.type || one.dims.elements() != 1))
      refuse("it is not one element of the array's type");
    if (!one.type.is_variable()) return put(one.key, type, one.dims.elements(), one.bytes.data());
    variable_elements all = one.dims.empty() ? variable_elements{{one.bytes.size()}, one.bytes}
                                             : unpack_elements(one.dims, one.bytes);
    const std::vector<nc_vlen_t> lists = lists_of(all, one.type);
    put(one.key, type, lists.size(), lists.data());
  }

 private:
  void put(const std::string& key, nc_type type, std::size_t count, const void* elements) const {
    require(nc_put_att(group_, variable_, key.c_str(), type, count, elements));
  }
  void require(int status) const {
    if (status == NC_NOERR) return;
    // What NetCDF refuses, other than the disk, is no reason to end.
    if (status == ENOSPC || status == NC_EHDFERR) file_.require_written(status, what_.name);
    refuse(nc_strerror(status));
  }

  void write_texts(const array_attribute& one) const {
    if (one.dims.empty())
      return require(nc_put_att_text(group_, variable_, one.key.c_str(), one.bytes.size(), one.bytes.data()));
    const std::vector<std::string> texts = split(unpack_elements(one.dims, one.bytes));
    std::vector<const char*> pointers;
    for (const std::string& text : texts) {
      if (text.find('\0') != std::string::npos) refuse("NetCDF ends texts at a zero byte");
      pointers.push_back(text.c_str());
    }
    require(nc_put_att_string(group_, variable_, one.key.c_str(), pointers.size(), pointers.data()));
  }

  const netcdf_file& file_;
  int group_;
  int variable_;
  const array_description& what_;
  netcdf_type_definitions& types_;
  const loss_sink& report_;
};

}  // namespace

std::vector<array_attribute> read_attributes(const netcdf_file& file, int group, int variable, int count,
                                             const std::string& name, std::vector<loss>& losses) {
  std::vector<array_attribute> kept;
  for (int i = 0; i < count; ++i) {
    std::array<char, NC_MAX_NAME + 1> given{};
    const int status = nc_inq_attname(group, variable, i, given.data());
    if (status != NC_NOERR) {
      losses.push_back({name, std::string("loses an attribute: ") + nc_strerror(status)});
      continue;
    }
    const std::string key = given.data();
    try {
      for (const std::string& one : attribute_reader(file, group, variable, key, kept).read())
        losses.push_back(
            {name, std::string("has an attribute that changes: \"").append(key).append("\" ").append(one)});
    } catch (const error& failure) {
      losses.push_back({name, "loses the attribute \"" + key + "\": " + failure.what()});
    }
  }
  return kept;
}

void write_attributes(const netcdf_file& file, int group, int variable, const array_description& what,
                      netcdf_type_definitions& types, const loss_sink& report) {
  const attribute_writer writer(file, group, variable, what, types, report);
  write_each_attribute(what, {charset_key, null_key}, report,
                       [&](const array_attribute& one) { writer.write(one); });
}

std::vector<nc_vlen_t> lists_of(variable_elements& all, const data_type& type) {
  std::vector<nc_vlen_t> lists;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : all.ends) {
    lists.push_back(
        {(end - begin) / std::max<std::size_t>(type.element().size(), 1), all.bytes.data() + begin});
    begin = end;
  }
  return lists;
}

variable_elements elements_of(const std::vector<nc_vlen_t>& lists, const data_type& type) {
  variable_elements all;
  for (const nc_vlen_t& one : lists) {
    if (one.len != 0) all.bytes.append(static_cast<const char*>(one.p), one.len * type.element().size());
    all.ends.push_back(all.bytes.size());
  }
  return all;
}

}  // namespace perdure::formats
