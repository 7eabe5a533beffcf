// Damage to a file: a bit of one byte.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace perdure {

/// Fails the test where the file has no such byte.
inline void flip_bit(const std::filesystem::path& path, std::uint64_t offset, unsigned bit = 3) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  const int before = file.get();
  ASSERT_NE(before, EOF) << path << " has no byte " << offset;
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(static_cast<char>(before ^ (1 << bit)));
}

}  // namespace perdure
