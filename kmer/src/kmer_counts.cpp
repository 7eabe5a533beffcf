#include "kmer_counts.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/workload/parallel.hpp>

namespace perdure::kmer::detail {

std::size_t add_up_counts(std::span<kmer_count> sorted) {
  std::size_t kept = 0;
  for (const kmer_count& one : sorted) {
    if (kept == 0 || comes_before(sorted[kept - 1], one)) {
      sorted[kept++] = one;
      continue;
    }
    std::uint32_t& sum = sorted[kept - 1].count;
    if (one.count > std::numeric_limits<std::uint32_t>::max() - sum)
      throw error(errc::unsupported,
                  "a taxon has a k-mer more than 2^32 - 1 times, which an index cannot count");
    sum += one.count;
  }
  return kept;
}

std::uint64_t distinct_kmers(std::span<const kmer_count> sorted) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sum += i == 0 || sorted[i].hash != sorted[i - 1].hash ? 1 : 0;
  return sum;
}

void kmer_counts::merge(unsigned threads, bool all) {
  parts_.merge(
      threads, all, [](const kmer_count& a, const kmer_count& b) { return comes_before(a, b); },
      add_up_counts);
}

bool kmer_counts::subtract(const kmer_counts& other, unsigned threads) {
  std::atomic<bool> is_there{true};
  workload::parallel_for(threads, parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<kmer_count>& all = parts_[i].all;
      auto at = all.begin();
      for (const kmer_count& one : other.part(i)) {
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
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& one) { return one.all.empty(); });
}

std::uint64_t kmer_counts::kmers() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& part : parts_) sum += distinct_kmers(part.all);
  return sum;
}

}  // namespace perdure::kmer::detail
