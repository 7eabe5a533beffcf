#include "heap/allocation_failure.hpp"

#include <algorithm>
#include <cstdio>

#include "heap/layout.hpp"

namespace perdure::detail {
namespace {

/// The end of a long path says more than its beginning.
const char* owner_of(const segment& memory) noexcept {
  constexpr std::size_t most = 255;
  const std::string& owner = memory.owner();
  if (owner.empty()) return "this heap";
  return owner.c_str() + (owner.size() - std::min(owner.size(), most));
}

}  // namespace

allocation_failure::allocation_failure(const segment& memory, std::size_t bytes) noexcept {
  const std::size_t left = memory.capacity() - std::min(memory.size(), memory.capacity());
  if (bytes > left || left < chunk_size) {
    std::snprintf(
        text_.data(), text_.size(),
        "%s: no room for a block of %zu bytes: of its capacity of %zu bytes %zu were never used, and what "
        "was "
        "freed has no gap of that size. Free something, or give it more capacity "
        "(store_options::capacity when a store is made, datastore::raise_capacity while nobody has it open)",
        owner_of(memory), bytes, memory.capacity(), left);
  } else {
    std::snprintf(text_.data(), text_.size(),
                  "%s: the system gives no memory for a block of %zu bytes: see how much is free, and what "
                  "`ulimit -v`, the control group and vm.overcommit_memory allow",
                  owner_of(memory), bytes);
  }
}

allocation_failure::allocation_failure(const segment& memory, of_alignment asked) noexcept {
  std::snprintf(text_.data(), text_.size(),
                "%s: blocks cannot be aligned to %zu bytes: an alignment is a power of two, up to %zu",
                owner_of(memory), asked.alignment, chunk_size);
}

}  // namespace perdure::detail
