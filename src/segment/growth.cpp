#include "segment/growth.hpp"

#include <cstdlib>
#include <cstring>

#include "os/mapping.hpp"

namespace perdure {

bool huge_pages_wanted() noexcept {
  const char* setting = std::getenv("PERDURE_HUGE_PAGES");
  if (setting != nullptr && std::strcmp(setting, "0") == 0) return false;
  return os::huge_pages_on_request();
}

}  // namespace perdure
