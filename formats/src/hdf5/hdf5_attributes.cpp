// Reads and writes attributes.
#include "hdf5/hdf5_attributes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <set>
#include <utility>

#include "hdf5/hdf5_types.hpp"
#include "hdf5/hdf5_variable.hpp"
#include "reserved_keys.hpp"

namespace perdure::formats {
namespace {

constexpr std::string_view labels_key = "DIMENSION_LABELS";
// Dimension scales give a dataset's dimensions their names. The second key leads back from a scale.
constexpr std::string_view scales_key = "DIMENSION_LIST";
constexpr std::string_view back_references_key = "REFERENCE_LIST";
constexpr std::string_view null_tag = "null";
constexpr std::size_t longest_key = 4096;
constexpr std::uint64_t most_attribute_dims = std::uint64_t{1} << 40;

[[noreturn]] void refuse_attribute(const std::string& why) {
  throw error(errc::unsupported, why);
}

/// One attribute that is read.
class attribute_reader {
 public:
  attribute_reader(const hdf5_file& file, hid_t object, const std::string& key, std::size_t rank,
                   hdf5_attributes& found)
      : file_(file),
        object_(object),
        key_(key),
        rank_(rank),
        found_(found),
        attribute_(H5Aopen(object, key.c_str(), H5P_DEFAULT), H5Aclose, "the attribute"),
        type_(H5Aget_type(attribute_.get()), H5Tclose, "its type"),
        space_(H5Aget_space(attribute_.get()), H5Sclose, "its shape") {}

  void read() {
    if (key_ == back_references_key) return;
    if (key_ == scales_key && rank_ != 0) return read_scales();
    if (key_.empty() || key_.size() > longest_key)
      refuse_attribute("its name has " + std::to_string(key_.size()) + " bytes");
    if (is_reserved_key(key_)) refuse_attribute("its name stands for something else here");
    const bool is_null = H5Sget_simple_extent_type(space_.get()) == H5S_NULL;
    hdf5_element element;
    try {
      element = element_from_hdf5(type_.get());
    } catch (const error&) {
      if (!is_null) throw;
      return add(null_type(), {}, {});
    }
    for (const std::string& one : element.losses) found_.losses.push_back("\"" + key_ + "\" " + one);
    const data_type& type = element.type;
    if (is_null) {
      const bool is_tag = type.kind() == element_kind::opaque && type.name() == null_tag && type.size() == 1;
      return add(null_type(is_tag ? data_type() : type), {}, {});
    }
    const extents dims = shape();
    if (type.is_variable())
      read_variable(type, dims);
    else
      read_fixed(type, dims);
    if (!element.enumeration.empty())
      found_.kept.push_back(list_of_texts(enumeration_key_of(key_), element.enumeration));
  }

 private:
  extents shape() const {
    std::array<hsize_t, H5S_MAX_RANK> dims{};
    const int rank = H5Sget_simple_extent_ndims(space_.get());
    if (rank < 0 || H5Sget_simple_extent_dims(space_.get(), dims.data(), nullptr) < 0)
      refuse_attribute("its shape cannot be read: " + hdf5_complaint());
    extents result;
    for (int i = 0; i < rank; ++i) {
      const hsize_t n = dims[static_cast<std::size_t>(i)];
      if (n > most_attribute_dims) refuse_attribute("it declares more elements than its file can hold");
      result.push_back(n);
    }
    return result;
  }

  void add(const data_type& type, const extents& dims, std::string bytes) {
    found_.kept.push_back({key_, type, dims, std::move(bytes)});
  }

  /// Attributes are stored as they are, so a file holds their bytes.
  std::uint64_t require_held(const extents& dims, std::size_t element_size) const {
    const std::uint64_t count = dims.elements();
    if (element_size != 0 && count > file_.bytes / element_size)
      refuse_attribute("it declares more elements than its file can hold");
    return count;
  }

  void read_variable(const data_type& type, const extents& dims) {
    const std::uint64_t count = require_held(dims, H5Tget_size(type_.get()));
    const variable_elements all = variable(type, count);
    if (type.kind() == element_kind::text && key_ == labels_key && dims.rank() == 1 && count == rank_) {
      found_.dimensions = split(all);
      return;
    }
    add(type, dims, dims.empty() ? all.bytes : pack_elements(all));
  }

  variable_elements variable(const data_type& type, std::uint64_t count) {
    if (count == 0) return {};
    const hdf5_handle memory_type = hdf5_memory_type(type, type_.get());
    variable_memory memory(type, count, file_.bytes);
    if (H5Aread(attribute_.get(), memory_type.get(), memory.data()) < 0)
      refuse_attribute("its elements cannot be read: " + hdf5_complaint());
    memory.reclaim(memory_type.get(), space_.get());
    return memory.elements();
  }

