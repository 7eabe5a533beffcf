// The memory of views that a forked child of a writer would lack: it is copied for the child.
#include "forked_views.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace nb = nanobind;

namespace perdure::python {

namespace {

constexpr std::size_t most_copied = std::size_t{1} << 30;

std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

forked_views& forked_views::all() {
  static auto* const one = new forked_views();
  return *one;
}

void forked_views::add(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  const auto first = reinterpret_cast<std::uintptr_t>(data);
  const std::lock_guard lock(mutex_);
  ++ranges_[{first, first + bytes - 1}];
}

void forked_views::remove(const void* data, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  const auto first = reinterpret_cast<std::uintptr_t>(data);
  const std::lock_guard lock(mutex_);
  const auto found = ranges_.find({first, first + bytes - 1});
  if (found != ranges_.end() && --found->second == 0) ranges_.erase(found);
}

void forked_views::before_fork() noexcept {
  mutex_.lock();  // until the fork is over
  std::size_t total = 0;
  std::vector<copied_range> wanted;
  for (const auto& [range, views] : ranges_) {
    const std::uintptr_t begin = range.first & ~(page_size() - 1);
    const std::uintptr_t end = (range.second | (page_size() - 1)) + 1;
    if (!wanted.empty() && begin <= wanted.back().at + wanted.back().bytes) {
      const std::uintptr_t old_end = wanted.back().at + wanted.back().bytes;
      if (end <= old_end) continue;
      wanted.back().bytes = end - wanted.back().at;
      total += end - old_end;
    } else {
      wanted.push_back({begin, end - begin, nullptr});
      total += end - begin;
    }
  }
  if (total > most_copied) return;
  for (copied_range& one : wanted) {
    one.copy = mmap(nullptr, one.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (one.copy == MAP_FAILED) continue;
    std::memcpy(one.copy, reinterpret_cast<const void*>(one.at), one.bytes);
    copies_.push_back(one);
  }
}

void forked_views::after_fork_in_parent() noexcept {
  for (const copied_range& one : copies_) munmap(one.copy, one.bytes);
  copies_.clear();
  mutex_.unlock();
}

void forked_views::after_fork_in_child() noexcept {
  for (const copied_range& one : copies_) {
    mprotect(one.copy, one.bytes, PROT_READ);
    mremap(one.copy, one.bytes, one.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(one.at));
  }
  copies_.clear();
  mutex_.unlock();
}

void bind_forked_views(nb::module_& module) {
  module.def("before_fork", [] { forked_views::all().before_fork(); });
  module.def("after_fork_in_parent", [] { forked_views::all().after_fork_in_parent(); });
  module.def("after_fork_in_child", [] { forked_views::all().after_fork_in_child(); });
}

}  // namespace perdure::python
