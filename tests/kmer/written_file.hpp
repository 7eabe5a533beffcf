// Files that tests write and read.
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace perdure::test {

inline std::filesystem::path write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace perdure::test
