// Entries in parts by their hash, which many threads add to and which are merged part by part.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <vector>

namespace perdure::kmer::detail {

/// An `Entry` has a member `hash`. Hashes of a part are smaller than those of the next.
///
/// Thread safety: `add` from any thread; the others while nobody adds.
template <class Entry>
class hash_parts {
 public:
  static constexpr unsigned part_bits = 9;
  static constexpr std::size_t parts = std::size_t{1} << part_bits;

  struct part {
    std::vector<Entry> all;
    std::size_t merged = 0;  ///< number of the first that are sorted and there once
    std::mutex mutex;
  };

  hash_parts() : parts_(parts) {}

  part& operator[](std::size_t number) noexcept { return parts_[number]; }
  const part& operator[](std::size_t number) const noexcept { return parts_[number]; }
  auto begin() const noexcept { return parts_.begin(); }
  auto end() const noexcept { return parts_.end(); }

  void add(std::span<const Entry> some) {
    // Sorted by part first, so that each part is locked once.
    constexpr unsigned shift = 64 - part_bits;
    std::array<std::size_t, parts + 1> ends{};
    for (const Entry& one : some) ++ends[(one.hash >> shift) + 1];
    for (std::size_t i = 0; i < parts; ++i) ends[i + 1] += ends[i];
    std::vector<Entry> sorted(some.size());
    std::array<std::size_t, parts + 1> next = ends;
    for (const Entry& one : some) sorted[next[one.hash >> shift]++] = one;
    for (std::size_t i = 0; i < parts; ++i) {
      if (ends[i] == ends[i + 1]) continue;
      const std::lock_guard lock(parts_[i].mutex);
      parts_[i].all.insert(parts_[i].all.end(), sorted.begin() + static_cast<std::ptrdiff_t>(ends[i]),
                           sorted.begin() + static_cast<std::ptrdiff_t>(ends[i + 1]));
    }
  }

  /// Merges parts that have grown to twice their size, or all of them. `comes_before` orders entries, first
  /// by hash. `keep_each_once` gets all sorted entries of a part, joins those that belong together, and
  /// returns how many are left, which are the first ones then.
  template <class Before, class KeepEachOnce>
  void merge(unsigned threads, bool all, const Before& comes_before, const KeepEachOnce& keep_each_once) {
    constexpr std::size_t least = 4096;
    workload::parallel_for(threads, parts, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        part& here = parts_[i];
        if (!all && here.all.size() <= 2 * here.merged + least) continue;
        const auto added = here.all.begin() + static_cast<std::ptrdiff_t>(here.merged);
        std::sort(added, here.all.end(), comes_before);
        std::inplace_merge(here.all.begin(), added, here.all.end(), comes_before);
        here.merged = keep_each_once(std::span(here.all));
        here.all.resize(here.merged);
      }
    });
  }

 private:
  std::vector<part> parts_;
};

}  // namespace perdure::kmer::detail
