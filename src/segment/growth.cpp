#include "segment/growth.hpp"

#include <cstdlib>
#include <cstring>

#include "os/mapping.hpp"

namespace perdure {

bool huge_pages_wanted(bool by_default) noexcept {
  const char* const setting = std::getenv("PERDURE_HUGE_PAGES");
  const bool wanted = setting == nullptr || *setting == '\0' ? by_default : std::strcmp(setting, "0") != 0;
  return wanted && os::huge_pages_on_request();
}

}  // namespace perdure
