// Finds a place in the address space for a store.
#include "store/backing/address_space.hpp"

#include <cstdio>

#include "os/mapping.hpp"
#include "segment/segment.hpp"
#include "store/file/failure.hpp"

namespace perdure::store {

os::reservation reserve_anywhere(std::size_t capacity, const std::filesystem::path& store) {
  try {
    return os::reservation(capacity, detail::segment_alignment);
  } catch (const std::system_error& failure) {
    throw error(errc::out_of_memory,
                "cannot reserve " + std::to_string(capacity) + " bytes of address space for " +
                    store.string() + ": " + failure.what() + "; raise what limits it, " +
                    os::mapping_limits_in_words() + ", or create the store with a smaller capacity");
  }
}

os::reservation reserve_at(std::uint64_t address, std::size_t capacity, const std::filesystem::path& store) {
  try {
    return os::reservation(reinterpret_cast<void*>(address), capacity);
  } catch (const std::system_error& failure) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    throw error(errc::address_taken,
                store.string() + " is pinned to address " + text + ", which this process cannot have (" +
                    failure.what() +
                    "): close what is mapped there, or copy the store's objects to a new one");
  }
}

os::reservation choose_pinned_place(std::size_t capacity, std::uint64_t seed,
                                    const std::filesystem::path& store) {
  // On x86-64 and 48-bit aarch64 executables, stacks and mmap live near the top, and the sanitizers'
  // shadows below 17 TiB; on small address spaces (39 bits) only the low part is left, and so under
  // ThreadSanitizer, whose mmap ends the program where it meets an address it did not plan for.
  constexpr std::uint64_t gib = detail::segment_alignment;
  struct range {
    std::uint64_t begin;
    std::uint64_t end;
  };
#if defined(__SANITIZE_THREAD__)
  constexpr range ranges[] = {{64 * gib, 448 * gib}};
#else
  constexpr range ranges[] = {{18 * 1024 * gib, 80 * 1024 * gib}, {64 * gib, 448 * gib}};
#endif
  for (const range& place : ranges) {
    const std::uint64_t room = place.end - place.begin;
    if (capacity > room) continue;
    const std::uint64_t slots = (room - capacity) / gib + 1;
    for (std::uint64_t attempt = 0; attempt < 64; ++attempt) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      const std::uint64_t address = place.begin + (seed >> 33) % slots * gib;
      try {
        return os::reservation(reinterpret_cast<void*>(address), capacity);
      } catch (const std::system_error&) {
        // The place is taken: try another.
      }
    }
  }
  throw error(errc::address_taken, "found no free address range of " + std::to_string(capacity) +
                                       " bytes to pin " + store.string() + " to: give it a smaller capacity");
}

}  // namespace perdure::store
