#include "pager_preload/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>

#include "base/environment.hpp"
#include "os/memory_limits.hpp"
#include "pager_preload/c_library.hpp"

namespace perdure::pager_preload {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

settings read_settings() {
  settings all;
  const std::size_t usable = os::usable_memory();
  const auto budget = base::number_in("PERDURE_PAGER_BUDGET");
  all.budget = budget ? *budget * mebibyte : std::max(usable / 4, 16 * mebibyte);
  all.most = std::max(all.budget, usable / 2);
  all.threshold = base::number_in("PERDURE_PAGER_THRESHOLD").value_or(64) * mebibyte;
  all.writable_files = base::switch_in("PERDURE_PAGER_WRITABLE").value_or(false);
  all.is_verbose = base::switch_in("PERDURE_PAGER_VERBOSE").value_or(false);
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
