#include "crash/disk_image.hpp"

#include <algorithm>
#include <cstring>

#include "support/page_pattern.hpp"

namespace perdure::crash {

namespace {

auto find_page(std::vector<std::pair<std::uint64_t, page_ref>>& pages, std::uint64_t number) {
  return std::lower_bound(pages.begin(), pages.end(), number,
                          [](const auto& entry, std::uint64_t wanted) { return entry.first < wanted; });
}

std::array<std::byte, disk_page> bytes_of(const page_ref& page) {
  if (page) return page->bytes;
  return {};
}

}  // namespace

page_ref make_page(const std::array<std::byte, disk_page>& bytes) {
  auto page = std::make_shared<page_content>();
  page->bytes = bytes;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < disk_page; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  page->hash = hash;
  return page;
}

const page_content* inode::page(std::uint64_t number) const {
  const auto at =
      std::lower_bound(pages.begin(), pages.end(), number,
                       [](const auto& entry, std::uint64_t wanted) { return entry.first < wanted; });
  return at != pages.end() && at->first == number ? at->second.get() : nullptr;
}

disk_image::disk_image() {
  make(root_inode, true);
}

inode& disk_image::change(inode_number number) {
  std::shared_ptr<inode>& held = inodes_[number];
  if (held.use_count() != 1) held = std::make_shared<inode>(*held);
  return *held;
}

void disk_image::make(inode_number number, bool is_directory) {
  if (inodes_.size() <= number) inodes_.resize(number + 1);
  inodes_[number] = std::make_shared<inode>();
  inodes_[number]->is_directory = is_directory;
}

void disk_image::write(inode_number file, const page_write& piece, line_mask persisted) {
  persisted &= piece.lines;
  std::uint32_t end = piece.to;
  for (std::size_t i = lines_per_page; i-- > 0;) {
    if ((persisted >> i & 1) != 0 && i * line < end) break;
    end = std::min(end, static_cast<std::uint32_t>(i * line));
  }
  if (end <= piece.from) return;
  inode& target = change(file);
  target.size = std::max(target.size, piece.page * disk_page + end);
  const auto at = find_page(target.pages, piece.page);
  const bool present = at != target.pages.end() && at->first == piece.page;
  page_ref merged = piece.content;
  if (persisted != all_lines || piece.from != 0 || piece.to != disk_page) {
    std::array<std::byte, disk_page> bytes = bytes_of(present ? at->second : nullptr);
    for (std::size_t i = 0; i < lines_per_page; ++i) {
      if ((persisted >> i & 1) == 0) continue;
      const std::size_t from = std::max<std::size_t>(piece.from, i * line);
      const std::size_t to = std::min<std::size_t>(piece.to, (i + 1) * line);
      if (from < to) std::memcpy(bytes.data() + from, piece.content->bytes.data() + from, to - from);
    }
    merged = make_page(bytes);
  }
  if (present) {
    at->second = std::move(merged);
  } else {
    target.pages.insert(at, {piece.page, std::move(merged)});
  }
}

void disk_image::resize(inode_number file, std::uint64_t bytes) {
  inode& target = change(file);
  if (bytes < target.size) {
    const std::uint64_t last = bytes / disk_page;
    auto at = find_page(target.pages, last);
    if (at != target.pages.end() && at->first == last && bytes % disk_page != 0) {
      std::array<std::byte, disk_page> kept = bytes_of(at->second);
      std::fill(kept.begin() + static_cast<std::ptrdiff_t>(bytes % disk_page), kept.end(), std::byte{0});
      at->second = make_page(kept);
      ++at;
    }
    target.pages.erase(at, target.pages.end());
  }
  target.size = bytes;
}

void disk_image::punch(inode_number file, std::uint64_t offset, std::uint64_t bytes) {
  inode& target = change(file);
  const auto from = find_page(target.pages, offset / disk_page);
  const auto to = find_page(target.pages, (offset + bytes) / disk_page);
  target.pages.erase(from, to);
}

void disk_image::link(inode_number directory, const std::string& name, inode_number target) {
  change(directory).names[name] = target;
}

void disk_image::unlink(inode_number directory, const std::string& name) {
  change(directory).names.erase(name);
}

void disk_image::list(inode_number directory, const std::string& prefix,
                      std::vector<std::pair<std::string, inode_number>>& into) const {
  for (const auto& [name, number] : at(directory).names) {
    into.emplace_back(prefix + name, number);
    if (at(number).is_directory) list(number, prefix + name + "/", into);
  }
}

std::vector<std::pair<std::string, inode_number>> disk_image::listing() const {
  std::vector<std::pair<std::string, inode_number>> result;
  list(root_inode, "", result);
  return result;
}

std::uint64_t disk_image::hash() const {
  std::uint64_t hash = 0;
  for (const auto& [path, number] : listing()) {
    const inode& file = at(number);
    std::uint64_t own = std::hash<std::string>()(path) ^ mix(file.size);
    for (const auto& [page, content] : file.pages) own += mix(page ^ content->hash);
    hash += mix(own);
  }
  return hash;
}

}  // namespace perdure::crash