  void read_fixed(const data_type& type, extents dims) {
    const std::uint64_t count = require_held(dims, type.size());
    const hdf5_handle memory_type = hdf5_memory_type(type, type_.get());
    std::string bytes(count * type.size(), '\0');
    if (!bytes.empty() && H5Aread(attribute_.get(), memory_type.get(), bytes.data()) < 0)
      refuse_attribute("its elements cannot be read: " + hdf5_complaint());
    if (type.kind() == element_kind::character && type.dims().size() == 1)
      return add_texts(dims, bytes, type.size(), count);
    for (const std::uint64_t n : type.dims()) dims.push_back(n);
    add(type.base(), dims, std::move(bytes));
  }

  /// Texts of fixed length, without the zeros that fill them up.
  void add_texts(const extents& dims, const std::string& bytes, std::size_t size, std::uint64_t count) {
    std::vector<std::string> texts;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string one = bytes.substr(i * size, size);
      one.resize(one.find_last_not_of('\0') + 1);
      texts.push_back(std::move(one));
    }
    if (key_ == labels_key && dims.rank() == 1 && count == rank_) {
      found_.dimensions = std::move(texts);
      return;
    }
    add(element_kind::text, dims, dims.empty() ? texts[0] : pack_elements(joined(texts)));
  }

  /// A dimension that has no label is called as its first scale.
  void read_scales() {
    const hdf5_handle base(H5Tget_class(type_.get()) == H5T_VLEN ? H5Tget_super(type_.get()) : -1, H5Tclose,
                           "its type");
    const extents dims = shape();
    if (H5Tequal(base.get(), H5T_STD_REF_OBJ) <= 0 || dims.rank() != 1 || dims[0] != rank_)
      refuse_attribute("it is no list of scales");
    const data_type list = data_type::list_of(data_type::opaque("reference", sizeof(hobj_ref_t), 1));
    const hdf5_handle memory_type(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose, "a type");
    variable_memory memory(list, rank_, file_.bytes);
    if (H5Aread(attribute_.get(), memory_type.get(), memory.data()) < 0)
      refuse_attribute("its elements cannot be read: " + hdf5_complaint());
    memory.reclaim(memory_type.get(), space_.get());
    const variable_elements all = memory.elements();
    found_.dimensions.resize(rank_);
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < rank_; ++i) {
      const std::uint64_t scales = (all.ends[i] - begin) / sizeof(hobj_ref_t);
      std::string& name = found_.dimensions[i];
      if (scales != 0 && name.empty()) name = name_of_scale(all.bytes.data() + begin);
      if (scales > 1)
        found_.losses.push_back("loses the scales behind the first one of its dimension " +
                                std::to_string(i));
      begin = all.ends[i];
    }
  }

  std::string name_of_scale(const char* reference) const {
    hobj_ref_t target = 0;
    std::memcpy(&target, reference, sizeof target);
    std::array<char, longest_key> name{};
    const ssize_t length = H5Rget_name(object_, H5R_OBJECT, &target, name.data(), name.size());
    if (length <= 0) return {};
    const std::string_view whole(name.data(),
                                 std::min<std::size_t>(static_cast<std::size_t>(length), name.size() - 1));
    return std::string(whole.substr(whole.rfind('/') + 1));
  }

  const hdf5_file& file_;
  hid_t object_;
  const std::string& key_;
  std::size_t rank_;
  hdf5_attributes& found_;
  hdf5_handle attribute_;
  hdf5_handle type_;
  hdf5_handle space_;
};

/// One attribute that is written.
class attribute_writer {
 public:
  attribute_writer(const std::filesystem::path& path, hid_t object, const array_description& what)
      : path_(path), object_(object), what_(what) {}

  /// `unsupported`, with the reason, for what HDF5 cannot hold.
  void write(const array_attribute& one) const {
    if (is_null(one.type)) return write_null(one);
    if (one.type.kind() == element_kind::character) return write(characters_as_texts(one));
    if (one.type.kind() == element_kind::text) return write_texts(one.key, split_texts(one), one.dims);
    if (one.type.is_variable()) return write_lists(one);
    hdf5_element element{one.type};
    element.enumeration = texts_of(find_attribute(what_, enumeration_key_of(one.key)));
    const hdf5_handle type = hdf5_file_type(element);
    const hdf5_handle attribute = make(one.key, type.get(), space_of(one.dims));
    require_written(path_, one.bytes.empty() || H5Awrite(attribute.get(), type.get(), one.bytes.data()) >= 0,
                    one.key);
  }

  void write_texts(const std::string& key, std::vector<std::string> texts, const extents& dims) const {
    const bool has_zero = std::any_of(texts.begin(), texts.end(),
                                      [](const std::string& one) { return one.find('\0') != one.npos; });
    if (has_zero) return write_padded(key, texts, dims);
    const hdf5_handle type = hdf5_memory_type(element_kind::text);
    const hdf5_handle attribute = make(key, type.get(), space_of(dims));
    std::vector<char*> pointers;
    pointers.reserve(texts.size());
    for (std::string& one : texts) pointers.push_back(one.data());
    require_written(path_, texts.empty() || H5Awrite(attribute.get(), type.get(), pointers.data()) >= 0, key);
  }

