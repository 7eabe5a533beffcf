// How segments grow: opens address space in steps, and chooses huge pages.
#include "segment/growth.hpp"

#include "base/environment.hpp"
#include "os/mapping.hpp"

namespace perdure::detail {

huge_pages huge_pages_wanted(huge_pages by_default) {
  const auto asked = base::switch_in("PERDURE_HUGE_PAGES");
  if (!os::huge_pages_on_request()) return huge_pages::nowhere;
  if (!asked) return by_default;
  return *asked ? huge_pages::everywhere : huge_pages::nowhere;
}

}  // namespace perdure::detail
