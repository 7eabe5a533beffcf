// Translates element types.
#include "hdf5/hdf5_types.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <perdure/error.hpp>
#include <vector>

#include "byte_order.hpp"

namespace perdure::formats {

hdf5_handle::hdf5_handle(hid_t id, closer close, const std::string& what) : id_(id), close_(close) {
  if (id < 0) throw error(errc::bad_input, what + ": HDF5 cannot read it");
}

namespace {

constexpr unsigned deepest_type = 32;
constexpr std::size_t largest_element = std::size_t{1} << 40;

[[noreturn]] void refuse_type(const char* what) {
  throw error(errc::unsupported, std::string("its elements are ") + what + ", which is no type of ours");
}

std::string name_of_member(hid_t type, unsigned index) {
  const std::unique_ptr<char, herr_t (*)(void*)> name(H5Tget_member_name(type, index), H5free_memory);
  return name ? name.get() : "";
}

data_type integer_from(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;
  switch (size) {
    case 1:
      return is_signed ? element_kind::int8 : element_kind::uint8;
    case 2:
      return is_signed ? element_kind::int16 : element_kind::uint16;
    case 4:
      return is_signed ? element_kind::int32 : element_kind::uint32;
    case 8:
      return is_signed ? element_kind::int64 : element_kind::uint64;
    default:
      refuse_type("integers of an unusual size");
  }
}

data_type float_from(hid_t type) {
  switch (H5Tget_size(type)) {
    case 2: {
      // bfloat16 has eight bits of exponent.
      std::size_t sign = 0;
      std::size_t exponent = 0;
      std::size_t exponent_size = 0;
      std::size_t mantissa = 0;
      std::size_t mantissa_size = 0;
      H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size);
      return exponent_size == 8 ? element_kind::bfloat16 : element_kind::float16;
    }
    case 4:
      return element_kind::float32;
    case 8:
      return element_kind::float64;
    default:
      refuse_type("floating-point numbers of an unusual size");
  }
}

/// h5py's bool is an enumeration of FALSE and TRUE.
bool is_truth(hid_t type) {
  return H5Tget_nmembers(type) == 2 && H5Tget_size(type) == 1 && name_of_member(type, 0) == "FALSE" &&
         name_of_member(type, 1) == "TRUE";
}

data_type compound_from(hid_t type, unsigned depth) {
  const int count = H5Tget_nmembers(type);
  if (count < 1) refuse_type("structs without fields");
  std::vector<data_field> fields;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<unsigned>(i);
    const hdf5_handle member(H5Tget_member_type(type, index), H5Tclose, "a field");
    data_type part = type_from_hdf5(member.get(), depth + 1);
    if (part.is_variable()) refuse_type("structs with texts or lists of any length");
    fields.push_back({name_of_member(type, index), H5Tget_member_offset(type, index), std::move(part)});
  }
  // Complex numbers, as h5py and everybody else has them.
  if (count == 2 && fields[0].type == fields[1].type &&
      (fields[0].type == element_kind::float32 || fields[0].type == element_kind::float64)) {
    const auto named = [&](std::string_view real, std::string_view imaginary) {
      return fields[0].name == real && fields[1].name == imaginary;
    };
    if (named("r", "i") || named("real", "imag"))
      return fields[0].type == element_kind::float32 ? element_kind::complex64 : element_kind::complex128;
  }
  // Fields need not be in their order; their places in memory are ours to choose. Elements are packed.
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
  const hdf5_handle element(H5Tget_super(type), H5Tclose, "an element");
  const data_type base = type_from_hdf5(element.get(), depth + 1);
  if (base.is_variable()) refuse_type("arrays of texts or lists of any length");
  std::vector<std::uint64_t> extent(dims.begin(), dims.begin() + rank);
  std::uint64_t all = base.size();
  for (const std::uint64_t n : extent)
    if (n == 0 || __builtin_mul_overflow(all, n, &all) || all > largest_element) refuse_type("very large");
  return base.array(extent);
}

}  // namespace

