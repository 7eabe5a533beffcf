// Mutexes for objects in a store: outside it, since they belong to the running process.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace metall::utility::mutex {

/// Locks the `index`-th of `num_banks` mutexes, which all who name the same number share.
template <int num_banks>
inline std::unique_lock<std::mutex> mutex_lock(const std::size_t index) {
  static_assert(num_banks > 0, "there must be a mutex to lock");
  static std::array<std::mutex, static_cast<std::size_t>(num_banks)> mutexes;
  return std::unique_lock<std::mutex>(mutexes[index % mutexes.size()]);
}

}  // namespace metall::utility::mutex
