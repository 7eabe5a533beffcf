// Asks the file system where a sparse file has data.
#include "os/file_extents.hpp"

#include <unistd.h>

#include <algorithm>
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

std::vector<file_range> data_in(const file& sparse, std::uint64_t most_bytes) {
  std::vector<file_range> pieces;
  const std::uint64_t size = sparse.size();
  for (auto at = next_data(sparse, 0); at && *at < size;) {
    const std::uint64_t end = std::min(next_hole(sparse, *at), size);
    for (std::uint64_t offset = *at; offset < end; offset += most_bytes)
      pieces.push_back({offset, std::min(most_bytes, end - offset)});
    at = next_data(sparse, end);
  }
  return pieces;
}

}  // namespace perdure::os
