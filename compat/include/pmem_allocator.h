// memkind's allocator of a kind over a file; see docs/reference/compatibility.md.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "memkind.h"
#include "perdure_memkind/allocator_of_kind.hpp"

namespace libmemkind {

enum class allocation_policy {
  DEFAULT = MEMKIND_MEM_USAGE_POLICY_DEFAULT,
  CONSERVATIVE = MEMKIND_MEM_USAGE_POLICY_CONSERVATIVE,
  MAX
};

namespace pmem {
namespace internal {

inline std::shared_ptr<struct memkind> make_kind(const char* dir, std::size_t max_size,
                                                 allocation_policy policy) {
  struct memkind_config* const settings = ::memkind_config_new();
  if (settings == nullptr) throw std::runtime_error("no memory for the settings of a kind");
  ::memkind_config_set_path(settings, dir);
  ::memkind_config_set_size(settings, max_size);
  ::memkind_config_set_memory_usage_policy(settings, static_cast<memkind_mem_usage_policy>(policy));
  memkind_t kind = nullptr;
  const int code = ::memkind_create_pmem_with_config(settings, &kind);
  ::memkind_config_delete(settings);
  const std::string what = "no kind over a file there: error code " + std::to_string(code);
  if (code == MEMKIND_ERROR_INVALID) throw std::invalid_argument(what);
  if (code != MEMKIND_SUCCESS) throw std::runtime_error(what);
  return {kind, &::memkind_destroy_kind};
}

}  // namespace internal

template <typename T>
class allocator
    : public libmemkind::internal::allocator_of_kind<allocator, T, std::shared_ptr<struct memkind>> {
  using base = libmemkind::internal::allocator_of_kind<libmemkind::pmem::allocator, T,
                                                       std::shared_ptr<struct memkind>>;

 public:
  using size_type = typename base::size_type;

  /// Throws std::invalid_argument, std::runtime_error.
  explicit allocator(const char* dir, size_type max_size,
                     allocation_policy policy = allocation_policy::DEFAULT)
      : base(internal::make_kind(dir, max_size, policy)) {}
  explicit allocator(const std::string& dir, size_type max_size,
                     allocation_policy policy = allocation_policy::DEFAULT)
      : allocator(dir.c_str(), max_size, policy) {}
  template <typename U>
  allocator(const allocator<U>& other) noexcept : base(other) {}
};

}  // namespace pmem
}  // namespace libmemkind
