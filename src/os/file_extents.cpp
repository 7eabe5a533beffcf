// Asks the file system where a sparse file has data.
#include "os/file_extents.hpp"

#include <unistd.h>

#include <cerrno>

#include "os/system_error.hpp"

namespace perdure::os {

std::optional<std::uint64_t> next_data(const file& sparse, std::uint64_t offset) {
  const off_t found = ::lseek(sparse.descriptor(), static_cast<off_t>(offset), SEEK_DATA);
  if (found >= 0) return static_cast<std::uint64_t>(found);
  if (errno == ENXIO) return std::nullopt;
  if (errno != EINVAL && errno != EOPNOTSUPP) throw_errno("look for data in", sparse.path().string());
  if (offset >= sparse.size()) return std::nullopt;
  return offset;
}

std::uint64_t next_hole(const file& sparse, std::uint64_t offset) {
  const off_t found = ::lseek(sparse.descriptor(), static_cast<off_t>(offset), SEEK_HOLE);
  if (found >= 0) return static_cast<std::uint64_t>(found);
  if (errno != ENXIO && errno != EINVAL && errno != EOPNOTSUPP)
    throw_errno("look for a hole in", sparse.path().string());
  return sparse.size();
}

}  // namespace perdure::os
