#include "pager_preload/paged_mappings.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/signals_blocked.hpp"
#include "os/forks.hpp"
#include "pager_preload/c_library.hpp"
#include "pager_preload/settings.hpp"

namespace perdure::pager_preload {

namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t whole_pages(std::size_t bytes) noexcept {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

struct range {
  std::byte* begin;
  std::byte* end;
};

struct mapping {
  // Others may work with it while it is unmapped: the last of them ends it.
  std::shared_ptr<pager::region> region;
  std::string name;
  std::byte* base;
  std::size_t bytes;  // whole pages
  std::size_t budget;
  bool is_shared;
  std::vector<range> gone{};  // unmapped already; sorted, apart
};

// Places are never freed, only emptied, so that they can be read without a lock.
struct place {
  std::atomic<std::byte*> base{nullptr};
  std::atomic<std::size_t> bytes{0};
  mapping* what = nullptr;
};

constinit std::array<place, 512> places{};
constinit std::atomic<std::size_t> places_used{0};
constinit std::atomic<std::size_t> mappings{0};
constinit std::size_t budget_in_use = 0;
constinit std::mutex changing;

/// The lock, with signals blocked: a handler that maps or unmaps would wait for the thread it interrupts.
class exclusive {
 public:
  exclusive() : lock_(changing) {}

 private:
  base::signals_blocked quiet_;
  std::scoped_lock<std::mutex> lock_;
};

bool overlap(const place& one, const std::byte* begin, std::size_t bytes) noexcept {
  const std::byte* const base = one.base.load(std::memory_order_acquire);
  if (base == nullptr) return false;
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const auto first = reinterpret_cast<std::uintptr_t>(base);
  return from < first ? first - from < bytes : from - first < one.bytes.load(std::memory_order_relaxed);
}

void report(const mapping& one) noexcept {
  if (!given().is_verbose) return;
  const pager::statistics s = one.region->statistics();
  say("%s: %zu MiB mapped, budget %zu MiB: %llu faults, %llu pages loaded, %llu read ahead, %llu evicted, "
      "%llu MiB read, at most %llu MiB in memory",
      one.name.c_str(), one.bytes >> 20, one.budget >> 20, static_cast<unsigned long long>(s.faults),
      static_cast<unsigned long long>(s.loads), static_cast<unsigned long long>(s.read_ahead),
      static_cast<unsigned long long>(s.evictions), static_cast<unsigned long long>(s.bytes_read >> 20),
      static_cast<unsigned long long>(s.most_resident_bytes >> 20));
}

/// In the lock.
std::unique_ptr<mapping> take_out(place& one) noexcept {
  one.base.store(nullptr, std::memory_order_release);
  mappings.fetch_sub(1);
  budget_in_use -= one.what->budget;
  return std::unique_ptr<mapping>(std::exchange(one.what, nullptr));
}

/// Returns whether a mapping of the file may be paged.
bool is_eligible(std::size_t bytes, int file, off_t offset, const settings& wanted) noexcept {
  struct stat status {};
  if (offset < 0 || offset % static_cast<off_t>(page_bytes) != 0 || ::fstat(file, &status) != 0 ||
      !S_ISREG(status.st_mode))
    return false;
  const int flags = ::fcntl(file, F_GETFL);
  // What a program writes to a file must be seen in its mappings, and the pager would not see it.
  if (flags < 0 || (flags & O_PATH) != 0 ||
      ((flags & O_ACCMODE) != O_RDONLY && !(wanted.writable_files && (flags & O_ACCMODE) == O_RDWR)))
    return false;
  // What lies wholly past the end is the kernel's to answer, and the file may grow.
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (static_cast<std::uint64_t>(offset) + whole_pages(bytes) > whole_pages(size)) return false;
  // These are in memory already.
  struct statfs system {};
  return ::fstatfs(file, &system) == 0 && system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC &&
         system.f_type != HUGETLBFS_MAGIC;
}

std::unique_ptr<mapping> make(std::size_t bytes, int flags, int file, off_t offset,
                              const settings& wanted) noexcept {
  try {
    struct stat status {};
    if (::fstat(file, &status) != 0) return nullptr;
    pager::options o;
    o.budget = wanted.budget;
    o.offset = static_cast<std::uint64_t>(offset);
    // The kernel maps whole pages, as far as the file has them.
    o.bytes =
        std::min<std::uint64_t>(whole_pages(bytes), static_cast<std::uint64_t>(status.st_size) - o.offset);
    auto region = std::make_shared<pager::region>(pager::map(file, o));
    if (region->tier() == pager::tier::plain) return nullptr;
    std::error_code unknown;
    std::string name =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), unknown).string();
    std::byte* const base = region->data();
    return std::make_unique<mapping>(mapping{std::move(region), std::move(name), base, whole_pages(bytes),
                                             wanted.budget, (flags & MAP_TYPE) != MAP_PRIVATE});
  } catch (const std::exception& failure) {
    if (wanted.is_verbose) say("%s: the kernel maps it", failure.what());
    return nullptr;
  }
}

