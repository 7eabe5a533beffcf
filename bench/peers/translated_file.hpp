// The pager's rival by software: every access looks its page up in a cache of the program's own.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace perdure::bench {

/// A cache of a file's pages, split so that threads seldom want the same part, each with a lock, a table, and
/// a clock for replacement. Read and written past the page cache.
class translated_file {
 public:
  translated_file(const std::filesystem::path& path, std::uint64_t budget, bool writable)
      : file_(::open(path.c_str(), (writable ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC)),
        parts_(part_count) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), path.string());
    const std::size_t frames = std::max<std::size_t>(budget / page_bytes / part_count, 1);
    for (part& one : parts_) {
      one.memory.reset(static_cast<std::uint64_t*>(std::aligned_alloc(page_bytes, frames * page_bytes)));
      one.frames.resize(frames);
      one.places.reserve(frames);
    }
  }
  translated_file(const translated_file&) = delete;
  translated_file& operator=(const translated_file&) = delete;
  ~translated_file() { ::close(file_); }

  /// Calls `use(word)` on the word while nobody else has its page.
  template <class Use>
  auto with(std::uint64_t word, bool stores, Use&& use) {
    const std::uint64_t page = word / words_of_page;
    part& own = parts_[(page * 0x9e3779b97f4a7c15U) >> 58];
    const std::scoped_lock lock(own.lock);
    const auto known = own.places.find(page);
    const std::size_t place = known != own.places.end() ? known->second : bring_in(own, page);
    frame& there = own.frames[place];
    there.is_used = true;
    there.is_dirty = there.is_dirty || stores;
    return use(own.memory.get()[place * words_of_page + word % words_of_page]);
  }

 private:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t words_of_page = page_bytes / sizeof(std::uint64_t);
  static constexpr std::size_t part_count = 64;

  struct frame {
    std::uint64_t page = ~std::uint64_t{0};
    bool is_used = false;
    bool is_dirty = false;
  };
  struct alignas(64) part {
    std::mutex lock;
    std::unordered_map<std::uint64_t, std::size_t> places;
    std::vector<frame> frames;
    std::size_t hand = 0;
    std::unique_ptr<std::uint64_t, decltype(&std::free)> memory{nullptr, &std::free};
  };

  std::size_t bring_in(part& own, std::uint64_t page) {
    while (own.frames[own.hand].is_used) {
      own.frames[own.hand].is_used = false;
      own.hand = (own.hand + 1) % own.frames.size();
    }
    const std::size_t place = own.hand;
    own.hand = (own.hand + 1) % own.frames.size();
    frame& victim = own.frames[place];
    std::uint64_t* const memory = own.memory.get() + place * words_of_page;
    const auto at = [](std::uint64_t number) { return static_cast<off_t>(number * page_bytes); };
    if (victim.is_dirty && ::pwrite(file_, memory, page_bytes, at(victim.page)) != page_bytes)
      throw std::system_error(errno, std::generic_category(), "write");
    own.places.erase(victim.page);
    victim = {};
    if (::pread(file_, memory, page_bytes, at(page)) != page_bytes)
      throw std::system_error(errno, std::generic_category(), "read");
    victim.page = page;
    own.places.emplace(page, place);
    return place;
  }

  int file_;
  std::vector<part> parts_;
};

}  // namespace perdure::bench
