#include "pager_preload/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <perdure/pager.hpp>
#include <stdexcept>
#include <string>

#include "os/memory_limits.hpp"
#include "pager_preload/c_library.hpp"

namespace perdure::pager_preload {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::optional<std::size_t> number_in(const char* name, std::size_t least, std::size_t most) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  std::size_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, problem] = std::from_chars(text, end, value);
  if (problem != std::errc{} || stop != end || value < least || value > most)
    throw std::invalid_argument(std::string(name) + " is '" + text + "'; it may be a whole number from " +
                                std::to_string(least) + " to " + std::to_string(most));
  return value;
}

settings read_settings() {
  constexpr std::size_t most_mebibytes = std::size_t{1} << 40;
  settings all;
  const std::size_t usable = os::usable_memory();
  const auto budget = number_in("PERDURE_PAGER_BUDGET", 1, most_mebibytes);
  all.budget = budget ? *budget * mebibyte : std::max(usable / 4, 16 * mebibyte);
  all.most = std::max(all.budget, usable / 2);
  all.threshold = number_in("PERDURE_PAGER_THRESHOLD", 0, most_mebibytes).value_or(64) * mebibyte;
  all.writable_files = number_in("PERDURE_PAGER_WRITABLE", 0, 1).value_or(0) == 1;
  all.is_verbose = number_in("PERDURE_PAGER_VERBOSE", 0, 1).value_or(0) == 1;
  all.is_active = true;
  return all;
}

settings read_or_complain() noexcept {
  try {
    return read_settings();
  } catch (const std::exception& failure) {
    say("%s: files are mapped as ever", failure.what());
    return {};
  }
}

}  // namespace

const settings& given() noexcept {
  static const settings all = read_or_complain();
  return all;
}

void say(const char* format, ...) noexcept {
  char line[1024];
  constexpr int prefix_bytes = 15;
  std::memcpy(line, "perdure-pager: ", prefix_bytes);
  va_list values;
  va_start(values, format);
  const int room = static_cast<int>(sizeof line) - prefix_bytes - 1;
  const int made = std::vsnprintf(line + prefix_bytes, static_cast<std::size_t>(room), format, values);
  va_end(values);
  const int bytes = prefix_bytes + std::clamp(made, 0, room - 1);
  line[bytes] = '\n';
  static_cast<void>(!next::write(STDERR_FILENO, line, static_cast<std::size_t>(bytes) + 1));
}

}  // namespace perdure::pager_preload
