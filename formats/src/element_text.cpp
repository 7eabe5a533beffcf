// Elements to text and back.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/float16.hpp>
#include <perdure/formats/array_text.hpp>
#include <type_traits>

#include "unicode.hpp"

namespace perdure::formats {

namespace {

template <class T>
T loaded(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// How an element is written: by itself, or as JSON, where a text stands for a number that JSON does not
/// have.
enum class notation { plain, json };

template <class T>
void append_number(std::string& out, T value, notation how = notation::plain) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) {
      const char* const quote = how == notation::json ? "\"" : "";
      out += quote;
      out += std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
      out += quote;
      return;
    }
  }
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

template <class T>
void append_complex(std::string& out, const std::byte* at, notation how) {
  if (how == notation::json) out += '"';
  const T real = loaded<T>(at);
  const T imaginary = loaded<T>(at + sizeof(T));
  append_number(out, real);
  if (!std::signbit(imaginary) || std::isnan(imaginary)) out += '+';
  append_number(out, imaginary);
  out += how == notation::json ? "j\"" : "j";
}

/// Characters of fixed length and names may be in any encoding: of what is not UTF-8, bytes beyond ASCII are
/// written as Latin-1.
void append_json_text(std::string& out, std::string_view text) {
  const bool is_unicode = is_utf8(text);
  constexpr char digits[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f || (byte > 0x7f && !is_unicode)) {
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_one(std::string& out, const data_type& type, const std::byte* at, notation how);

/// Appends an element with its fixed dimensions from `dimension` on.
void append_fixed(std::string& out, const data_type& type, const data_type& base, std::size_t dimension,
                  const std::byte*& at, notation how) {
  if (dimension == type.dims().size()) {
    append_one(out, base, at, how);
    at += base.size();
    return;
  }
  if (type.kind() == element_kind::character && dimension + 1 == type.dims().size()) {
    const std::size_t length = type.dims()[dimension];
    const auto* const text = reinterpret_cast<const char*>(at);
    append_json_text(out, {text, ::strnlen(text, length)});
    at += length;
    return;
  }
  out += '[';
  for (std::uint64_t i = 0; i < type.dims()[dimension]; ++i) {
    if (i != 0) out += ", ";
    append_fixed(out, type, base, dimension + 1, at, how);
  }
  out += ']';
}

void append_whole(std::string& out, const data_type& type, const std::byte* at, notation how) {
  append_fixed(out, type, type.base(), 0, at, how);
}

void append_one(std::string& out, const data_type& type, const std::byte* at, notation how) {
  switch (type.kind()) {
    case element_kind::boolean:
      out += loaded<std::uint8_t>(at) != 0 ? "true" : "false";
      return;
    case element_kind::character:
      return append_json_text(out, {reinterpret_cast<const char*>(at), 1});
    case element_kind::int8:
      return append_number(out, static_cast<int>(loaded<std::int8_t>(at)));
    case element_kind::int16:
      return append_number(out, loaded<std::int16_t>(at));
    case element_kind::int32:
      return append_number(out, loaded<std::int32_t>(at));
    case element_kind::int64:
      return append_number(out, loaded<std::int64_t>(at));
    case element_kind::uint8:
      return append_number(out, static_cast<unsigned>(loaded<std::uint8_t>(at)));
    case element_kind::uint16:
      return append_number(out, loaded<std::uint16_t>(at));
    case element_kind::uint32:
      return append_number(out, loaded<std::uint32_t>(at));
    case element_kind::uint64:
      return append_number(out, loaded<std::uint64_t>(at));
    case element_kind::float16:
      return append_number(out, static_cast<float>(loaded<float16>(at)), how);
    case element_kind::bfloat16:
      return append_number(out, static_cast<float>(loaded<bfloat16>(at)), how);
    case element_kind::float32:
      return append_number(out, loaded<float>(at), how);
    case element_kind::float64:
      return append_number(out, loaded<double>(at), how);
    case element_kind::complex64:
      return append_complex<float>(out, at, how);
    case element_kind::complex128:
      return append_complex<double>(out, at, how);
    case element_kind::structure: {
      out += '{';
      const char* separator = "";
      for (const data_field& field : type.fields()) {
        out += separator;
        append_json_text(out, field.name);
        out += ": ";
        append_whole(out, field.type, at + field.offset, notation::json);
        separator = ", ";
      }
      out += '}';
      return;
    }
    default: {
      constexpr char digits[] = "0123456789abcdef";
      out += '"';
      for (std::size_t i = 0; i < type.size(); ++i) {
        const auto byte = loaded<std::uint8_t>(at + i);
        out += digits[byte >> 4];
        out += digits[byte & 15];
      }
      out += '"';
    }
  }
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

template <class T>
bool parse_number(std::string_view text, T& value) noexcept {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) return false;
  }
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc{} && stop == end && !text.empty();
}

template <class T>
bool store_number(std::string_view text, std::byte* at) noexcept {
  T value{};
  if (!parse_number(text, value)) return false;
  std::memcpy(at, &value, sizeof value);
  return true;
}

template <class T>
bool store_rounded(std::string_view text, std::byte* at) noexcept {
  float value = 0;
  if (!parse_number(text, value)) return false;
  const T rounded(value);
  if (std::isfinite(value) && !std::isfinite(static_cast<float>(rounded))) return false;
  std::memcpy(at, &rounded, sizeof rounded);
  return true;
}

template <class T>
bool store_complex(std::string_view text, std::byte* at) noexcept {
  // Around a number that is not complex, accounts write them for a minus sign.
  if (text.starts_with('(') && (text.ends_with("j)") || text.ends_with("i)")))
    text = text.substr(1, text.size() - 2);
  T real = 0;
  T imaginary = 0;
  if (text.ends_with('j') || text.ends_with('i')) {
    text.remove_suffix(1);
    // The sign between the two, which is no exponent's.
    std::size_t sign = text.size();
    while (sign-- > 1)
      if ((text[sign] == '+' || text[sign] == '-') && text[sign - 1] != 'e' && text[sign - 1] != 'E') break;
    if (sign == 0 || sign == static_cast<std::size_t>(-1)) {
      if (!parse_number(text, imaginary)) return false;
    } else if (!parse_number(text.substr(0, sign), real) || !parse_number(text.substr(sign), imaginary)) {
      return false;
    }
  } else if (!parse_number(text, real)) {
    return false;
  }
  std::memcpy(at, &real, sizeof real);
  std::memcpy(at + sizeof real, &imaginary, sizeof imaginary);
  return true;
}

}  // namespace

void append_element(std::string& out, const data_type& type, const std::byte* element) {
  append_whole(out, type, element, notation::plain);
}

void append_json(std::string& out, const data_type& type, const std::byte* element) {
  append_whole(out, type, element, notation::json);
}

void append_json(std::string& out, std::string_view text) {
  append_json_text(out, sound_utf8(text));
}

bool parse_element(std::string_view text, const data_type& type, std::byte* element) {
  text = trimmed(text);
  switch (type.kind()) {
    case element_kind::boolean: {
      const bool is_true = text == "true" || text == "True" || text == "TRUE" || text == "1";
      if (!is_true && text != "false" && text != "False" && text != "FALSE" && text != "0") return false;
      *element = static_cast<std::byte>(is_true ? 1 : 0);
      return true;
    }
    case element_kind::character:
      if (text.size() != 1) return false;
      std::memcpy(element, text.data(), 1);
      return true;
    case element_kind::int8:
      return store_number<std::int8_t>(text, element);
    case element_kind::int16:
      return store_number<std::int16_t>(text, element);
    case element_kind::int32:
      return store_number<std::int32_t>(text, element);
    case element_kind::int64:
      return store_number<std::int64_t>(text, element);
    case element_kind::uint8:
      return store_number<std::uint8_t>(text, element);
    case element_kind::uint16:
      return store_number<std::uint16_t>(text, element);
    case element_kind::uint32:
      return store_number<std::uint32_t>(text, element);
    case element_kind::uint64:
      return store_number<std::uint64_t>(text, element);
    case element_kind::float16:
      return store_rounded<float16>(text, element);
    case element_kind::bfloat16:
      return store_rounded<bfloat16>(text, element);
    case element_kind::float32:
      return store_number<float>(text, element);
    case element_kind::float64:
      return store_number<double>(text, element);
    case element_kind::complex64:
      return store_complex<float>(text, element);
    case element_kind::complex128:
      return store_complex<double>(text, element);
    default:
      return false;
  }
}

}  // namespace perdure::formats
