#include "os/directory_names.hpp"

#include <dirent.h>

#include <memory>
#include <string_view>

#include "os/system_error.hpp"

namespace perdure::os {

namespace {

struct directory_closer {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

}  // namespace

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  const std::unique_ptr<DIR, directory_closer> opened(::opendir(directory.c_str()));
  if (!opened) throw_errno("list", directory.string());
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(opened.get());
    if (entry == nullptr) {
      if (errno != 0) throw_errno("list", directory.string());
      return names;
    }
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
}

}  // namespace perdure::os