 private:
  static hdf5_handle space_of(const extents& given) {
    const std::vector<hsize_t> dims(given.begin(), given.end());
    return {dims.empty() ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
            H5Sclose, "a shape"};
  }

  hdf5_handle make(const std::string& key, hid_t type, const hdf5_handle& space) const {
    if (key.find('\0') != std::string::npos) refuse_attribute("its name has a zero byte");
    const hdf5_handle properties(H5Pcreate(H5P_ATTRIBUTE_CREATE), H5Pclose, "properties");
    H5Pset_char_encoding(properties.get(), H5T_CSET_UTF8);
    const hid_t made = H5Acreate2(object_, key.c_str(), type, space.get(), properties.get(), H5P_DEFAULT);
    require_written(path_, made >= 0, key);
    return {made, H5Aclose, key};
  }

  static std::vector<std::string> split_texts(const array_attribute& one) {
    if (one.dims.empty()) return {one.bytes};
    return split(unpack_elements(one.dims, one.bytes));
  }

  void write_null(const array_attribute& one) const {
    const data_type value = type_without_value(one.type);
    const hdf5_handle space(H5Screate(H5S_NULL), H5Sclose, "a shape");
    // Without a type of its own it is known by the tag.
    const hdf5_handle type =
        hdf5_memory_type(value == data_type() ? data_type::opaque(null_tag, 1, 1) : value);
    make(one.key, type.get(), space);
  }

  void write_lists(const array_attribute& one) const {
    variable_elements all = one.dims.empty() ? variable_elements{{one.bytes.size()}, one.bytes}
                                             : unpack_elements(one.dims, one.bytes);
    const hdf5_handle type = hdf5_memory_type(one.type);
    const hdf5_handle attribute = make(one.key, type.get(), space_of(one.dims));
    variable_memory memory(one.type, all.ends.size(), 0);
    memory.point_to(all);
    require_written(path_, all.ends.empty() || H5Awrite(attribute.get(), type.get(), memory.data()) >= 0,
                    one.key);
  }

  /// Texts with zero bytes in them are of fixed length, which zeros fill up.
  void write_padded(const std::string& key, const std::vector<std::string>& texts,
                    const extents& dims) const {
    std::size_t longest = 1;
    for (const std::string& one : texts) {
      if (one.ends_with('\0')) refuse_attribute("HDF5 does not keep a zero byte at the end of a text");
      longest = std::max(longest, one.size());
    }
    std::string bytes;
    for (const std::string& one : texts) {
      bytes += one;
      bytes.append(longest - one.size(), '\0');
    }
    hdf5_element element{data_type(element_kind::character).array({longest})};
    element.is_utf8 = true;
    const hdf5_handle type = hdf5_file_type(element);
    const hdf5_handle attribute = make(key, type.get(), space_of(dims));
    require_written(path_, H5Awrite(attribute.get(), type.get(), bytes.data()) >= 0, key);
  }

  const std::filesystem::path& path_;
  hid_t object_;
  const array_description& what_;
};

}  // namespace

void require_written(const std::filesystem::path& path, bool is_done, const std::string& what) {
  if (is_done) return;
  throw error(errc::io, path.string() + ": HDF5 cannot write " + what + ": " + hdf5_complaint());
}

hdf5_attributes read_attributes(const hdf5_file& file, hid_t object, std::size_t rank) {
  hdf5_attributes found;
  std::vector<std::string> keys;
  hsize_t at = 0;
  const herr_t walked = H5Aiterate2(
      object, H5_INDEX_NAME, H5_ITER_INC, &at,
      [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->push_back(name);
        return 0;
      },
      &keys);
  if (walked < 0) found.losses.push_back("loses attributes: they cannot be listed: " + hdf5_complaint());
  // Labels come before lists of scales, whose names are those of other datasets.
  for (const std::string& key : keys) {
    std::vector<std::string> changes = std::exchange(found.losses, {});
    try {
      attribute_reader(file, object, key, rank, found).read();
      for (std::string& one : found.losses)
        if (!one.starts_with("loses ")) one.insert(0, "has an attribute that changes: ");
    } catch (const error& failure) {
      found.losses = {"loses the attribute \"" + key + "\": " + failure.what()};
    }
    found.losses.insert(found.losses.begin(), std::make_move_iterator(changes.begin()),
                        std::make_move_iterator(changes.end()));
  }
  const auto is_empty = [](const std::string& one) { return one.empty(); };
  if (std::all_of(found.dimensions.begin(), found.dimensions.end(), is_empty)) found.dimensions.clear();
  return found;
}

void write_attributes(const std::filesystem::path& path, hid_t object, const array_description& what,
                      const loss_sink& report) {
  const attribute_writer writer(path, object, what);
  write_each_attribute(what, {}, report, [&](const array_attribute& one) {
    if (one.key != labels_key || what.dimensions.empty()) writer.write(one);
  });
}

void write_labels(const std::filesystem::path& path, hid_t object, std::vector<std::string> names) {
  const extents dims{names.size()};
  attribute_writer(path, object, {}).write_texts(std::string(labels_key), std::move(names), dims);
}

}  // namespace perdure::formats
