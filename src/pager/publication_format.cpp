#include "pager/publication_format.hpp"

#include "base/environment.hpp"
#include "os/crc32c.hpp"

namespace perdure::pager::detail {

std::uint32_t checksum_of(const publication_header& header, const publication_region* regions) noexcept {
  publication_header covered = header;
  covered.checksum = 0;
  const std::uint32_t first = os::crc32c(0, &covered, sizeof covered);
  return os::crc32c(first, regions, header.regions * sizeof(publication_region));
}

std::vector<std::filesystem::path> publication_directories() {
  std::vector<std::filesystem::path> all;
  const auto own = base::directory_in("XDG_RUNTIME_DIR");
  if (own && own->starts_with('/')) all.emplace_back(*own);
  all.emplace_back("/dev/shm");
  return all;
}

}  // namespace perdure::pager::detail
