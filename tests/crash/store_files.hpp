// The files of a store in memory: to be changed at will and written out again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

namespace perdure::crash {

/// A sparse file. Copies share their blocks until one of them is written to.
class file_bytes {
 public:
  static constexpr std::size_t block_size = 4096;
  using block = std::array<std::byte, block_size>;

  std::uint64_t size() const { return size_; }
  void resize(std::uint64_t bytes);
  /// Zeros beyond the end.
  void read(std::uint64_t offset, void* to, std::size_t bytes) const;
  /// Lengthens the file where that is needed.
  void write(std::uint64_t offset, const void* from, std::size_t bytes);

  template <class T>
  T get(std::uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    read(offset, &value, sizeof value);
    return value;
  }
  template <class T>
  void put(std::uint64_t offset, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    write(offset, &value, sizeof value);
  }

  /// Blocks with anything but zeros in them, by number.
  const std::map<std::uint64_t, std::shared_ptr<const block>>& blocks() const { return blocks_; }

 private:
  block& own(std::uint64_t number);

  std::uint64_t size_ = 0;
  std::map<std::uint64_t, std::shared_ptr<const block>> blocks_;
};

/// By name.
using store_files = std::map<std::string, file_bytes>;

store_files read_files(const std::filesystem::path& directory);
/// Makes the directory hold these files and no others; what was not in them is a hole.
void write_files(const store_files& files, const std::filesystem::path& directory);

}  // namespace perdure::crash
