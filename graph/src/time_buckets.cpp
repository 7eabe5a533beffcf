// Dates of buckets.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <perdure/error.hpp>
#include <perdure/graph/time_buckets.hpp>

namespace perdure::graph {
namespace {

std::chrono::year_month_day date_of(double time) {
  return std::chrono::sys_days(std::chrono::days(static_cast<std::int64_t>(std::floor(time / 86400))));
}

bool is_length(double seconds) {
  return seconds > 0 && std::isfinite(seconds);
}

// 1970 began on a Thursday, and weeks begin on Monday.
constexpr double before_first_week = 3 * 86400.0;

}  // namespace

time_buckets time_buckets::of_seconds(double seconds) {
  if (!is_length(seconds))
    throw error(errc::invalid_argument,
                "a bucket of " + std::to_string(seconds) + " seconds: give a positive number of seconds");
  return time_buckets(kind::seconds, seconds);
}

std::optional<time_buckets> time_buckets::parse(std::string_view text) {
  if (text == "month") return months();
  if (text == "week") return weeks();
  if (text == "day") return days();
  const std::string number(text);
  char* end = nullptr;
  const double seconds = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != 0 || !is_length(seconds)) return std::nullopt;
  return time_buckets(kind::seconds, seconds);
}

std::int64_t time_buckets::of(double time) const {
  if (kind_ != kind::seconds && std::abs(time) > 2e11)
    throw error(errc::bad_input, "the time " + std::to_string(time) + " is no date (in seconds since 1970)");
  if (kind_ == kind::months) {
    const auto date = date_of(time);
    return std::int64_t{int{date.year()}} * 12 + static_cast<unsigned>(date.month()) - 1;
  }
  const double number = std::floor((time + (kind_ == kind::weeks ? before_first_week : 0)) / seconds_);
  if (std::abs(number) > 9e15)
    throw error(errc::bad_input, "there are too many buckets for the time " + std::to_string(time));
  return static_cast<std::int64_t>(number);
}

std::string time_buckets::name(std::int64_t bucket) const {
  char text[64];
  const double begin = static_cast<double>(bucket) * seconds_;
  switch (kind_) {
    case kind::seconds:
      std::snprintf(text, sizeof text, "%.17g", begin);
      break;
    case kind::months:
      std::snprintf(text, sizeof text, "%04lld-%02lld", static_cast<long long>(bucket / 12),
                    static_cast<long long>(bucket % 12 + 1));
      break;
    case kind::days: {
      const auto date = date_of(begin);
      std::snprintf(text, sizeof text, "%04d-%02u-%02u", int{date.year()}, unsigned{date.month()},
                    unsigned{date.day()});
      break;
    }
    case kind::weeks: {
      // By ISO 8601 the week belongs to the year of its Thursday, which is where 1970's weeks of seconds
      // begin.
      const auto date = date_of(begin);
      const auto first = std::chrono::sys_days(date.year() / std::chrono::January / 1);
      const auto days = (std::chrono::sys_days(date) - first).count();
      std::snprintf(text, sizeof text, "%04d-W%02d", int{date.year()}, static_cast<int>(days / 7 + 1));
      break;
    }
  }
  return text;
}

}  // namespace perdure::graph
