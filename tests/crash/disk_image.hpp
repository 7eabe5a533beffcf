// A small file system in memory: what a disk may hold after a crash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace perdure::crash {

using inode_number = std::uint32_t;
inline constexpr inode_number root_inode = 0;

inline constexpr std::size_t disk_page = 4096;
/// What a disk writes whole or not at all.
inline constexpr std::size_t sector = 512;
inline constexpr std::size_t sectors_per_page = disk_page / sector;
/// Which sectors of a page: bit i is sector i.
using sector_mask = std::uint8_t;
inline constexpr sector_mask all_sectors = 0xff;

struct page_content {
  alignas(64) std::array<std::byte, disk_page> bytes;
  std::uint64_t hash;
};
using page_ref = std::shared_ptr<const page_content>;
page_ref make_page(const std::array<std::byte, disk_page>& bytes);

/// What a write does to one page: bytes [from, to) of it become those of `content`.
struct page_write {
  std::uint64_t page;
  std::uint32_t from;
  std::uint32_t to;
  page_ref content;
};

struct inode {
  bool is_directory = false;
  std::map<std::string, inode_number> names;              // of a directory
  std::uint64_t size = 0;                                 // of a file
  std::vector<std::pair<std::uint64_t, page_ref>> pages;  // sorted; what is missing reads as zero

  const page_content* page(std::uint64_t number) const;
};

/// Copies share what they have in common, so taking one is cheap.
class disk_image {
 public:
  disk_image();

  const inode& at(inode_number number) const { return *inodes_[number]; }
  bool same_inode(const disk_image& other, inode_number number) const {
    return number < other.inodes_.size() && number < inodes_.size() &&
           inodes_[number] == other.inodes_[number];
  }
  std::size_t inode_count() const { return inodes_.size(); }

  void make(inode_number number, bool is_directory);
  void write(inode_number file, const page_write& piece, sector_mask persisted);
  void resize(inode_number file, std::uint64_t bytes);
  void punch(inode_number file, std::uint64_t offset, std::uint64_t bytes);
  void link(inode_number directory, const std::string& name, inode_number target);
  void unlink(inode_number directory, const std::string& name);

  /// Every file and directory but the root, with its path; a directory before what is in it.
  std::vector<std::pair<std::string, inode_number>> listing() const;
  std::uint64_t hash() const;

 private:
  inode& change(inode_number number);
  void list(inode_number directory, const std::string& prefix,
            std::vector<std::pair<std::string, inode_number>>& into) const;

  std::vector<std::shared_ptr<inode>> inodes_;
};

}  // namespace perdure::crash
