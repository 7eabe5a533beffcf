// Kinds that programs ask for: by type and policy, over a file, over memory of their own.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <string>

#include "memkind/fixed_area.hpp"
#include "memkind/kind_table.hpp"
#include "memkind/settings.hpp"
#include "memkind/static_kinds.hpp"
#include "memkind/user_kind.hpp"

struct memkind_config {
  std::string directory;
  bool has_directory = false;
  std::size_t bytes = 0;
  memkind_mem_usage_policy policy = MEMKIND_MEM_USAGE_POLICY_DEFAULT;
};

namespace perdure::memkind_compat {

namespace {

// Enters what `make` makes.
template <class Make>
int create(memkind_t* result, const char* name, const Make& make) noexcept {
  if (result == nullptr) return MEMKIND_ERROR_INVALID;
  if (const int status = environment_status()) return status;
  try {
    memkind_t const one = enter(make_named(name), make());
    if (one == nullptr) return MEMKIND_ERROR_MALLOC;
    *result = one;
    return MEMKIND_SUCCESS;
  } catch (const std::exception& failure) {
    debug(failure.what());
    return code_of_exception();
  } catch (...) {
    return MEMKIND_ERROR_RUNTIME;
  }
}

int create_over_file(const char* directory, std::size_t bytes, memkind_mem_usage_policy policy,
                     memkind_t* result) noexcept {
  if (directory == nullptr || (bytes != 0 && bytes < MEMKIND_PMEM_MIN_SIZE)) return MEMKIND_ERROR_INVALID;
  if (policy >= MEMKIND_MEM_USAGE_POLICY_MAX_VALUE) return MEMKIND_ERROR_INVALID;
  const int status = create(result, "pmem", [&] {
    return kind::create_file(directory, bytes, {.name = std::string("pmem in ") + directory});
  });
  if (status == MEMKIND_SUCCESS && policy == MEMKIND_MEM_USAGE_POLICY_CONSERVATIVE && !keeps_memory()) {
    (*result)->trims_on_free = true;
    any_trims.store(true, std::memory_order_relaxed);
  }
  return status;
}

struct combination {
  unsigned types;
  memkind_policy_t policy;
  int partition;
  int huge_partition;  // -1: not with huge pages
};

constexpr combination combinations[] = {
    {MEMKIND_MEMTYPE_DEFAULT, MEMKIND_POLICY_PREFERRED_LOCAL, MEMKIND_PARTITION_DEFAULT,
     MEMKIND_PARTITION_HUGETLB},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_BIND_LOCAL, MEMKIND_PARTITION_HBW,
     MEMKIND_PARTITION_HBW_HUGETLB},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_BIND_ALL, MEMKIND_PARTITION_HBW_ALL,
     MEMKIND_PARTITION_HBW_ALL_HUGETLB},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_PREFERRED_LOCAL, MEMKIND_PARTITION_HBW_PREFERRED,
     MEMKIND_PARTITION_HBW_PREFERRED_HUGETLB},
    {MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_INTERLEAVE_ALL, MEMKIND_PARTITION_HBW_INTERLEAVE, -1},
    {MEMKIND_MEMTYPE_DEFAULT | MEMKIND_MEMTYPE_HIGH_BANDWIDTH, MEMKIND_POLICY_INTERLEAVE_ALL,
     MEMKIND_PARTITION_INTERLEAVE, -1},
};

// The static kind that is of the same memory; null if there is none.
memkind_t model_of(unsigned types, memkind_policy_t policy, unsigned flags) noexcept {
  if (flags != 0 && flags != MEMKIND_MASK_PAGE_SIZE_2MB) return nullptr;
  for (const combination& each : combinations) {
    if (each.types == types && each.policy == policy)
      return static_at(flags == 0 ? each.partition : each.huge_partition);
  }
  return nullptr;
}

}  // namespace

}  // namespace perdure::memkind_compat

using namespace perdure::memkind_compat;

