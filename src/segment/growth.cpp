#include "segment/growth.hpp"

#include <cstdlib>
#include <cstring>

#include "os/mapping.hpp"

namespace perdure {

huge_pages huge_pages_wanted(huge_pages by_default) noexcept {
  if (!os::huge_pages_on_request()) return huge_pages::nowhere;
  const char* const setting = std::getenv("PERDURE_HUGE_PAGES");
  if (setting == nullptr || *setting == '\0') return by_default;
  return std::strcmp(setting, "0") == 0 ? huge_pages::nowhere : huge_pages::everywhere;
}

}  // namespace perdure
