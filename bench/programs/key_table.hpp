// A table from 64-bit keys to 64-bit values in a file, made by different libraries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace perdure::bench {

inline std::uint64_t key_of(std::uint64_t number) noexcept {
  return (number + 1) * 0x9e3779b97f4a7c15;
}

/// The work of a library. `make` makes a table whose keys are `key_of` of the numbers below `keys`, with
/// these numbers as values, durable. `find` opens it, looks up `count` keys, `stride` numbers apart, and
/// returns the sum of the values.
struct key_table {
  std::function<void(const std::filesystem::path& path, std::uint64_t keys)> make;
  std::function<std::uint64_t(const std::filesystem::path& path, std::uint64_t keys, std::uint64_t count,
                              std::uint64_t stride)>
      find;
};

key_table lmdb_table();
key_table sqlite_table();

}  // namespace perdure::bench
