// A library with memkind's interface, opened at run time: memkind itself, or ours in its place. By its
// symbols and not by a header, since both have a <memkind.h>.
#pragma once

#include <cstddef>
#include <string>

#include "open_library.hpp"

namespace perdure::bench {

class memkind_library {
 public:
  /// Throws std::runtime_error where the file is not there or lacks a symbol.
  explicit memkind_library(const std::string& file);
  memkind_library(const memkind_library&) = delete;
  memkind_library& operator=(const memkind_library&) = delete;

  /// One kind of it. The library must outlive it.
  class kind {
   public:
    kind(const kind&) = delete;
    kind& operator=(const kind&) = delete;
    ~kind();

    void* allocate(std::size_t bytes) const;
    void deallocate(void* block) const noexcept { library_.free_(handle_, block); }

   private:
    friend memkind_library;
    kind(const memkind_library& library, void* handle, bool owned)
        : library_(library), handle_(handle), owned_(owned) {}

    const memkind_library& library_;
    void* handle_;
    bool owned_;
  };

  kind standard() const;                              ///< MEMKIND_DEFAULT
  kind in_files(const std::string& directory) const;  ///< what memkind_create_pmem makes, without a limit

 private:
  open_library library_;
  void* (*malloc_)(void*, std::size_t) = nullptr;
  void (*free_)(void*, void*) = nullptr;
  int (*create_pmem_)(const char*, std::size_t, void**) = nullptr;
  int (*destroy_kind_)(void*) = nullptr;
};

}  // namespace perdure::bench
