// Scanning of a line's bytes. Every line ends in a line feed, the last of a file too, which stops all scans.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace perdure::graph::formats {

/// Programs of Windows begin texts with it; it is no part of the first field.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// A fault in a line, and its place.
struct flaw {
  const char* at = nullptr;
  std::string what;
};

/// A byte as messages show it.
std::string quoted(char c);

constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t';
}
constexpr bool is_digit(char c) noexcept {
  return static_cast<unsigned char>(c - '0') < 10;
}
constexpr const char* after_blanks(const char* p) noexcept {
  while (is_blank(*p)) ++p;
  return p;
}

/// The line feed of the line at `p`.
inline const char* line_feed(const char* p, const char* end) noexcept {
  return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
}

/// How a column of times is written.
enum class time_form { numbers_or_dates, eight_digits };

/// The seconds of a date as 20160301 from 1800 to 2199; nothing if it is none.
std::optional<double> date_of_eight_digits(std::string_view text);

/// Scans within one line, up to `end()`: its line feed, or the carriage returns before it. Each scan gives
/// the place behind what it has read, or null where the line is malformed; `problem` says how.
class line_scanner {
 public:
  line_scanner(const char* begin, const char* feed, flaw& problem) : problem_(problem), end_(feed) {
    while (end_ != begin && end_[-1] == '\r') --end_;
  }

  const char* end() const noexcept { return end_; }
  bool at_end(const char* p) const noexcept { return after_blanks(p) >= end_; }

  const char* wrong(const char* at, std::string what) const {
    problem_ = {at, std::move(what)};
    return nullptr;
  }
  /// An id or a count, after blanks: decimal digits, then a blank or the line's end. `what` names it.
  const char* whole(const char* p, std::uint64_t& value, const char* what) const;
  /// The same of an id between 1 and `most`.
  const char* id_up_to(const char* p, std::uint64_t most, std::uint64_t& value) const;
  /// A finite number after blanks, or one in the whole of `[p, stop)`.
  const char* finite(const char* p, double& value, const char* what) const;
  const char* finite(const char* p, const char* stop, double& value, const char* what) const;
  /// The same of a column that can be left out.
  const char* weight(const char* p, const char* stop, double& value) const;
  /// Seconds since 1970: a number, or a date as 2016-03-01, 2016-03-01T12:00:05 (UTC); or a date as 20160301.
  const char* time(const char* p, const char* stop, time_form form, double& value) const;
  /// Nothing but blanks may follow.
  bool ends(const char* p) const;

 private:
  flaw& problem_;
  const char* end_;
};

}  // namespace perdure::graph::formats
