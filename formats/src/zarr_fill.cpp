// Fill values of zarr, in the notations of both versions.
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/float16.hpp>
#include <perdure/formats/array_text.hpp>

#include "zarr_type.hpp"

namespace perdure::formats {

namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t largest_fill = std::size_t{64} << 20;

[[noreturn]] void refuse_fill() {
  throw error(errc::bad_input, "its fill_value is none of its type");
}

/// Numbers may be given by their bits.
template <class T>
bool put_bits(const zarr_json& value, std::byte* to) {
  const auto* const text = value.get_ptr<const std::string*>();
  if (text == nullptr || !text->starts_with("0x")) return false;
  std::uint64_t bits = 0;
  const auto [stop, problem] = std::from_chars(text->data() + 2, text->data() + text->size(), bits, 16);
  if (problem != std::errc{} || stop != text->data() + text->size()) refuse_fill();
  std::memcpy(to, &bits, sizeof(T));
  return true;
}

double real_from(const zarr_json& value) {
  if (value.is_number()) return value.get<double>();
  if (const std::optional<double> number = non_finite(value)) return *number;
  if (!value.is_string()) refuse_fill();
  const auto text = value.get<std::string>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  refuse_fill();
}

/// `Through` is what `T` is made from.
template <class T, class Through = T>
void put_real(const zarr_json& value, std::byte* to) {
  if (put_bits<T>(value, to)) return;
  const double real = real_from(value);
  // Infinity has a word of its own.
  if (std::isfinite(real) && std::abs(real) > static_cast<double>(std::numeric_limits<Through>::max()))
    refuse_fill();
  const T rounded(static_cast<Through>(real));
  if (std::isfinite(real) && !std::isfinite(static_cast<Through>(rounded))) refuse_fill();
  std::memcpy(to, &rounded, sizeof rounded);
}

template <class T>
void put_complex(const zarr_json& value, std::byte* to) {
  const bool is_pair = value.is_array() && value.size() == 2;
  if (!is_pair && !value.is_number()) refuse_fill();
  put_real<T>(is_pair ? value[0] : value, to);
  put_real<T>(is_pair ? value[1] : zarr_json(0), to + sizeof(T));
}

/// Bytes in base64.
std::string bytes_from(const std::string& text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : std::string_view(text).substr(0, text.find('='))) {
    const std::size_t digit = base64_digits.find(c);
    if (digit == std::string_view::npos) refuse_fill();
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

std::string base64(const std::string& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += at + i > bytes.size() ? '=' : base64_digits[bits >> (18 - 6 * i) & 63];
  }
  return text;
}

/// A number; one that JSON lacks is a word.
zarr_json fill_number(const data_type& type, const std::byte* element) {
  std::string text;
  append_json(text, type, element);
  if (text == "\"nan\"") return "NaN";
  if (text == "\"inf\"") return "Infinity";
  if (text == "\"-inf\"") return "-Infinity";
  return zarr_json::parse(text, nullptr, false);
}

/// Bytes of texts, structs and types without a name: in base64, or one by one.
std::string raw_from(const zarr_json& value, std::size_t size) {
  std::string bytes;
  if (value.is_string()) {
    bytes = bytes_from(value.get<std::string>());
  } else if (value.is_array()) {
    for (const zarr_json& one : value) {
      if (!one.is_number_unsigned() || one.get<std::uint64_t>() > 0xff) refuse_fill();
      bytes += static_cast<char>(one.get<std::uint64_t>());
    }
  } else if (value != 0) {
    refuse_fill();
  }
  if (bytes.size() > size) refuse_fill();
  bytes.resize(size, '\0');
  return bytes;
}

}  // namespace

std::string zarr_fill_from(const zarr_json& value, const numpy_type& element) {
  const data_type& type = element.type;
  if (type.kind() == element_kind::text) return value.is_string() ? value.get<std::string>() : "";
  if (element.size > largest_fill) throw error(errc::unsupported, "its elements have more than 64 MiB each");
  std::string bytes(element.size, '\0');
  if (value.is_null()) return bytes;
  auto* const to = reinterpret_cast<std::byte*>(bytes.data());
  switch (type.kind()) {
    case element_kind::float16:
      put_real<float16, float>(value, to);
      return bytes;
    case element_kind::bfloat16:
      put_real<bfloat16, float>(value, to);
      return bytes;
    case element_kind::float32:
      put_real<float>(value, to);
      return bytes;
    case element_kind::float64:
      put_real<double>(value, to);
      return bytes;
    case element_kind::complex64:
      put_complex<float>(value, to);
      return bytes;
    case element_kind::complex128:
      put_complex<double>(value, to);
      return bytes;
    case element_kind::character:
    case element_kind::opaque:
      return raw_from(value, element.size);
    case element_kind::structure:
      // As it lies in a chunk.
      bytes = raw_from(value, element.size);
      swap_bytes(element.swaps, reinterpret_cast<std::byte*>(bytes.data()), 1, element.size);
      return bytes;
    default: {
      // Version 2 has whole numbers as 0.0 too.
      std::string text = value.dump();
      if (value.is_number_float() && text.ends_with(".0")) text.resize(text.size() - 2);
      const bool is_plain = value.is_number() || value.is_boolean();
      if (!is_plain || !parse_element(text, type, to)) refuse_fill();
      return bytes;
    }
  }
}

zarr_json zarr_fill_of(const data_type& type, const std::string& bytes) {
  const auto* const element = reinterpret_cast<const std::byte*>(bytes.data());
  switch (type.kind()) {
    case element_kind::text:
      return bytes;
    case element_kind::complex64:
      return zarr_json::array({fill_number(element_kind::float32, element),
                               fill_number(element_kind::float32, element + sizeof(float))});
    case element_kind::complex128:
      return zarr_json::array({fill_number(element_kind::float64, element),
                               fill_number(element_kind::float64, element + sizeof(double))});
    case element_kind::character:
    case element_kind::opaque:
    case element_kind::structure:
      return base64(bytes);
    default:
      return fill_number(type, element);
  }
}

zarr_json zarr_zero_of(const data_type& type) {
  if (type.kind() == element_kind::text || type.kind() == element_kind::character) return "";
  return zarr_fill_of(type, std::string(type.size(), '\0'));
}

}  // namespace perdure::formats
