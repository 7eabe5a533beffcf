// Translates element types.
#include "hdf5/hdf5_types.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <perdure/error.hpp>
#include <utility>

#include "byte_order.hpp"
#include "reserved_keys.hpp"

namespace perdure::formats {
namespace {

constexpr unsigned deepest_type = 32;
constexpr std::size_t largest_element = std::size_t{1} << 40;
constexpr std::string_view nameless = "void";

[[noreturn]] void refuse_type(const std::string& what) {
  throw error(errc::unsupported, "its elements are " + what + ", which arrays here do not have");
}

using hdf5_text = std::unique_ptr<char, herr_t (*)(void*)>;

std::string name_of_member(hid_t type, unsigned index) {
  const hdf5_text name(H5Tget_member_name(type, index), H5free_memory);
  return name ? name.get() : "";
}

hdf5_handle super_of(hid_t type) {
  return {H5Tget_super(type), H5Tclose, "a type"};
}

/// The smallest integer that has all values.
data_type integer_from(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;
  if (size == 0 || size > 8) refuse_type("integers of " + std::to_string(size) + " bytes");
  if (size == 1) return is_signed ? element_kind::int8 : element_kind::uint8;
  if (size == 2) return is_signed ? element_kind::int16 : element_kind::uint16;
  if (size <= 4) return is_signed ? element_kind::int32 : element_kind::uint32;
  return is_signed ? element_kind::int64 : element_kind::uint64;
}

/// The smallest floating-point number that has all values.
data_type float_from(hid_t type) {
  std::size_t sign = 0;
  std::size_t exponent = 0;
  std::size_t exponent_size = 0;
  std::size_t mantissa = 0;
  std::size_t mantissa_size = 0;
  if (H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) < 0)
    refuse_type("damaged floating-point numbers");
  if (exponent_size <= 5 && mantissa_size <= 10) return element_kind::float16;
  if (exponent_size <= 8 && mantissa_size <= 7) return element_kind::bfloat16;
  if (exponent_size <= 8 && mantissa_size <= 23) return element_kind::float32;
  if (exponent_size <= 11 && mantissa_size <= 52) return element_kind::float64;
  refuse_type("floating-point numbers of " + std::to_string(H5Tget_size(type)) +
              " bytes, more exact than float64");
}

/// h5py's bool is an enumeration of FALSE and TRUE.
bool is_truth(hid_t type) {
  return H5Tget_nmembers(type) == 2 && H5Tget_size(type) == 1 && name_of_member(type, 0) == "FALSE" &&
         name_of_member(type, 1) == "TRUE";
}

bool are_complex_names(std::string_view real, std::string_view imaginary) noexcept {
  return (real == "r" && imaginary == "i") || (real == "real" && imaginary == "imag");
}

class type_reader {
 public:
  explicit type_reader(hdf5_element& found) : found_(found) {}

  data_type read(hid_t type, unsigned depth) {
    if (depth > deepest_type) refuse_type("nested too deeply");
    switch (H5Tget_class(type)) {
      case H5T_INTEGER:
        return integer_from(type);
      case H5T_FLOAT:
        return float_from(type);
      case H5T_BITFIELD:
        return bits_from(type);
      case H5T_ENUM:
        return enumeration_from(type, depth);
      case H5T_STRING:
        return text_from(type);
      case H5T_OPAQUE:
        return bytes_from(type);
      case H5T_COMPOUND:
        return compound_from(type, depth);
      case H5T_ARRAY:
        return array_from(type, depth);
      case H5T_VLEN:
        return list_from(type, depth);
      case H5T_REFERENCE:
        refuse_type("references");
      case H5T_TIME:
        found_.losses.emplace_back("keeps its times as raw bytes: arrays here have no times");
        return data_type::opaque("time", H5Tget_size(type), 1);
      default:
        refuse_type("of a kind that is not known");
    }
  }

 private:
  data_type bits_from(hid_t type) {
    const std::size_t size = H5Tget_size(type);
    data_type kept = size == 1   ? data_type(element_kind::uint8)
                     : size == 2 ? data_type(element_kind::uint16)
                     : size == 4 ? data_type(element_kind::uint32)
                     : size == 8 ? data_type(element_kind::uint64)
                                 : data_type::opaque("bits", size, 1);
    found_.losses.push_back("keeps its bit fields as " + kept.text() + ": arrays here have no bit fields");
    return kept;
  }

