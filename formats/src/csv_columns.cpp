// Finds out what columns of text are.
#include "csv_columns.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <perdure/formats/array_text.hpp>
#include <utility>

namespace perdure::formats {

namespace {

bool parses_as(std::string_view text, element_kind kind) {
  std::array<std::byte, 16> ignored{};
  return parse_element(text, kind, ignored.data());
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

std::string_view without_blanks(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::size_t digits_at_begin(std::string_view text) noexcept {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

/// Returns whether the text is an exponent, or nothing.
bool is_exponent(std::string_view text) noexcept {
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && digits_at_begin(text) == text.size();
}

/// Returns whether a number has points between thousands and a comma before its fraction: 1.234,5.
bool has_dots_in_thousands(std::string_view text) noexcept {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || digits_at_begin(text.substr(comma + 1)) != text.size() - comma - 1)
    return false;
  std::string_view whole = text.substr(0, comma);
  if (whole.size() % 4 == 0) return false;
  whole.remove_prefix(whole.size() % 4);
  for (; !whole.empty(); whole.remove_prefix(4))
    if (whole[0] != '.' || digits_at_begin(whole.substr(1, 3)) != 3) return false;
  return true;
}

/// Returns whether what follows a decimal point has an exponent as Fortran writes it: 0D+00.
bool has_fortran_exponent(std::string_view fraction) noexcept {
  fraction.remove_prefix(digits_at_begin(fraction));
  if (fraction.empty() || (fraction[0] != 'd' && fraction[0] != 'D')) return false;
  fraction.remove_prefix(1);
  if (!fraction.empty() && (fraction[0] == '-' || fraction[0] == '+')) fraction.remove_prefix(1);
  return !fraction.empty() && digits_at_begin(fraction) == fraction.size();
}

/// Returns whether a text is a number in decimal digits.
bool is_decimal(std::string_view text) noexcept {
  const std::size_t whole = digits_at_begin(text);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = digits_at_begin(text);
    text.remove_prefix(fraction);
  }
  return whole + fraction != 0 && is_exponent(text);
}

/// Returns whether a text is an integer whose value float64 does not have.
bool is_rounded_integer(std::string_view text) {
  text = without_blanks(text);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.size() <= std::numeric_limits<double>::digits10 || digits_at_begin(text) != text.size())
    return false;
  double rounded = 0;
  if (!parse_element(text, element_kind::float64, reinterpret_cast<std::byte*>(&rounded))) return false;
  std::array<char, 320> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), rounded, std::chars_format::fixed).ptr;
  return std::string_view(digits.data(), end) != text;
}

/// Returns whether a number begins with zeros that its value does not have.
bool has_zeros_before(std::string_view text) noexcept {
  text = without_blanks(text);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return digits_at_begin(text) > 1 && text[0] == '0';
}

void keep_first(std::optional<csv_mention>& first, const csv_field& field, std::uint64_t line,
                odd_number odd = odd_number::none) {
  if (!first) first = csv_mention{line, field.text.substr(0, 40), odd};
}

}  // namespace

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

column_kind kind_of(const csv_field& field) {
  if (field.is_quoted) return column_kind::text;
  if (is_blank(field.text)) return column_kind::real;
  const std::string_view text = field.text;
  if (parses_as(text, element_kind::int64)) return column_kind::integer;
  if (parses_as(text, element_kind::uint64)) return column_kind::positive;
  if (parses_as(text, element_kind::boolean)) return column_kind::boolean;
  if (parses_as(text, element_kind::float64)) return column_kind::real;
  if (parses_as(text, element_kind::complex128)) return column_kind::complex;
  return column_kind::text;
}

column_kind joined(column_kind a, column_kind b) {
  if (a > b) std::swap(a, b);
  if (a == b || a == column_kind::nothing) return b;
  if (a == column_kind::boolean) return column_kind::text;
  return b;
}

data_type type_for(column_kind kind) {
  switch (kind) {
    case column_kind::boolean:
      return element_kind::boolean;
    case column_kind::integer:
      return element_kind::int64;
    case column_kind::positive:
      return element_kind::uint64;
    case column_kind::complex:
      return element_kind::complex128;
    case column_kind::text:
      return element_kind::text;
    default:
      return element_kind::float64;
  }
}

