#include "units.hpp"

#include <cstdio>

namespace perdure::cli {
namespace {

std::string formatted(const char* format, double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, format, value, unit);
  return text;
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, const char* singular, const char* plural) {
  return grouped(number) + ' ' + (number == 1 ? singular : plural);
}

std::string in_bytes(std::uint64_t bytes) {
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024; value /= 1024) ++unit;
  return formatted(value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

std::string in_seconds(double seconds) {
  if (seconds < 0.01) return formatted("%.2f %s", seconds * 1e3, "ms");
  if (seconds < 1) return formatted("%.0f %s", seconds * 1e3, "ms");
  if (seconds < 100) return formatted("%.2f %s", seconds, "s");
  return formatted("%.0f %s", seconds, "s");
}

std::string per_second(double rate) {
  if (rate >= 1e9) return formatted("%.1f %s", rate / 1e9, "G");
  if (rate >= 1e6) return formatted("%.1f %s", rate / 1e6, "M");
  if (rate >= 1e3) return formatted("%.1f %s", rate / 1e3, "k");
  return formatted("%.0f%s", rate, "");
}

}  // namespace perdure::cli
