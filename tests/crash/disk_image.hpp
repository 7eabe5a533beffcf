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
/// What persistent memory writes whole or not at all: a cache line.
inline constexpr std::size_t line = 64;
inline constexpr std::size_t lines_per_page = disk_page / line;
/// Which lines of a page: bit i is line i.
using line_mask = std::uint64_t;
inline constexpr line_mask all_lines = ~line_mask{0};
/// The lines of sectors of which bit i is sector i.
constexpr line_mask lines_of_sectors(std::uint64_t sectors) {
  line_mask result = 0;
  for (std::size_t i = 0; i < sectors_per_page; ++i)
    if ((sectors >> i & 1) != 0) result |= line_mask{0xff} << (8 * i);
  return result;
}

struct page_content {
  alignas(64) std::array<std::byte, disk_page> bytes;
  std::uint64_t hash;
};
using page_ref = std::shared_ptr<const page_content>;
page_ref make_page(const std::array<std::byte, disk_page>& bytes);

/// What a write does to one page: bytes [from, to) of it, as far as they are in `lines`, become those of
/// `content`.
struct page_write {
  std::uint64_t page;
  std::uint32_t from;
  std::uint32_t to;
  page_ref content;
  line_mask lines = all_lines;
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
  void write(inode_number file, const page_write& piece, line_mask persisted);
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
