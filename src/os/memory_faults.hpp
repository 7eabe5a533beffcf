// Touches that a memory protection forbids: who is told of the SIGSEGV.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perdure::os {

/// What the thread was about to do. Where the processor does not tell, a store.
enum class touch { load, store };

/// Called in the signal handler of a thread that touched `address` in a watched range in a way that its
/// protection forbids. True: the thread shall try again. Must be async-signal-safe.
using touch_admission = bool (*)(void* context, std::byte* address, touch how) noexcept;

/// Which touches a watch is asked about. Those asked about all come first, so that memory that nobody may see
/// yet is not made writable by those that only count stores.
enum class watched_touches { all, stores };

/// While it lives, forbidden touches of [base, base + bytes) are answered by `admit`; of several watches the
/// first to say yes counts. Faults that are nobody's go to the handler that was there before. At most 1024 at
/// a time; throws std::system_error.
class fault_watch {
 public:
  fault_watch(std::byte* base, std::size_t bytes, watched_touches which, touch_admission admit,
              void* context);
  fault_watch(const fault_watch&) = delete;
  fault_watch& operator=(const fault_watch&) = delete;
  ~fault_watch();

 private:
  std::size_t slot_;
};

}  // namespace perdure::os
