// A pool of libpmemobj in a file, through its calls outside of transactions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "open_library.hpp"

namespace perdure::bench {

class pmemobj_pool {
 public:
  /// Creates the pool. Throws std::runtime_error where the library is not there or does not want to.
  ///
  /// The library is told to take the file for persistent memory, as if it lay on such a device: otherwise
  /// each call would wait for the file to be synced, several times.
  pmemobj_pool(const std::string& library, const std::string& file, std::size_t bytes);
  pmemobj_pool(const pmemobj_pool&) = delete;
  pmemobj_pool& operator=(const pmemobj_pool&) = delete;
  ~pmemobj_pool();

  void* allocate(std::size_t bytes) const;
  void deallocate(void* block) const noexcept;

 private:
  struct object {  // as in the library's interface
    std::uint64_t pool;
    std::uint64_t offset;
  };

  open_library library_;
  void* pool_ = nullptr;
  std::uint64_t number_ = 0;
  int (*alloc_)(void*, object*, std::size_t, std::uint64_t, int (*)(void*, void*, void*), void*) = nullptr;
  void (*free_)(object*) = nullptr;
  void (*close_)(void*) = nullptr;
};

}  // namespace perdure::bench
