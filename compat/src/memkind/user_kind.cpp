#include "memkind/user_kind.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

#include "memkind/kind_table.hpp"
#include "memkind/settings.hpp"

namespace perdure::memkind_compat {

namespace {

// Memory by the table's mmap, mbind, madvise and what says how to map.
class table_policy final : public memory_policy {
 public:
  table_policy(memkind_t of, const memkind_ops& ops) : of_(of), ops_(ops) {}

  int map_flags(std::uint64_t offset, std::size_t bytes) override {
    int flags = 0;
    if (ops_.get_mmap_flags == nullptr) return memory_policy::map_flags(offset, bytes);
    if (ops_.get_mmap_flags(of_, &flags) != 0) throw std::bad_alloc();
    return flags;
  }

  numa_placement placement(std::uint64_t offset, std::size_t bytes) override {
    int mode = MPOL_BIND;
    numa_placement place;
    if (ops_.get_mbind_nodemask == nullptr) return memory_policy::placement(offset, bytes);
    if (ops_.get_mbind_mode != nullptr && ops_.get_mbind_mode(of_, &mode) != 0) throw std::bad_alloc();
    auto& words = place.nodes.words();
    static_assert(sizeof(words[0]) == sizeof(unsigned long));
    unsigned long mask[node_set::most_nodes / (8 * sizeof(unsigned long))] = {};
    if (ops_.get_mbind_nodemask(of_, mask, node_set::most_nodes) != 0) throw std::bad_alloc();
    std::memcpy(words.data(), mask, sizeof mask);
    switch (mode) {
      case MPOL_BIND:
        place.mode = numa_mode::bind;
        return place;
      case MPOL_PREFERRED:
        place.mode = numa_mode::preferred;
        return place;
      case MPOL_INTERLEAVE:
        place.mode = numa_mode::interleave;
        return place;
      default:
        return {};
    }
  }

  void commit(void* address, std::size_t bytes, std::uint64_t offset) override {
    if (ops_.mmap == nullptr) {
      memory_policy::commit(address, bytes, offset);
    } else if (ops_.mmap(of_, address, bytes) != address) {
      throw std::bad_alloc();
    }
    if (ops_.mbind != nullptr && ops_.mbind(of_, address, bytes) != 0) throw std::bad_alloc();
    if (ops_.madvise != nullptr && ops_.madvise(of_, address, bytes) != 0) throw std::bad_alloc();
  }

 private:
  memkind_t of_;
  const memkind_ops& ops_;
};

// The table's own malloc and free.
class table_allocation final : public kind_allocation {
 public:
  table_allocation(memkind_t of, const memkind_ops& ops) : of_(of), ops_(ops) {}

  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    if (alignment <= alignof(std::max_align_t)) return ops_.malloc(of_, bytes);
    void* block = nullptr;
    if (ops_.posix_memalign == nullptr || ops_.posix_memalign(of_, &block, alignment, bytes) != 0)
      return nullptr;
    return block;
  }
  void deallocate(void* block) noexcept override { ops_.free(of_, block); }
  void* reallocate(void* block, std::size_t bytes) noexcept override {
    return ops_.realloc != nullptr ? ops_.realloc(of_, block, bytes) : nullptr;
  }
  // A table says nothing of that.
  std::size_t usable_size(const void*) const noexcept override { return 0; }
  bool owns(const void* block) const noexcept override {
    return ops_.check_addr(of_, const_cast<void*>(block)) == 0;
  }

 private:
  memkind_t of_;
  const memkind_ops& ops_;
};

std::unique_ptr<kind> make_kind(memkind_t of, const memkind_ops& ops) {
  const kind_options options{.name = of->name};
  if (ops.malloc != nullptr) return kind::create(std::make_shared<table_allocation>(of, ops), options);
  return kind::create(std::make_shared<table_policy>(of, ops), options);
}

}  // namespace

int destroy_user_kind(memkind_t one) noexcept {
  // A table's `destroy` may read the name.
  const memkind_ops* const ops = one->ops;
  const int status = ops->destroy != nullptr ? ops->destroy(one) : MEMKIND_SUCCESS;
  if (status != MEMKIND_SUCCESS) return status;
  return remove(one) ? MEMKIND_SUCCESS : MEMKIND_ERROR_OPERATION_FAILED;
}

}  // namespace perdure::memkind_compat

using namespace perdure::memkind_compat;

extern "C" int memkind_create(const struct memkind_ops* ops, const char* name, memkind_t* kind) {
  if (ops == nullptr) return MEMKIND_ERROR_BADOPS;
  if (ops->malloc != nullptr && (ops->free == nullptr || ops->check_addr == nullptr))
    return MEMKIND_ERROR_BADOPS;
  if (kind == nullptr || name == nullptr || *name == '\0') return MEMKIND_ERROR_INVALID;
  if (std::strlen(name) >= MEMKIND_NAME_LENGTH) return MEMKIND_ERROR_INVALID;
  if (find(std::string_view(name)) != nullptr) return MEMKIND_ERROR_REPNAME;
  try {
    auto one = make_named(name);
    one->ops = ops;
    if (ops->init_once != nullptr) ops->init_once();
    if (ops->create != nullptr) {
      if (const int status = ops->create(one.get(), ops, name)) return status;
    }
    auto live = make_kind(one.get(), *ops);
    *kind = enter(std::move(one), std::move(live));
    return *kind != nullptr ? MEMKIND_SUCCESS : MEMKIND_ERROR_MALLOC;
  } catch (const std::exception& failure) {
    debug(failure.what());
    return code_of_exception();
  } catch (...) {
    return MEMKIND_ERROR_RUNTIME;
  }
}
