#include "kmer_counts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/workload/parallel.hpp>

namespace perdure::kmer::detail {
namespace {

bool comes_before(const kmer_count& a, const kmer_count& b) noexcept {
  return a.hash != b.hash ? a.hash < b.hash : a.node < b.node;
}

}  // namespace

void kmer_counts::add(std::span<const kmer_count> some) {
  // Sorted by part first, so that each part is locked once.
  constexpr unsigned shift = 64 - part_bits;
  std::array<std::size_t, parts + 1> ends{};
  for (const kmer_count& one : some) ++ends[(one.hash >> shift) + 1];
  for (std::size_t i = 0; i < parts; ++i) ends[i + 1] += ends[i];
  std::vector<kmer_count> sorted(some.size());
  std::array<std::size_t, parts + 1> next = ends;
  for (const kmer_count& one : some) sorted[next[one.hash >> shift]++] = one;
  for (std::size_t i = 0; i < parts; ++i) {
    if (ends[i] == ends[i + 1]) continue;
    const std::lock_guard lock(parts_[i].mutex);
    parts_[i].all.insert(parts_[i].all.end(), sorted.begin() + static_cast<std::ptrdiff_t>(ends[i]),
                         sorted.begin() + static_cast<std::ptrdiff_t>(ends[i + 1]));
  }
}

void kmer_counts::merge(count_part& part) {
  std::vector<kmer_count>& all = part.all;
  const auto added = all.begin() + static_cast<std::ptrdiff_t>(part.merged);
  std::sort(added, all.end(), comes_before);
  std::inplace_merge(all.begin(), added, all.end(), comes_before);
  std::size_t kept = 0;
  for (const kmer_count& one : all) {
    if (kept == 0 || comes_before(all[kept - 1], one)) {
      all[kept++] = one;
      continue;
    }
    std::uint32_t& sum = all[kept - 1].count;
    if (one.count > std::numeric_limits<std::uint32_t>::max() - sum)
      throw error(errc::unsupported,
                  "a taxon has a k-mer more than 2^32 - 1 times, which an index cannot count");
    sum += one.count;
  }
  all.resize(kept);
  part.merged = kept;
}

void kmer_counts::merge(unsigned threads, bool all) {
  constexpr std::size_t least = 4096;
  workload::parallel_for(threads, parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (all || parts_[i].all.size() > 2 * parts_[i].merged + least) merge(parts_[i]);
  });
}

bool kmer_counts::subtract(const kmer_counts& other, unsigned threads) {
  std::atomic<bool> is_there{true};
  workload::parallel_for(threads, parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<kmer_count>& all = parts_[i].all;
      auto at = all.begin();
      for (const kmer_count& one : other.parts_[i].all) {
        while (at != all.end() && comes_before(*at, one)) ++at;
        if (at == all.end() || comes_before(one, *at) || at->count < one.count) {
          is_there = false;
          return;
        }
        at->count -= one.count;
      }
      all.erase(std::remove_if(all.begin(), all.end(), [](const kmer_count& one) { return one.count == 0; }),
                all.end());
      parts_[i].merged = all.size();
    }
  });
  return is_there;
}

bool kmer_counts::empty() const noexcept {
  return std::all_of(parts_.begin(), parts_.end(), [](const count_part& one) { return one.all.empty(); });
}

std::uint64_t kmer_counts::kmers() const noexcept {
  std::uint64_t sum = 0;
  for (const count_part& part : parts_)
    for (std::size_t i = 0; i < part.all.size(); ++i)
      sum += i == 0 || part.all[i].hash != part.all[i - 1].hash ? 1 : 0;
  return sum;
}

}  // namespace perdure::kmer::detail