  data_type enumeration_from(hid_t type, unsigned depth) {
    if (is_truth(type)) return element_kind::boolean;
    const hdf5_handle base = super_of(type);
    if (H5Tget_class(base.get()) != H5T_INTEGER) refuse_type("an enumeration of no integers");
    data_type integer = integer_from(base.get());
    if (depth != 0) {
      found_.losses.emplace_back("loses the names of the values of an enumeration inside of another type");
      return integer;
    }
    const bool is_signed = H5Tget_sign(base.get()) != H5T_SGN_NONE;
    const int count = H5Tget_nmembers(type);
    for (int i = 0; i < count; ++i) {
      std::int64_t value = 0;
      const auto index = static_cast<unsigned>(i);
      std::array<std::byte, 16> bytes{};
      if (H5Tget_size(type) > bytes.size() / 2 || H5Tget_member_value(type, index, bytes.data()) < 0 ||
          H5Tconvert(base.get(), is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, 1, bytes.data(), nullptr,
                     H5P_DEFAULT) < 0)
        refuse_type("a damaged enumeration");
      std::memcpy(&value, bytes.data(), sizeof value);
      found_.enumeration.push_back(
          name_of_member(type, index) + '=' +
          (is_signed ? std::to_string(value) : std::to_string(static_cast<std::uint64_t>(value))));
    }
    return integer;
  }

  data_type text_from(hid_t type) {
    if (H5Tis_variable_str(type) > 0) return element_kind::text;
    const std::size_t size = H5Tget_size(type);
    if (size == 0 || size > largest_element) refuse_type("texts of no length");
    if (H5Tget_cset(type) == H5T_CSET_UTF8) found_.is_utf8 = true;
    return data_type(element_kind::character).array({size});
  }

  static data_type bytes_from(hid_t type) {
    const std::size_t size = H5Tget_size(type);
    if (size == 0 || size > largest_element) refuse_type("of no bytes");
    const hdf5_text tag(H5Tget_tag(type), H5free_memory);
    const bool has_tag = tag && *tag != '\0';
    return data_type::opaque(has_tag ? tag.get() : nameless, size, 1);
  }

  data_type compound_from(hid_t type, unsigned depth) {
    const int count = H5Tget_nmembers(type);
    if (count < 1) refuse_type("structs without fields");
    std::vector<data_field> fields;
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<unsigned>(i);
      const hdf5_handle member(H5Tget_member_type(type, index), H5Tclose, "a field");
      data_type part = read(member.get(), depth + 1);
      if (part.is_variable()) refuse_type("structs with texts or lists of any length");
      fields.push_back({name_of_member(type, index), H5Tget_member_offset(type, index), std::move(part)});
    }
    // Complex numbers, as h5py and everybody else has them.
    if (count == 2 && fields[0].type == fields[1].type && are_complex_names(fields[0].name, fields[1].name)) {
      if (fields[0].type == element_kind::float32) return element_kind::complex64;
      if (fields[0].type == element_kind::float64) return element_kind::complex128;
    }
    // Where they lie as they can lie here, they stay; else elements are packed.
    std::uint64_t end = 0;
    bool is_kept = true;
    for (const data_field& field : fields) {
      is_kept = is_kept && field.offset >= end;
      end = field.offset + field.type.size();
      if (end > largest_element) refuse_type("very large");
    }
    if (is_kept && end <= H5Tget_size(type)) return naturally_aligned(std::move(fields), H5Tget_size(type));
    std::size_t at = 0;
    for (data_field& field : fields) {
      field.offset = at;
      at += field.type.size();
      if (at > largest_element) refuse_type("very large");
    }
    return naturally_aligned(std::move(fields), at);
  }

  data_type array_from(hid_t type, unsigned depth) {
    std::array<hsize_t, H5S_MAX_RANK> dims{};
    const int rank = H5Tget_array_ndims(type);
    if (rank < 1 || H5Tget_array_dims2(type, dims.data()) < 0) refuse_type("damaged arrays");
    const hdf5_handle element = super_of(type);
    const data_type base = read(element.get(), depth + 1);
    if (base.is_variable()) refuse_type("arrays of texts or lists of any length");
    std::vector<std::uint64_t> extent(dims.begin(), dims.begin() + rank);
    std::uint64_t all = base.size();
    for (const std::uint64_t n : extent)
      if (n == 0 || __builtin_mul_overflow(all, n, &all) || all > largest_element) refuse_type("very large");
    return base.array(extent);
  }

