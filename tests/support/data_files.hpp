// Where the real test data lies.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace perdure::test {

/// The file in the data folder (`PERDURE_DATA`, else beside the source tree); empty when there is none.
inline std::filesystem::path data_file(const std::string& name) {
  const char* folder = std::getenv("PERDURE_DATA");
  const std::filesystem::path path =
      std::filesystem::path(folder != nullptr ? folder : PERDURE_DEFAULT_DATA) / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path{};
}

}  // namespace perdure::test