data_type type_from_hdf5(hid_t type, unsigned depth) {
  if (depth > deepest_type) refuse_type("nested too deeply");
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return integer_from(type);
    case H5T_FLOAT:
      return float_from(type);
    case H5T_BITFIELD:
      refuse_type("fields of bits");
    case H5T_ENUM:
      return is_truth(type) ? data_type(element_kind::boolean) : integer_from(type);
    case H5T_STRING: {
      if (H5Tis_variable_str(type) > 0) return element_kind::text;
      const std::size_t size = H5Tget_size(type);
      if (size == 0 || size > largest_element) refuse_type("texts of no length");
      return size == 1 ? data_type(element_kind::character)
                       : data_type(element_kind::character).array({size});
    }
    case H5T_OPAQUE: {
      const std::size_t size = H5Tget_size(type);
      if (size == 0 || size > largest_element) refuse_type("of no bytes");
      return data_type::opaque("void", size, 1);
    }
    case H5T_COMPOUND:
      return compound_from(type, depth);
    case H5T_ARRAY:
      return array_from(type, depth);
    case H5T_VLEN: {
      const hdf5_handle element(H5Tget_super(type), H5Tclose, "an element");
      data_type base = type_from_hdf5(element.get(), depth + 1);
      if (base.is_variable() || !base.dims().empty()) refuse_type("lists of lists");
      return data_type::list_of(std::move(base));
    }
    case H5T_REFERENCE:
      refuse_type("references");
    case H5T_TIME:
      refuse_type("times");
    default:
      refuse_type("of a kind that is not known");
  }
}

namespace {

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

hdf5_handle base_memory_type(const data_type& type) {
  switch (type.kind()) {
    case element_kind::boolean: {
      hdf5_handle truth(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose, "a type");
      std::int8_t value = 0;
      H5Tenum_insert(truth.get(), "FALSE", &value);
      value = 1;
      H5Tenum_insert(truth.get(), "TRUE", &value);
      return truth;
    }
    case element_kind::character:
      return copied(H5T_C_S1);
    case element_kind::int8:
      return copied(H5T_NATIVE_INT8);
    case element_kind::int16:
      return copied(H5T_NATIVE_INT16);
    case element_kind::int32:
      return copied(H5T_NATIVE_INT32);
    case element_kind::int64:
      return copied(H5T_NATIVE_INT64);
    case element_kind::uint8:
      return copied(H5T_NATIVE_UINT8);
    case element_kind::uint16:
      return copied(H5T_NATIVE_UINT16);
    case element_kind::uint32:
      return copied(H5T_NATIVE_UINT32);
    case element_kind::uint64:
      return copied(H5T_NATIVE_UINT64);
    case element_kind::float16:
      return float_of_16_bits(false);
    case element_kind::bfloat16:
      return float_of_16_bits(true);
    case element_kind::float32:
      return copied(H5T_NATIVE_FLOAT);
    case element_kind::float64:
      return copied(H5T_NATIVE_DOUBLE);
    case element_kind::complex64:
    case element_kind::complex128: {
      const hid_t part = type.kind() == element_kind::complex64 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
      hdf5_handle pair(H5Tcreate(H5T_COMPOUND, type.size()), H5Tclose, "a type");
      H5Tinsert(pair.get(), "r", 0, part);
      H5Tinsert(pair.get(), "i", type.size() / 2, part);
      return pair;
    }
    case element_kind::text: {
      hdf5_handle text = copied(H5T_C_S1);
      H5Tset_size(text.get(), H5T_VARIABLE);
      H5Tset_cset(text.get(), H5T_CSET_UTF8);
      return text;
    }
    case element_kind::sequence: {
      const hdf5_handle element = hdf5_memory_type(type.element());
      return {H5Tvlen_create(element.get()), H5Tclose, "a type"};
    }
    case element_kind::structure: {
      hdf5_handle structure(H5Tcreate(H5T_COMPOUND, type.size()), H5Tclose, "a type");
      for (const data_field& field : type.fields()) {
        const hdf5_handle member = hdf5_memory_type(field.type);
        if (H5Tinsert(structure.get(), field.name.c_str(), field.offset, member.get()) < 0)
          throw error(errc::unsupported, "HDF5 does not take the field " + field.name);
      }
      return structure;
    }
    default:
      return {H5Tcreate(H5T_OPAQUE, type.size()), H5Tclose, "a type"};
  }
}

}  // namespace

hdf5_handle hdf5_memory_type(const data_type& type) {
  const data_type base = type.base();
  hdf5_handle one = base_memory_type(base);
  std::vector<hsize_t> dims(type.dims().begin(), type.dims().end());
  // The last dimension of characters is a text's length.
  if (base.kind() == element_kind::character && !dims.empty()) {
    H5Tset_size(one.get(), dims.back());
    H5Tset_strpad(one.get(), H5T_STR_NULLPAD);
    dims.pop_back();
  } else if (base.kind() == element_kind::character) {
    H5Tset_strpad(one.get(), H5T_STR_NULLPAD);
  }
  if (dims.empty()) return one;
  return {H5Tarray_create2(one.get(), static_cast<unsigned>(dims.size()), dims.data()), H5Tclose, "a type"};
}

}  // namespace perdure::formats
