#include "memkind_library.hpp"

#include <new>
#include <stdexcept>

namespace perdure::bench {

memkind_library::memkind_library(const std::string& file) : library_(file) {
  library_.set(malloc_, "memkind_malloc");
  library_.set(free_, "memkind_free");
  library_.set(create_pmem_, "memkind_create_pmem");
  library_.set(destroy_kind_, "memkind_destroy_kind");
}

memkind_library::kind memkind_library::standard() const {
  return {*this, *static_cast<void**>(library_.symbol("MEMKIND_DEFAULT")), false};
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
