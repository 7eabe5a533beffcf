// Writes lines for faults that end the program.
#include "os/fault_notice.hpp"

#include <array>
#include <exception>
#include <mutex>
#include <utility>

#include "os/standard_error.hpp"

namespace perdure::os {

namespace {

// A range that had a notice. Never freed, as a handler may be reading it.
struct closed_range {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::string line;
  std::optional<fault_watch> watch;

  static bool on_touch(void* self, std::byte*, touch) noexcept {
    write_to_standard_error(static_cast<closed_range*>(self)->line);
    return false;
  }
  void forget() noexcept {
    watch.reset();
    base = nullptr;
  }
  bool overlaps(const std::byte* other, std::size_t size) const noexcept {
    return base != nullptr && other < base + bytes && base < other + size;
  }
};

class closed_ranges {
 public:
  static closed_ranges& all() {
    static auto& them = *new closed_ranges;
    return them;
  }

  void forget(const std::byte* base, std::size_t bytes) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    for (closed_range& one : ranges_)
      if (one.overlaps(base, bytes)) one.forget();
  }

  void remember(std::byte* base, std::size_t bytes, std::string line) noexcept {
    // In a forked child a thread that does not exist there may have it.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    closed_range& one = ranges_[next_];
    next_ = (next_ + 1) % ranges_.size();
    one.forget();
    try {
      one.line = std::move(line);
      one.watch.emplace(base, bytes, watched_touches::unanswered, &closed_range::on_touch, &one);
      one.base = base;
      one.bytes = bytes;
    } catch (const std::exception&) {
      // It is not told.
    }
  }

 private:
  std::mutex mutex_;
  std::array<closed_range, 16> ranges_;
  std::size_t next_ = 0;
};

}  // namespace

fault_notice::fault_notice(std::byte* base, std::size_t bytes, fault_lines lines)
    : base_(base), bytes_(bytes), lines_(std::move(lines)) {
  closed_ranges::all().forget(base, bytes);
  if (!lines_.write.empty())
    of_segv_.emplace(base, bytes, watched_touches::unanswered, &fault_notice::on_segv, this);
  if (!lines_.unreadable.empty())
    of_bus_errors_.emplace(base, bytes, watched_touches::unreadable, &fault_notice::on_bus_error, this);
}

fault_notice::~fault_notice() {
  of_segv_.reset();
  of_bus_errors_.reset();
  if (!lines_.closed.empty()) closed_ranges::all().remember(base_, bytes_, std::move(lines_.closed));
}

bool fault_notice::on_segv(void* self, std::byte*, touch how) noexcept {
  auto& notice = *static_cast<fault_notice*>(self);
  if (how == touch::write && !notice.is_told_.exchange(true)) write_to_standard_error(notice.lines_.write);
  return false;
}

bool fault_notice::on_bus_error(void* self, std::byte*, touch) noexcept {
  auto& notice = *static_cast<fault_notice*>(self);
  if (!notice.is_told_.exchange(true)) write_to_standard_error(notice.lines_.unreadable);
  return false;
}

}  // namespace perdure::os
