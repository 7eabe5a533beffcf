// Numbers and dates in text, with what is wrong with those that are none.
#include "line_scan.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace perdure::graph::formats {
namespace {

std::optional<double> seconds_of(unsigned year, unsigned month, unsigned day) {
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) * 86400;
}

/// A number with the exponent of Fortran's double precision: 1.5D+03.
std::optional<double> fortran_number(std::string_view text) {
  std::string with_e(text);
  const std::size_t exponent = with_e.find_first_of("dD");
  if (exponent == std::string::npos || text.size() > 64) return std::nullopt;
  with_e[exponent] = 'e';
  if (exponent + 1 < with_e.size() && with_e[exponent + 1] == '+') with_e.erase(exponent + 1, 1);
  double value = 0;
  const auto result = std::from_chars(with_e.data(), with_e.data() + with_e.size(), value);
  if (result.ec != std::errc{} || result.ptr != with_e.data() + with_e.size()) return std::nullopt;
  return value;
}

bool has_decimal_comma(std::string_view text) {
  return std::count(text.begin(), text.end(), ',') == 1 && text.find('.') == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || c == ',' || c == '-' || c == '+' || (c | 32) == 'e';
         });
}

}  // namespace

std::string quoted(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) return std::string("'") + c + "'";
  constexpr char digits[] = "0123456789abcdef";
  return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

const char* line_scanner::whole(const char* p, std::uint64_t& value, const char* what) const {
  p = after_blanks(p);
  if (p >= end_) return wrong(p, std::string(what) + " is missing");
  if (*p == '-' && is_digit(p[1])) return wrong(p, std::string(what) + " must not be negative");
  if (!is_digit(*p))
    return wrong(p, "expected " + std::string(what) + " (a decimal number), found " + quoted(*p));
  const auto result = std::from_chars(p, end_, value);
  if (result.ec != std::errc{}) return wrong(p, std::string(what) + " does not fit 64 bits");
  if (result.ptr != end_ && !is_blank(*result.ptr))
    return wrong(result.ptr, "unexpected " + quoted(*result.ptr) + " after " + what);
  return result.ptr;
}

const char* line_scanner::id_up_to(const char* p, std::uint64_t most, std::uint64_t& value) const {
  const char* const begin = after_blanks(p);
  const char* const behind = whole(p, value, "a vertex id");
  if (behind != nullptr && (value < 1 || value > most))
    return wrong(begin, "vertex id " + std::to_string(value) + " is outside of 1 to " + std::to_string(most) +
                            ", which the header says");
  return behind;
}

const char* line_scanner::finite(const char* p, double& value, const char* what) const {
  p = after_blanks(p);
  if (p >= end_) return wrong(p, std::string(what) + " is missing");
  const char* stop = p;
  while (stop < end_ && !is_blank(*stop)) ++stop;
  return finite(p, stop, value, what);
}

const char* line_scanner::finite(const char* p, const char* stop, double& value, const char* what) const {
  const char* const digits = p != stop && *p == '+' ? p + 1 : p;
  const auto result = std::from_chars(digits, stop, value);
  if (result.ec == std::errc::result_out_of_range)
    return wrong(p, std::string(what) + " is too large or too small for a 64-bit floating point number");
  if (result.ec != std::errc{} || result.ptr != stop) {
    const std::string_view text(p, static_cast<std::size_t>(stop - p));
    const std::optional<double> of_fortran = fortran_number(text);
    if (!of_fortran)
      return wrong(p, std::string(what) + " is not a number" +
                          (has_decimal_comma(text) ? ", for its decimal comma" : "") + ": \"" +
                          std::string(text.substr(0, 40)) + '"');
    value = *of_fortran;
  }
  if (!std::isfinite(value)) return wrong(p, std::string(what) + " is not finite");
  return stop;
}

std::optional<double> date_of_eight_digits(std::string_view text) {
  if (text.size() != 8 || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  unsigned number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  const unsigned year = number / 10000;
  if (year < 1800 || year > 2199) return std::nullopt;
  return seconds_of(year, number / 100 % 100, number % 100);
}

const char* line_scanner::weight(const char* p, const char* stop, double& value) const {
  const char* const behind = finite(p, stop, value, "the weight");
  if (behind == nullptr) problem_.what += "; --weight-column none reads edges without weights";
  return behind;
}

const char* line_scanner::time(const char* p, const char* stop, time_form form, double& value) const {
  const std::string_view text(p, static_cast<std::size_t>(stop - p));
  if (form == time_form::eight_digits) {
    const std::optional<double> date = date_of_eight_digits(text);
    if (!date) return wrong(p, "the time is no date as 20160301, as those of the first lines are");
    value = *date;
    return stop;
  }
  if (text.size() < 8 || text[4] != '-') return finite(p, stop, value, "the time");
  const auto malformed = [&] {
    return wrong(p, "the time is neither a number nor a date as 2016-03-01 12:00:05");
  };
  const auto part = [&](std::size_t at, std::size_t size, unsigned most, unsigned& number) {
    if (at + size > text.size()) return false;
    const auto result = std::from_chars(p + at, p + at + size, number);
    return result.ec == std::errc{} && result.ptr == p + at + size && number <= most;
  };
  unsigned year = 0;
  unsigned month = 0;
  unsigned day = 0;
  if (text.size() < 10 || text[7] != '-' || !part(0, 4, 9999, year) || !part(5, 2, 12, month) ||
      !part(8, 2, 31, day))
    return malformed();
  const std::optional<double> date = seconds_of(year, month, day);
  if (!date) return wrong(p, "there is no such date");
  value = *date;
  if (text.size() == 10) return stop;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
  const bool has_seconds = text.size() >= 19;
  if ((text[10] != ' ' && text[10] != 'T') || text.size() < 16 || text[13] != ':' || !part(11, 2, 23, hour) ||
      !part(14, 2, 59, minute) || (has_seconds && (text[16] != ':' || !part(17, 2, 60, second))))
    return malformed();
  double fraction = 0;
  std::size_t read = has_seconds ? 19 : 16;
  if (has_seconds && read < text.size() && text[read] == '.') {
    std::size_t digits = read + 1;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    std::from_chars(p + read, p + digits, fraction);
    read = digits;
  }
  if (read < text.size() && text[read] == 'Z') ++read;
  if (read != text.size()) return malformed();
  value += hour * 3600.0 + minute * 60.0 + second + fraction;
  return stop;
}

bool line_scanner::ends(const char* p) const {
  p = after_blanks(p);
  if (p >= end_) return true;
  wrong(p, "unexpected " + quoted(*p) + " behind the last column");
  return false;
}

}  // namespace perdure::graph::formats
