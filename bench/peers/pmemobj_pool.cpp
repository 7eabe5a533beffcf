#include "pmemobj_pool.hpp"

#include <cstdlib>
#include <new>
#include <stdexcept>

namespace perdure::bench {

namespace {

open_library for_persistent_memory(const std::string& file) {
  ::setenv("PMEM_IS_PMEM_FORCE", "1", 1);  // read when the library is loaded
  return open_library(file);
}

}  // namespace

pmemobj_pool::pmemobj_pool(const std::string& library, const std::string& file, std::size_t bytes)
    : library_(for_persistent_memory(library)) {
  library_.set(alloc_, "pmemobj_alloc");
  library_.set(free_, "pmemobj_free");
  library_.set(close_, "pmemobj_close");
  void* (*create)(const char*, const char*, std::size_t, unsigned) = nullptr;
  const char* (*why)() = nullptr;
  library_.set(create, "pmemobj_create");
  library_.set(why, "pmemobj_errormsg");
  pool_ = create(file.c_str(), "benchmark", bytes, 0600);
  if (pool_ == nullptr) throw std::runtime_error(std::string("pmemobj_create: ") + why());
  // The pool's number is part of every object's name, and told by any of them.
  object any{};
  if (alloc_(pool_, &any, 1, 0, nullptr, nullptr) != 0) {
    close_(pool_);
    throw std::runtime_error(std::string("pmemobj_alloc: ") + why());
  }
  number_ = any.pool;
  free_(&any);
}

pmemobj_pool::~pmemobj_pool() {
  close_(pool_);
}

void* pmemobj_pool::allocate(std::size_t bytes) const {
  object made{};
  if (alloc_(pool_, &made, bytes, 0, nullptr, nullptr) != 0) throw std::bad_alloc();
  return static_cast<std::byte*>(pool_) + made.offset;
}

void pmemobj_pool::deallocate(void* block) const noexcept {
  object gone{number_,
              static_cast<std::uint64_t>(static_cast<std::byte*>(block) - static_cast<std::byte*>(pool_))};
  free_(&gone);
}

}  // namespace perdure::bench