  data_type list_from(hid_t type, unsigned depth) {
    const hdf5_handle element = super_of(type);
    data_type base = read(element.get(), depth + 1);
    if (base.is_variable() || !base.dims().empty()) refuse_type("lists of lists or texts");
    return data_type::list_of(std::move(base));
  }

  hdf5_element& found_;
};

hdf5_handle copied(hid_t type) {
  return {H5Tcopy(type), H5Tclose, "a type"};
}

hdf5_handle float_of_16_bits(bool is_bfloat) {
  hdf5_handle type = copied(H5T_IEEE_F32LE);
  const bool is_made = is_bfloat ? H5Tset_fields(type.get(), 15, 7, 8, 0, 7) >= 0 &&
                                       H5Tset_size(type.get(), 2) >= 0 && H5Tset_ebias(type.get(), 127) >= 0
                                 : H5Tset_fields(type.get(), 15, 10, 5, 0, 10) >= 0 &&
                                       H5Tset_size(type.get(), 2) >= 0 && H5Tset_ebias(type.get(), 15) >= 0;
  if (!is_made) throw error(errc::unsupported, "HDF5 has no floating-point numbers of 16 bits here");
  return type;
}

hid_t native_number(element_kind kind) {
  switch (kind) {
    case element_kind::int8:
      return H5T_NATIVE_INT8;
    case element_kind::int16:
      return H5T_NATIVE_INT16;
    case element_kind::int32:
      return H5T_NATIVE_INT32;
    case element_kind::int64:
      return H5T_NATIVE_INT64;
    case element_kind::uint8:
      return H5T_NATIVE_UINT8;
    case element_kind::uint16:
      return H5T_NATIVE_UINT16;
    case element_kind::uint32:
      return H5T_NATIVE_UINT32;
    case element_kind::uint64:
      return H5T_NATIVE_UINT64;
    case element_kind::float32:
      return H5T_NATIVE_FLOAT;
    case element_kind::float64:
      return H5T_NATIVE_DOUBLE;
    default:
      return H5I_INVALID_HID;
  }
}

/// Texts of variable length.
hdf5_handle variable_text(hid_t file_type) {
  hdf5_handle text = copied(H5T_C_S1);
  H5Tset_size(text.get(), H5T_VARIABLE);
  H5Tset_cset(text.get(), file_type < 0 ? H5T_CSET_UTF8 : H5Tget_cset(file_type));
  return text;
}

hdf5_handle truth() {
  hdf5_handle made(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose, "a type");
  std::int8_t value = 0;
  H5Tenum_insert(made.get(), "FALSE", &value);
  value = 1;
  H5Tenum_insert(made.get(), "TRUE", &value);
  return made;
}

hdf5_handle complex_number(const data_type& type, hid_t file_type) {
  const hid_t part = type.kind() == element_kind::complex64 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  hdf5_handle pair(H5Tcreate(H5T_COMPOUND, type.size()), H5Tclose, "a type");
  const bool is_of_file = file_type >= 0;
  H5Tinsert(pair.get(), is_of_file ? name_of_member(file_type, 0).c_str() : "r", 0, part);
  H5Tinsert(pair.get(), is_of_file ? name_of_member(file_type, 1).c_str() : "i", type.size() / 2, part);
  return pair;
}

hdf5_handle structure(const data_type& type, hid_t file_type) {
  hdf5_handle made(H5Tcreate(H5T_COMPOUND, type.size()), H5Tclose, "a type");
  for (const data_field& field : type.fields()) {
    const int index = file_type < 0 ? -1 : H5Tget_member_index(file_type, field.name.c_str());
    const hdf5_handle of_file =
        index < 0
            ? hdf5_handle()
            : hdf5_handle(H5Tget_member_type(file_type, static_cast<unsigned>(index)), H5Tclose, "a field");
    const hdf5_handle member = hdf5_memory_type(field.type, of_file.get());
    if (H5Tinsert(made.get(), field.name.c_str(), field.offset, member.get()) < 0)
      throw error(errc::unsupported, "HDF5 does not take the field " + field.name);
  }
  return made;
}

hdf5_handle opaque(const data_type& type) {
  hdf5_handle made(H5Tcreate(H5T_OPAQUE, type.size()), H5Tclose, "a type");
  // Tags are those of files: with the name of a program's own type h5py would not read the bytes. HDF5 has
  // tags of up to 256 bytes with the zero at their end.
  if (type.name() != nameless && type.alignment() == 1)
    H5Tset_tag(made.get(), type.name().substr(0, 255).c_str());
  return made;
}