extern "C" {

int memkind_create_kind(memkind_memtype_t memtype_flags, memkind_policy_t policy, memkind_bits_t flags,
                        memkind_t* kind) {
  memkind_t const model =
      model_of(static_cast<unsigned>(memtype_flags), policy, static_cast<unsigned>(flags));
  if (model == nullptr || kind == nullptr) return MEMKIND_ERROR_INVALID;
  const bool is_there = availability(*model) == MEMKIND_SUCCESS;
  if (!is_there && policy != MEMKIND_POLICY_PREFERRED_LOCAL) return MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE;
  *kind = is_there ? model : MEMKIND_DEFAULT;
  return MEMKIND_SUCCESS;
}

int memkind_create_pmem(const char* dir, size_t max_size, memkind_t* kind) {
  return create_over_file(dir, max_size, MEMKIND_MEM_USAGE_POLICY_DEFAULT, kind);
}

int memkind_create_fixed(void* addr, size_t size, memkind_t* kind) {
  if (addr == nullptr) return MEMKIND_ERROR_INVALID;
  return create(kind, "fixed",
                [&] { return perdure::kind::create(allocation_over(addr, size), {.name = "fixed"}); });
}

int memkind_destroy_kind(memkind_t kind) {
  if (kind == nullptr) return MEMKIND_ERROR_OPERATION_FAILED;
  if (is_static(kind)) return MEMKIND_SUCCESS;
  if (!is_known(kind)) return MEMKIND_ERROR_OPERATION_FAILED;
  if (kind->ops != nullptr) return destroy_user_kind(kind);
  return remove(kind) ? MEMKIND_SUCCESS : MEMKIND_ERROR_OPERATION_FAILED;
}

int memkind_finalize(void) {
  while (memkind_t const one = last_entered()) {
    if (const int status = memkind_destroy_kind(one)) return status;
  }
  return MEMKIND_SUCCESS;
}

struct memkind_config* memkind_config_new(void) {
  return new (std::nothrow) memkind_config;
}

void memkind_config_delete(struct memkind_config* cfg) {
  delete cfg;
}

void memkind_config_set_path(struct memkind_config* cfg, const char* pmem_dir) {
  if (cfg == nullptr) return;
  cfg->has_directory = false;
  if (pmem_dir == nullptr) return;
  try {
    cfg->directory = pmem_dir;
    cfg->has_directory = true;
  } catch (const std::bad_alloc&) {
    debug("no memory for a path");
  }
}

void memkind_config_set_size(struct memkind_config* cfg, size_t pmem_size) {
  if (cfg != nullptr) cfg->bytes = pmem_size;
}

void memkind_config_set_memory_usage_policy(struct memkind_config* cfg, memkind_mem_usage_policy policy) {
  if (cfg != nullptr) cfg->policy = policy;
}

int memkind_create_pmem_with_config(struct memkind_config* cfg, memkind_t* kind) {
  if (cfg == nullptr || !cfg->has_directory) return MEMKIND_ERROR_INVALID;
  return create_over_file(cfg->directory.c_str(), cfg->bytes, cfg->policy, kind);
}

int memkind_check_available(memkind_t kind) {
  if (!is_known(kind)) return MEMKIND_ERROR_INVALID;
  if (is_static(kind)) return availability(*kind);
  if (kind->ops != nullptr && kind->ops->check_available != nullptr) return kind->ops->check_available(kind);
  return MEMKIND_SUCCESS;
}

int memkind_check_dax_path(const char* pmem_dir) {
  if (pmem_dir == nullptr) return MEMKIND_ERROR_INVALID;
  const int file = ::open(pmem_dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return MEMKIND_ERROR_RUNTIME;
  constexpr std::size_t bytes = 4096;
  int status = MEMKIND_ERROR_MMAP;
  if (::ftruncate(file, bytes) == 0) {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, file, 0);
    if (memory != MAP_FAILED) {
      ::munmap(memory, bytes);
      status = MEMKIND_SUCCESS;
    }
  }
  ::close(file);
  return status;
}

int memkind_set_bg_threads(bool) {
  return MEMKIND_SUCCESS;
}

int memkind_get_kind_by_partition(int partition, memkind_t* kind) {
  if (kind == nullptr) return MEMKIND_ERROR_INVALID;
  *kind = static_at(partition);
  return *kind != nullptr ? MEMKIND_SUCCESS : MEMKIND_ERROR_UNAVAILABLE;
}

int memkind_get_num_kind(int* num_kind) {
  if (num_kind == nullptr) return MEMKIND_ERROR_INVALID;
  *num_kind = static_cast<int>(count());
  return MEMKIND_SUCCESS;
}

int memkind_get_kind_by_name(const char* name, memkind_t* kind) {
  if (name == nullptr || kind == nullptr) return MEMKIND_ERROR_INVALID;
  *kind = find(std::string_view(name));
  return *kind != nullptr ? MEMKIND_SUCCESS : MEMKIND_ERROR_UNAVAILABLE;
}

}  // extern "C"
