// Libraries that a benchmark compares with, opened at run time, so that it is built and works without them.
#pragma once

#include <dlfcn.h>

#include <cstring>
#include <stdexcept>
#include <string>

namespace perdure::bench {

/// Stays open for ever: threads may still have its destructors to run.
class open_library {
 public:
  /// Throws std::runtime_error where the file is not there.
  explicit open_library(const std::string& file)
      : file_(file), handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(std::string("cannot open it: ") + ::dlerror());
  }

  /// Throws std::runtime_error where there is no such symbol.
  void* symbol(const char* name) const {
    void* const address = ::dlsym(handle_, name);
    if (address == nullptr) throw std::runtime_error(file_ + " has no symbol " + name);
    return address;
  }

  template <class Function>
  void set(Function& function, const char* name) const {
    void* const address = symbol(name);
    static_assert(sizeof function == sizeof address);
    std::memcpy(&function, &address, sizeof address);
  }

 private:
  std::string file_;
  void* handle_;
};

}  // namespace perdure::bench
