#include "memkind_library.hpp"

#include <dlfcn.h>

#include <cstring>
#include <new>
#include <stdexcept>

namespace perdure::bench {

namespace {

template <class Function>
void set(Function& function, void* address) {
  static_assert(sizeof function == sizeof address);
  std::memcpy(&function, &address, sizeof address);
}

}  // namespace

memkind_library::memkind_library(const std::string& file)
    : file_(file), library_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) throw std::runtime_error(std::string("cannot open it: ") + ::dlerror());
  set(malloc_, symbol("memkind_malloc"));
  set(free_, symbol("memkind_free"));
  set(create_pmem_, symbol("memkind_create_pmem"));
  set(destroy_kind_, symbol("memkind_destroy_kind"));
}

// Threads may still have its destructors to run.
memkind_library::~memkind_library() = default;

void* memkind_library::symbol(const char* name) const {
  void* const address = ::dlsym(library_, name);
  if (address == nullptr) throw std::runtime_error(file_ + " has no symbol " + name);
  return address;
}

memkind_library::kind memkind_library::standard() const {
  return {*this, *static_cast<void**>(symbol("MEMKIND_DEFAULT")), false};
}

memkind_library::kind memkind_library::in_files(const std::string& directory) const {
  void* made = nullptr;
  const int failure = create_pmem_(directory.c_str(), 0, &made);
  if (failure != 0) throw std::runtime_error("memkind_create_pmem failed with " + std::to_string(failure));
  return {*this, made, true};
}

void* memkind_library::kind::allocate(std::size_t bytes) const {
  void* const block = library_.malloc_(handle_, bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

memkind_library::kind::~kind() {
  if (owned_) library_.destroy_kind_(handle_);
}

}  // namespace perdure::bench