/// Returns whether the mappings that there are leave one more its budget.
bool take_budget(const settings& wanted) noexcept {
  const exclusive here;
  if (wanted.most - std::min(wanted.most, budget_in_use) < wanted.budget) return false;
  budget_in_use += wanted.budget;
  return true;
}
void give_budget_back(std::size_t budget) noexcept {
  const exclusive here;
  budget_in_use -= budget;
}

/// Null: there are too many.
void* list(std::unique_ptr<mapping> made) noexcept {
  const exclusive here;
  const auto free =
      std::find_if(places.begin(), places.end(), [](const place& one) { return one.what == nullptr; });
  if (free == places.end()) return nullptr;
  const auto used = static_cast<std::size_t>(free - places.begin()) + 1;
  std::byte* const base = made->base;
  free->bytes.store(made->bytes, std::memory_order_relaxed);
  free->what = made.release();
  free->base.store(base, std::memory_order_release);
  places_used.store(std::max(places_used.load(), used));
  mappings.fetch_add(1);
  return base;
}

/// Returns `pieces` without `part`.
std::vector<range> without(const std::vector<range>& pieces, range part) {
  std::vector<range> rest;
  for (const range& piece : pieces) {
    const range before{piece.begin, std::min(piece.end, part.begin)};
    const range after{std::max(piece.begin, part.end), piece.end};
    if (before.begin < before.end) rest.push_back(before);
    if (after.begin < after.end) rest.push_back(after);
  }
  return rest;
}

/// Returns the number of bytes of the mapping that are still mapped.
std::size_t bytes_left(const mapping& one) noexcept {
  std::size_t gone = 0;
  for (const range& part : one.gone) gone += static_cast<std::size_t>(part.end - part.begin);
  return one.bytes - gone;
}

void add_gone(mapping& one, range part) {
  std::vector<range> merged;
  merged.reserve(one.gone.size() + 1);
  for (const range& other : one.gone) {
    if (other.end < part.begin || part.end < other.begin) {
      merged.push_back(other);
    } else {
      part = {std::min(part.begin, other.begin), std::max(part.end, other.end)};
    }
  }
  merged.push_back(part);
  std::sort(merged.begin(), merged.end(), [](range a, range b) { return a.begin < b.begin; });
  one.gone = std::move(merged);
}

/// Puts the kernel's mapping in its place. Throws.
void hand_over(const mapping& one) {
  one.region->hand_over(one.is_shared);
  for (const range& part : one.gone)
    kernel::unmap(part.begin, static_cast<std::size_t>(part.end - part.begin));
}

/// The paged mapping that has all these bytes.
std::shared_ptr<pager::region> region_of(const std::byte* begin, std::size_t bytes) noexcept {
  const exclusive here;
  for (std::size_t i = 0; i < places_used.load(); ++i) {
    const place& one = places[i];
    if (overlap(one, begin, bytes) && begin >= one.what->base &&
        bytes <= one.what->bytes - static_cast<std::size_t>(begin - one.what->base))
      return one.what->region;
  }
  return nullptr;
}

// fork copies only the thread that calls it. The pager's memory is not copied: the child gets the kernel's
// mappings in its place.
constinit base::kernel_signals mask_before_fork = 0;
void before_fork() {
  const base::kernel_signals before = base::block_only(base::all_signals);
  changing.lock();
  mask_before_fork = before;
}
void unlock_after_fork() {
  const base::kernel_signals before = mask_before_fork;
  changing.unlock();
  base::block_only(before);
}
void after_fork_in_child() {
  for (std::size_t i = 0; i < places_used.load(); ++i) {
    place& one = places[i];
    if (one.what == nullptr) continue;
    // For ever: other threads of the parent may have been inside.
    const mapping& lost = *take_out(one).release();
    try {
      hand_over(lost);
    } catch (const std::exception& failure) {
      say("%s: %s; a forked child lacks it", lost.name.c_str(), failure.what());
    }
  }
  unlock_after_fork();
}

__attribute__((constructor)) void watch_forks() {
  static constexpr os::fork_handlers handlers{before_fork, unlock_after_fork, after_fork_in_child};
  os::watch_forks(os::fork_layer::program_mappings, handlers);
}

