// Page tracking by /proc/self/pagemap, whose flags any process may read of itself (Linux 4.2).
//
// A private copy of a page is there because the program wrote to it (private_copies.hpp says what else looks
// like one).
#include <unistd.h>

#include "os/mapping.hpp"
#include "os/page_tracker.hpp"
#include "os/private_copies.hpp"
#include "os/write_gate.hpp"

namespace perdure::os {

namespace {

class pagemap_tracker final : public page_tracker {
 public:
  explicit pagemap_tracker(guarded_range& memory)
      : base_(memory.base()),
        page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
        pagemap_(open_pagemap()),
        hold_(memory) {}

  tracker_kind kind() const noexcept override { return tracker_kind::pagemap; }
  bool rearms() const noexcept override { return false; }

  void open_range(std::size_t offset, std::size_t bytes) override {
    protect(base_ + offset, bytes, access::read_write);
    hold_.opened(offset + bytes);
  }

  void collect(const byte_range& part, std::vector<byte_range>& dirty) override {
    const auto address = reinterpret_cast<std::uintptr_t>(base_) + part.offset;
    for_private_copies(pagemap_, address, part.bytes, page_, [&](std::size_t offset, std::size_t bytes) {
      const std::uint64_t at = part.offset + offset;
      if (!dirty.empty() && dirty.back().offset + dirty.back().bytes == at) {
        dirty.back().bytes += bytes;
      } else {
        dirty.push_back({at, bytes});
      }
    });
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