hid_t native_bits(std::size_t size) {
  return size == 1 ? H5T_NATIVE_B8 : size == 2 ? H5T_NATIVE_B16 : size == 4 ? H5T_NATIVE_B32 : H5T_NATIVE_B64;
}

hdf5_handle base_memory_type(const data_type& type, hid_t file_type) {
  const H5T_class_t file_class = file_type < 0 ? H5T_NO_CLASS : H5Tget_class(file_type);
  if (file_class == H5T_BITFIELD && type.kind() != element_kind::opaque)
    return copied(native_bits(type.size()));
  switch (type.kind()) {
    case element_kind::boolean:
      return truth();
    case element_kind::character:
      return copied(H5T_C_S1);
    case element_kind::float16:
      return float_of_16_bits(false);
    case element_kind::bfloat16:
      return float_of_16_bits(true);
    case element_kind::complex64:
    case element_kind::complex128:
      return complex_number(type, file_type);
    case element_kind::text:
      return variable_text(file_type);
    case element_kind::sequence: {
      const hdf5_handle super = file_type < 0 ? hdf5_handle() : super_of(file_type);
      const hdf5_handle element = hdf5_memory_type(type.element(), super.get());
      return {H5Tvlen_create(element.get()), H5Tclose, "a type"};
    }
    case element_kind::structure:
      return structure(type, file_type);
    case element_kind::opaque:
      return file_type < 0 ? opaque(type) : copied(file_type);
    default:
      return copied(native_number(type.kind()));
  }
}

/// A text of fixed length.
hdf5_handle fixed_text(std::uint64_t size, H5T_cset_t set) {
  hdf5_handle text = copied(H5T_C_S1);
  H5Tset_size(text.get(), size);
  H5Tset_strpad(text.get(), H5T_STR_NULLPAD);
  H5Tset_cset(text.get(), set);
  return text;
}

hdf5_handle array_of(hdf5_handle one, std::span<const std::uint64_t> dims) {
  if (dims.empty()) return one;
  const std::vector<hsize_t> extent(dims.begin(), dims.end());
  return {H5Tarray_create2(one.get(), static_cast<unsigned>(extent.size()), extent.data()), H5Tclose,
          "a type"};
}

/// The type of an enumeration whose names and values are these texts; of integers if they are none.
hdf5_handle enumeration(const data_type& integer, const std::vector<std::string>& named_values) {
  hdf5_handle made(H5Tenum_create(native_number(integer.kind())), H5Tclose, "a type");
  for (const std::string& one : named_values) {
    std::string name;
    std::uint64_t value = 0;
    // The lowest bytes come first on the machines that Perdure runs on.
    if (!parse_enumerator(one, name, value) || H5Tenum_insert(made.get(), name.c_str(), &value) < 0)
      return copied(native_number(integer.kind()));
  }
  return made;
}

}  // namespace

hdf5_element element_from_hdf5(hid_t type) {
  hdf5_element found;
  found.type = type_reader(found).read(type, 0);
  return found;
}

hdf5_handle hdf5_memory_type(const data_type& type, hid_t file_type) {
  std::vector<std::uint64_t> dims = type.dims();
  // Elements of arrays in arrays are arrays of more dimensions here.
  hdf5_handle inner;
  hid_t element = file_type;
  while (element >= 0 && H5Tget_class(element) == H5T_ARRAY) {
    inner = super_of(element);
    element = inner.get();
  }
  const data_type base = type.base();
  if (base.kind() != element_kind::character) return array_of(base_memory_type(base, element), dims);
  // The last dimension of characters is a text's length.
  const H5T_cset_t set =
      element >= 0 && H5Tget_class(element) == H5T_STRING ? H5Tget_cset(element) : H5T_CSET_ASCII;
  const std::uint64_t length = dims.empty() ? 1 : dims.back();
  if (!dims.empty()) dims.pop_back();
  return array_of(fixed_text(length, set), dims);
}

hdf5_handle hdf5_file_type(const hdf5_element& element) {
  const data_type& type = element.type;
  if (!element.enumeration.empty() && type.dims().empty() && native_number(type.kind()) >= 0)
    return enumeration(type, element.enumeration);
  if (element.is_utf8 && type.kind() == element_kind::character && type.dims().size() == 1)
    return fixed_text(type.dims()[0], H5T_CSET_UTF8);
  return hdf5_memory_type(type);
}

}  // namespace perdure::formats
