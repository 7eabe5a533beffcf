// Stores into write-protected memory: who is told of the SIGSEGV.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perdure::os {

/// Called in the signal handler of a thread that stored to `address` in a watched range that forbids it.
/// True: the thread shall try again. Must be async-signal-safe.
using store_admission = bool (*)(void* context, std::byte* address) noexcept;

/// While it lives, stores to protected memory in [base, base + bytes) are answered by `admit`. Faults that
/// are nobody's go to the handler that was there before. At most 1024 at a time; throws std::system_error.
class write_fault_watch {
 public:
  write_fault_watch(std::byte* base, std::size_t bytes, store_admission admit, void* context);
  write_fault_watch(const write_fault_watch&) = delete;
  write_fault_watch& operator=(const write_fault_watch&) = delete;
  ~write_fault_watch();

 private:
  std::size_t slot_;
};

}  // namespace perdure::os
