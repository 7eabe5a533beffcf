#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <perdure/hash.hpp>
#include <perdure/workload/file_fingerprint.hpp>

namespace perdure::workload {

std::optional<std::string> file_fingerprint(const std::filesystem::path& path) {
  constexpr std::uint64_t part = std::uint64_t{1} << 20;
  struct stat status;
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto length = static_cast<std::uint64_t>(status.st_size);
  std::ifstream file(path, std::ios::binary);
  std::string bytes(part, '\0');
  std::uint64_t hash = hash_mix(length);
  for (const std::uint64_t at : {std::uint64_t{0}, length - std::min(length, part)}) {
    file.clear();
    file.seekg(static_cast<std::streamoff>(at));
    file.read(bytes.data(), static_cast<std::streamsize>(part));
    hash = hash_combine(hash, hash_bytes(bytes.data(), static_cast<std::size_t>(file.gcount())));
  }
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace perdure::workload
