// Time spans that group edges: months, weeks, days, or any number of seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perdure::graph {

/// Buckets of time of one kind, numbered in the order of time. Times are seconds since 1970, in UTC.
/// Buckets of time of one kind, numbered in the order of time. Times are seconds since 1970, in UTC.
///
/// Thread safety: const members from any thread.
class time_buckets {
 public:
  /// Returns calendar months.
  static time_buckets months() { return time_buckets(kind::months, 0); }
  /// Returns weeks from Monday on, named by ISO 8601.
  static time_buckets weeks() { return time_buckets(kind::weeks, 7 * 86400.0); }
  /// Returns days.
  static time_buckets days() { return time_buckets(kind::days, 86400); }
  /// Buckets of so many seconds. Throws `invalid_argument` unless the number is positive and finite.
  /// Returns buckets of `seconds` each. Throws `invalid_argument` unless the number is positive and finite.
  static time_buckets of_seconds(double seconds);
  /// Reads "month", "week", "day" or a number of seconds. Nothing for any other text.
  /// Parses "month", "week", "day" or a number of seconds. Returns nothing for any other text.
  static std::optional<time_buckets> parse(std::string_view text);

  /// Returns the number of the bucket that a time is in. Throws `bad_input` for a time without a bucket: more
  /// than 2e11 seconds from 1970 for months, weeks and days, or 9e15 buckets.
  std::int64_t of(double time) const;
  /// Returns the bucket's name: "2016-03", "2016-W09", "2016-03-01", or the second that it begins at.
  /// Returns the name of a bucket: "2016-03", "2016-W09", "2016-03-01", or the second at which it begins.
  std::string name(std::int64_t bucket) const;

 private:
  enum class kind : std::uint8_t { months, weeks, days, seconds };

  time_buckets(kind of, double seconds) : kind_(of), seconds_(seconds) {}

  kind kind_;
  double seconds_;
};

}  // namespace perdure::graph
