// Page tracking by userfaultfd's asynchronous write protection (Linux 6.7).
//
// The whole reservation is registered once. A page that is write-protected through it loses that mark at
// the first store, without a signal or a message; one PAGEMAP_SCAN finds the pages without the mark and
// sets it again. A page never touched has no mark either, so a first touch is found too. Left out are
// pages that are still the file's (PAGE_IS_FILE: a private mapping that was only read), the shared
// zero page (anonymous memory that was only read), and places where no page is, neither present nor
// swapped out: the kernel calls them written too, and after an opening nearly all places are such.
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/page_size.hpp"
#include "os/file.hpp"
#include "os/mapping.hpp"
#include "os/page_tracker.hpp"
#include "os/system_error.hpp"
#include "os/write_gate.hpp"

namespace perdure::os {

namespace {

// Kernel interface newer than the headers of the oldest supported distribution.
constexpr int user_mode_only = 1;                             // UFFD_USER_MODE_ONLY: needs no privilege
constexpr std::uint64_t feature_wp_unpopulated = 1ULL << 13;  // UFFD_FEATURE_WP_UNPOPULATED
constexpr std::uint64_t feature_wp_async = 1ULL << 15;        // UFFD_FEATURE_WP_ASYNC

struct scanned_region {  // struct page_region
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t categories;
};

struct scan_request {  // struct pm_scan_arg
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t walk_end;
  std::uint64_t vec;
  std::uint64_t vec_len;
  std::uint64_t max_pages;
  std::uint64_t category_inverted;
  std::uint64_t category_mask;
  std::uint64_t category_anyof_mask;
  std::uint64_t return_mask;
};
static_assert(sizeof(scan_request) == 96);

const unsigned long pagemap_scan = _IOWR('f', 16, scan_request);
constexpr std::uint64_t scan_protect_matching = 1ULL << 0;  // PM_SCAN_WP_MATCHING
constexpr std::uint64_t scan_check_async = 1ULL << 1;       // PM_SCAN_CHECK_WPASYNC
constexpr std::uint64_t page_is_written = 1ULL << 1;
constexpr std::uint64_t page_is_file = 1ULL << 2;
constexpr std::uint64_t page_is_present = 1ULL << 3;
constexpr std::uint64_t page_is_swapped = 1ULL << 4;
constexpr std::uint64_t page_is_zero = 1ULL << 5;

class uffd_tracker final : public page_tracker {
 public:
  explicit uffd_tracker(guarded_range& memory) : base_(memory.base()), hold_(memory) {
    faults_ = file(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | user_mode_only)),
                   "userfaultfd");
    if (!faults_) throw_errno("userfaultfd", "");
    uffdio_api api{};
    api.api = UFFD_API;
    api.features = feature_wp_async | feature_wp_unpopulated;
    if (::ioctl(faults_.descriptor(), UFFDIO_API, &api) != 0) throw_errno("UFFDIO_API", "");
    watch(0, memory.size());
    pagemap_ = file(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), "/proc/self/pagemap");
    if (!pagemap_) throw_errno("open", "/proc/self/pagemap");
  }

  tracker_kind kind() const noexcept override { return tracker_kind::uffd; }
  bool rearms() const noexcept override { return true; }

  void open_range(std::size_t offset, std::size_t bytes) override {
    protect(base_ + offset, bytes, access::read_write);
    hold_.opened(offset + bytes);
  }

  void remapped(const byte_range& part) override { watch(part.offset, part.bytes); }

  void collect(const byte_range& part, std::vector<byte_range>& dirty) override {
    // If it is asked for nothing but the mark, the kernel takes 2 ns a page; if it is asked for all flags
    // that matter, 20. Few pages lack the mark, so the second question is asked about these only.
    unmarked_.clear();
    scan_request quick{};
    quick.flags = scan_check_async;
    quick.category_mask = page_is_written;
    quick.return_mask = page_is_written;
    scan(quick, part, unmarked_);
    join_neighbours();

    scan_request exact{};
    exact.flags = scan_protect_matching | scan_check_async;
    exact.category_inverted = page_is_file | page_is_zero;
    exact.category_mask = page_is_written | page_is_file | page_is_zero;
    exact.category_anyof_mask = page_is_present | page_is_swapped;
    exact.return_mask = page_is_written;
    for (const byte_range& range : unmarked_) scan(exact, range, dirty);
  }

  void hold_writers(const byte_range& part) override { hold_.hold(part.offset, part.bytes); }
  void admit_writers(const byte_range& part) noexcept override { hold_.release(part.offset, part.bytes); }
  void detach() noexcept override { hold_.detach(); }

 private:
  void watch(std::size_t offset, std::size_t bytes) {
    uffdio_register range{};
    range.range.start = reinterpret_cast<std::uintptr_t>(base_) + offset;
    range.range.len = bytes;
    range.mode = UFFDIO_REGISTER_MODE_WP;
    if (::ioctl(faults_.descriptor(), UFFDIO_REGISTER, &range) != 0) throw_errno("UFFDIO_REGISTER", "");
  }

  void scan(scan_request request, const byte_range& range, std::vector<byte_range>& found) {
    const auto base = reinterpret_cast<std::uintptr_t>(base_);
    request.size = sizeof request;
    request.start = base + range.offset;
    request.end = request.start + range.bytes;
    request.vec = reinterpret_cast<std::uintptr_t>(regions_.data());
    request.vec_len = regions_.size();
    while (request.start < request.end) {
      request.walk_end = 0;
      // Room is made first: if an exception here lost what the scan has protected already, that would never
      // be reported again.
      if (found.capacity() - found.size() < regions_.size()) {
        found.reserve(std::max(2 * found.capacity(), found.size() + regions_.size()));
      }
      const int count = ::ioctl(pagemap_.descriptor(), pagemap_scan, &request);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw_errno("PAGEMAP_SCAN", "");
      for (int i = 0; i < count; ++i) {
        const scanned_region& region = regions_[static_cast<std::size_t>(i)];
        found.push_back({region.start - base, region.end - region.start});
      }
      if (request.walk_end <= request.start) break;
      request.start = request.walk_end;
    }
  }

  // Joins pieces where the gap between them is cheaper to look at than another call.
  void join_neighbours() {
    constexpr std::uint64_t widest_gap = std::uint64_t{32} * page_size;
    std::size_t last = 0;
    for (std::size_t i = 1; i < unmarked_.size(); ++i) {
      byte_range& before = unmarked_[last];
      if (unmarked_[i].offset <= before.offset + before.bytes + widest_gap) {
        before.bytes = unmarked_[i].offset + unmarked_[i].bytes - before.offset;
      } else {
        unmarked_[++last] = unmarked_[i];
      }
    }
    if (!unmarked_.empty()) unmarked_.resize(last + 1);
  }

  std::byte* base_;
  file faults_;
  file pagemap_;
  std::array<scanned_region, 1024> regions_;
  std::vector<byte_range> unmarked_;
  write_hold hold_;
};

}  // namespace

std::unique_ptr<page_tracker> make_uffd_tracker(guarded_range& memory) {
  return std::make_unique<uffd_tracker>(memory);
}

}  // namespace perdure::os
