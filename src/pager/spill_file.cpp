// Makes the file for changed pages that do not fit the budget.
#include "pager/spill_file.hpp"

#include <fcntl.h>

#include <vector>

#include "base/environment.hpp"
#include "os/system_error.hpp"

namespace perdure::pager::detail {

os::file make_spill_file(const std::filesystem::path& wanted, const std::filesystem::path& beside) {
  const std::filesystem::path fallback = base::directory_in("TMPDIR").value_or("/tmp");
  for (const auto& place : wanted.empty() ? std::vector{beside, fallback} : std::vector{wanted}) {
    os::file made(::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600),
                  place / "(spill file without a name)");
    if (made) return made;
  }
  os::throw_errno("make a spill file in", (wanted.empty() ? fallback : wanted).string());
}

}  // namespace perdure::pager::detail