__attribute__((destructor)) void report_all() {
  if (mappings.load() == 0) return;
  const exclusive here;
  for (std::size_t i = 0; i < places_used.load(); ++i)
    if (places[i].what != nullptr) report(*places[i].what);
}

}  // namespace

void* map_paged(std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  // Flags that do not change what the program sees.
  constexpr int harmless = MAP_NORESERVE | MAP_POPULATE | MAP_NONBLOCK | MAP_DENYWRITE | MAP_EXECUTABLE;
  if (protection != PROT_READ || file < 0 || bytes == 0 || (flags & ~(MAP_TYPE | harmless)) != 0)
    return nullptr;
  const settings& wanted = given();
  if (!wanted.is_active || bytes < wanted.threshold || bytes > ~std::size_t{0} / 4 ||
      whole_pages(bytes) <= wanted.budget)
    return nullptr;
  const int saved = errno;
  void* result = nullptr;
  if (is_eligible(bytes, file, offset, wanted) && take_budget(wanted)) {
    if (std::unique_ptr<mapping> made = make(bytes, flags, file, offset, wanted))
      result = list(std::move(made));
    if (result == nullptr) give_budget_back(wanted.budget);
  }
  errno = saved;
  return result;
}

bool is_paged(const void* address, std::size_t bytes) noexcept {
  if (mappings.load(std::memory_order_relaxed) == 0) return false;
  const std::size_t used = places_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i)
    if (overlap(places[i], static_cast<const std::byte*>(address), bytes)) return true;
  return false;
}

int unmap(std::byte* address, std::size_t bytes) noexcept {
  bytes = whole_pages(bytes);
  std::vector<std::unique_ptr<mapping>> ended;
  try {
    std::vector<range> foreign{{address, address + bytes}};
    std::vector<std::pair<std::shared_ptr<pager::region>, pager::byte_range>> dropped;
    {
      const exclusive here;
      for (std::size_t i = 0; i < places_used.load(); ++i) {
        place& one = places[i];
        if (!overlap(one, address, bytes)) continue;
        mapping& what = *one.what;
        const range part{std::max(address, what.base), std::min(address + bytes, what.base + what.bytes)};
        add_gone(what, part);
        foreign = without(foreign, part);
        if (bytes_left(what) == 0) {
          ended.push_back(take_out(one));
        } else {
          const auto offset = static_cast<std::size_t>(part.begin - what.base);
          dropped.emplace_back(what.region,
                               pager::byte_range{offset, static_cast<std::size_t>(part.end - part.begin)});
        }
      }
    }
    for (auto& [region, part] : dropped) {
      // The last page may be longer than the file.
      part.bytes = std::min(part.bytes, region->size() - part.offset);
      region->advise(part, pager::advice::dont_need);
    }
    for (const range& piece : foreign)
      if (kernel::unmap(piece.begin, static_cast<std::size_t>(piece.end - piece.begin)) != 0) return -1;
  } catch (const std::exception&) {
    errno = ENOMEM;
    return -1;
  }
  for (const auto& one : ended) report(*one);
  return 0;
}

bool leave_to_kernel(const void* address, std::size_t bytes) noexcept {
  if (!is_paged(address, bytes)) return true;
  const exclusive here;
  for (std::size_t i = 0; i < places_used.load(); ++i) {
    place& one = places[i];
    if (!overlap(one, static_cast<const std::byte*>(address), bytes)) continue;
    try {
      hand_over(*one.what);
    } catch (const std::exception& failure) {
      say("%s: %s", one.what->name.c_str(), failure.what());
      errno = ENOMEM;
      return false;
    }
    // For ever: threads may still be in a fault that began before.
    const mapping& former = *take_out(one).release();
    report(former);
    if (given().is_verbose) say("%s: left to the kernel from now on", former.name.c_str());
  }
  return true;
}

bool advise(std::byte* address, std::size_t bytes, pager::advice what) noexcept {
  const std::shared_ptr<pager::region> region = region_of(address, bytes);
  if (region == nullptr) return false;
  const auto offset = static_cast<std::size_t>(address - region->data());
  try {
    region->advise({offset, std::min(bytes, region->size() - std::min(offset, region->size()))}, what);
  } catch (const std::exception&) {
    // Advice it is, and no more: what cannot be read will be seen when it is touched.
  }
  return true;
}

bool is_within_one(const void* address, std::size_t bytes) noexcept {
  return region_of(static_cast<const std::byte*>(address), bytes) != nullptr;
}

}  // namespace perdure::pager_preload

/// How many mappings of this process are paged now. For programs that want to know: by dlsym.
extern "C" __attribute__((visibility("default"))) std::size_t perdure_pager_mappings() noexcept {
  return perdure::pager_preload::mappings.load();
}
