// Page tracking by /proc/self/pagemap, whose flags any process may read of itself (Linux 4.2).
//
// A page that is present or swapped and not the file's is a private copy: the program wrote to it. The
// shared zero page looks the same; pages of anonymous memory that were only read are reported as well.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "os/file.hpp"
#include "os/mapping.hpp"
#include "os/page_tracker.hpp"
#include "os/system_error.hpp"
#include "os/write_gate.hpp"

namespace perdure::os {

namespace {

constexpr std::uint64_t present = 1ULL << 63;
constexpr std::uint64_t swapped = 1ULL << 62;
constexpr std::uint64_t of_file = 1ULL << 61;

class pagemap_tracker final : public page_tracker {
 public:
  explicit pagemap_tracker(guarded_range& memory)
      : base_(memory.base()),
        page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
        pagemap_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), "/proc/self/pagemap"),
        hold_(memory) {
    if (!pagemap_) throw_errno("open", "/proc/self/pagemap");
  }

  tracker_kind kind() const noexcept override { return tracker_kind::pagemap; }
  bool rearms() const noexcept override { return false; }

  void open_range(std::size_t offset, std::size_t bytes) override {
    protect(base_ + offset, bytes, access::read_write);
    hold_.opened(offset + bytes);
  }

  void collect(const byte_range& part, std::vector<byte_range>& dirty) override {
    std::vector<std::uint64_t> entries(std::size_t{32} << 10);
    const std::uint64_t first = reinterpret_cast<std::uintptr_t>(base_) / page_;
    const std::uint64_t pages = (part.offset + part.bytes) / page_;
    for (std::uint64_t page = part.offset / page_; page < pages;) {
      const std::size_t count =
          static_cast<std::size_t>(std::min<std::uint64_t>(entries.size(), pages - page));
      if (pagemap_.read_at(entries.data(), count * 8, (first + page) * 8) != count * 8) {
        throw_errno("read", "/proc/self/pagemap", EIO);
      }
      for (std::size_t i = 0; i < count; ++i) {
        if ((entries[i] & (present | swapped)) == 0 || (entries[i] & of_file) != 0) continue;
        const std::uint64_t offset = (page + i) * page_;
        if (!dirty.empty() && dirty.back().offset + dirty.back().bytes == offset) {
          dirty.back().bytes += page_;
        } else {
          dirty.push_back({offset, page_});
        }
      }
      page += count;
    }
  }

  void hold_writers(const byte_range& part) override { hold_.hold(part.offset, part.bytes); }
  void admit_writers(const byte_range& part) noexcept override { hold_.release(part.offset, part.bytes); }
  void detach() noexcept override { hold_.detach(); }

 private:
  std::byte* base_;
  std::size_t page_;
  file pagemap_;
  write_hold hold_;
};

}  // namespace

std::unique_ptr<page_tracker> make_pagemap_tracker(guarded_range& memory) {
  return std::make_unique<pagemap_tracker>(memory);
}

}  // namespace perdure::os
