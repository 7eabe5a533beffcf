// Finds and loads modules.
#include "formats/library_format.hpp"

#include <dlfcn.h>

#include <perdure/error.hpp>

namespace perdure::formats {

namespace {

std::filesystem::path module_path(const std::string& name) {
  std::error_code problem;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", problem);
  return (program.parent_path() / PERDURE_FORMAT_MODULES / ("perdure_" + name + ".so")).lexically_normal();
}

}  // namespace

bool has_library_format(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(module_path(name), ignored);
}

const library_format& load_library_format(const std::string& name) {
  const std::filesystem::path path = module_path(name);
  if (!has_library_format(name))
    throw error(errc::unsupported, "there is no " + path.string() + ": this build was made without lib" +
                                       name + " (the package lib" + name + "-dev)");
  void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) throw error(errc::unsupported, std::string("cannot load a module: ") + ::dlerror());
  using entry = const library_format* (*)();
  const auto function = reinterpret_cast<entry>(::dlsym(module, "perdure_format"));
  if (function == nullptr) throw error(errc::unsupported, path.string() + " is no module of this program");
  return *function();
}

}  // namespace perdure::formats
