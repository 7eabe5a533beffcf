#include <algorithm>
#include <bit>
#include <perdure/kmer/found_minimizers.hpp>
#include <perdure/kmer/minimizer_table.hpp>
#include <utility>

namespace perdure::kmer {
namespace {

constexpr unsigned part_bits = 9;
constexpr std::size_t least_size = 16;
/// No minimizer has this hash: hashes have fewer than 64 bits, and their lowest ones are 0.
constexpr std::uint64_t unused = ~std::uint64_t{0};

/// Returns the place of a hash in a table, or of `unused` where the hash is not there.
std::size_t place_in(const std::vector<std::uint64_t>& hashes, std::uint64_t hash) {
  const std::size_t mask = hashes.size() - 1;
  std::size_t place = (hash << part_bits) >> (64 - std::countr_zero(hashes.size()));
  while (hashes[place] != unused && hashes[place] != hash) place = (place + 1) & mask;
  return place;
}

}  // namespace

bool found_minimizers::set_part::insert(std::uint64_t hash) {
  if (4 * (used + 1) > 3 * hashes.size()) grow();
  std::uint64_t& place = hashes[place_in(hashes, hash)];
  if (place == hash) return false;
  place = hash;
  ++used;
  return true;
}

void found_minimizers::set_part::grow() {
  std::vector<std::uint64_t> larger(hashes.empty() ? least_size : 2 * hashes.size(), unused);
  for (const std::uint64_t hash : hashes)
    if (hash != unused) larger[place_in(larger, hash)] = hash;
  hashes = std::move(larger);
}

found_minimizers::found_minimizers(const minimizer_index& index)
    : index_(index), parts_(std::size_t{1} << part_bits), counts_(index.taxa() + 1) {}

void found_minimizers::add(std::span<const hit_group> groups) {
  // Sorted, so that each part is locked once, and asked once for what many reads have.
  struct found {
    std::uint64_t hash;
    std::uint32_t taxon;
  };
  std::vector<found> sorted;
  sorted.reserve(groups.size());
  for (const hit_group& one : groups) sorted.push_back({index_.hash()(one.minimizer), one.taxon});
  std::sort(sorted.begin(), sorted.end(), [](const found& a, const found& b) { return a.hash < b.hash; });
  const auto is_same = [](const found& a, const found& b) { return a.hash == b.hash; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), is_same), sorted.end());
  std::vector<std::uint32_t> taxa_of_new;
  for (auto one = sorted.begin(); one != sorted.end();) {
    const std::uint64_t number = one->hash >> (64 - part_bits);
    set_part& part = parts_[number];
    const std::lock_guard lock(part.mutex);
    for (; one != sorted.end() && one->hash >> (64 - part_bits) == number; ++one)
      if (part.insert(one->hash)) taxa_of_new.push_back(one->taxon);
  }
  const std::lock_guard lock(mutex_);
  for (const hit_group& one : groups) ++counts_[one.taxon].all;
  for (const std::uint32_t taxon : taxa_of_new) ++counts_[taxon].distinct;
}

std::vector<minimizer_count> found_minimizers::of_nodes() const {
  std::vector<minimizer_count> nodes(index_.taxonomy().size());
  const std::lock_guard lock(mutex_);
  for (std::uint32_t taxon = 1; taxon < counts_.size(); ++taxon)
    nodes[index_.node_of(taxon)] = counts_[taxon];
  return nodes;
}

}  // namespace perdure::kmer