odd_number odd_number_of(const csv_field& field) {
  if (field.is_quoted) return odd_number::none;
  std::string_view text = without_blanks(field.text);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (is_decimal(text)) return parses_as(text, element_kind::float64) ? odd_number::none : odd_number::beyond;
  const std::size_t whole = digits_at_begin(text);
  if (whole == text.size()) return odd_number::none;
  const char separator = text[whole];
  std::string_view rest = text.substr(whole + 1);
  // Groups of three digits behind one of up to three.
  std::size_t groups = 0;
  if (whole >= 1 && whole <= 3 && (separator == ',' || separator == '_' || separator == '\'')) {
    std::string_view tail = text.substr(whole);
    while (tail.size() >= 4 && tail[0] == separator && digits_at_begin(tail.substr(1, 3)) == 3) {
      ++groups;
      tail.remove_prefix(4);
    }
    const bool has_fraction = tail.starts_with('.') && digits_at_begin(tail.substr(1)) == tail.size() - 1;
    const bool are_all = groups != 0 && (tail.empty() || has_fraction);
    if (are_all && (separator != ',' || has_fraction || groups > 1)) return odd_number::with_groups;
    if (are_all && text[0] != '0') return odd_number::with_comma_or_groups;
  }
  if (separator == '.' && (has_dots_in_thousands(text) || has_fortran_exponent(rest)))
    return odd_number::with_groups;
  if (separator != ',') return odd_number::none;
  const std::size_t fraction = digits_at_begin(rest);
  if (whole + fraction == 0) return odd_number::none;
  rest.remove_prefix(fraction);
  return is_exponent(rest) ? odd_number::with_comma : odd_number::none;
}

bool may_be_value(const csv_field& field) {
  if (field.is_quoted) return false;
  const std::string_view text = without_blanks(field.text);
  for (const std::string_view missing :
       {"NA", "N/A", "n/a", "na", "null", "NULL", "None", "none", "-", "?", "."})
    if (text == missing) return true;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  };
  return std::any_of(text.begin(), text.end(), is_digit) && std::none_of(text.begin(), text.end(), is_letter);
}

void csv_column::add(const csv_field& field, std::uint64_t line) {
  longest_ = std::max(longest_, field.text.size());
  is_all_quoted_ = is_all_quoted_ && field.is_quoted;
  const column_kind kind = kind_of(field);
  if (kind == column_kind::text) {
    const odd_number odd = odd_number_of(field);
    switch (odd) {
      case odd_number::with_comma:
        return keep_first(comma_, field, line);
      case odd_number::with_comma_or_groups:
        return keep_first(comma_or_groups_, field, line);
      case odd_number::with_groups:
      case odd_number::beyond:
        return keep_first(groups_, field, line, odd);
      case odd_number::none:
        break;
    }
  }
  kind_ = joined(kind_, kind);
  has_negative_ = has_negative_ || field.text.find('-') != std::string::npos;
  const bool has_point = !field.is_quoted && field.text.find('.') != std::string::npos;
  if (has_point && kind == column_kind::real) keep_first(point_, field, line);
  if (kind < column_kind::integer || kind == column_kind::text || is_blank(field.text)) return;
  if (!rounded_ && is_rounded_integer(field.text)) keep_first(rounded_, field, line);
  if (!zeros_ && has_zeros_before(field.text)) keep_first(zeros_, field, line);
}

column_kind csv_column::numbers() const {
  return kind_ == column_kind::positive && has_negative_ ? column_kind::real : kind_;
}

column_kind csv_column::result(char decimal) const {
  if (kind_ == column_kind::text) return kind_;
  if (decimal == ',' && (comma_ || comma_or_groups_)) return joined(column_kind::real, numbers());
  return numbers();
}

const csv_mention* csv_column::refused(char decimal) const {
  if (kind_ == column_kind::text) return nullptr;
  if (groups_) return &*groups_;
  if (decimal == ',') return mention(point_);
  if (comma_) return &*comma_;
  return mention(comma_or_groups_);
}

}  // namespace perdure::formats
