// Remembers the number of this process in a page that the kernel empties in forked children
// (MADV_WIPEONFORK).
#include "base/owner_process.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

namespace perdure::base {

namespace {

using word = std::atomic<std::uint32_t>;
static_assert(word::is_always_lock_free && sizeof(word) == sizeof(std::uint32_t));

// Stands for the page where the kernel does not empty pages in children. It stays 0.
constinit word nothing_remembered{0};
constinit std::atomic<word*> remembered{nullptr};

word* make_page() noexcept {
  const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const page = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return &nothing_remembered;
  // Zero memory is a valid zero atomic on every platform this builds for.
  word* const made =
      ::madvise(page, bytes, MADV_WIPEONFORK) == 0 ? static_cast<word*>(page) : &nothing_remembered;
  word* known = nullptr;
  const bool is_first = remembered.compare_exchange_strong(known, made);
  if (made == &nothing_remembered || !is_first) ::munmap(page, bytes);
  return is_first ? made : known;
}

std::uint32_t look_up(word* page) noexcept {
  if (page == nullptr) page = make_page();
  const auto number = static_cast<std::uint32_t>(::getpid());
  if (page != &nothing_remembered) page->store(number, std::memory_order_relaxed);
  return number;
}

}  // namespace

std::uint32_t this_process() noexcept {
  word* const page = remembered.load(std::memory_order_acquire);
  if (page != nullptr) {
    if (const std::uint32_t number = page->load(std::memory_order_relaxed); number != 0) return number;
  }
  return look_up(page);
}

}  // namespace perdure::base
