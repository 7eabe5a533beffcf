// The memory of views that a forked child of a writer would lack: it is copied for the child.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace perdure::python {

/// The ranges of memory that views show and that a fork does not copy. Thread-safe.
class forked_views {
 public:
  /// Returns the ranges of this process. Never destroyed: views may outlive the interpreter.
  static forked_views& all();

  void add(const void* data, std::size_t bytes);
  void remove(const void* data, std::size_t bytes) noexcept;

  /// Copies the ranges, up to 1 GiB in all, to memory that a child gets.
  void before_fork() noexcept;
  void after_fork_in_parent() noexcept;
  /// Puts the copies where the parent has the views.
  void after_fork_in_child() noexcept;

 private:
  struct copied_range {
    std::uintptr_t at;
    std::size_t bytes;
    void* copy;
  };

  std::mutex mutex_;
  std::map<std::pair<std::uintptr_t, std::uintptr_t>, std::size_t>
      ranges_;  // first and last byte: how many views
  std::vector<copied_range> copies_;
};

/// Adds the functions for os.register_at_fork to the module.
void bind_forked_views(nanobind::module_& module);

}  // namespace perdure::python
