// The distribution of degrees.
#include <cmath>
#include <perdure/graph/degrees.hpp>
#include <utility>

namespace perdure::graph {

namespace {

std::map<std::uint64_t, std::uint64_t> counts_of(const std::vector<std::uint64_t>& degrees) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const std::uint64_t degree : degrees) ++counts[degree];
  return counts;
}

}  // namespace

degree_distribution::degree_distribution(const std::vector<std::uint64_t>& degrees)
    : degree_distribution(counts_of(degrees)) {}

degree_distribution::degree_distribution(std::map<std::uint64_t, std::uint64_t> counts)
    : vertices(std::move(counts)) {
  if (vertices.empty()) return;
  std::uint64_t all = 0;
  std::uint64_t sum = 0;
  for (const auto& [degree, count] : vertices) {
    all += count;
    sum += degree * count;
  }
  smallest = vertices.begin()->first;
  largest = vertices.rbegin()->first;
  mean = static_cast<double>(sum) / static_cast<double>(all);
  const auto at = [&](std::uint64_t rank) {
    for (const auto& [degree, count] : vertices) {
      if (rank < count) return static_cast<double>(degree);
      rank -= count;
    }
    return static_cast<double>(largest);
  };
  median = (at((all - 1) / 2) + at(all / 2)) / 2;
}

std::vector<degree_distribution::bin> degree_distribution::bins(unsigned per_doubling) const {
  std::vector<bin> all;
  if (vertices.empty()) return all;
  all.push_back({0, 0, 0});
  for (unsigned step = 1; all.back().to < largest; ++step) {
    const std::uint64_t from = all.back().to + 1;
    // The next bin begins behind this one's last degree.
    const double next = std::exp2(static_cast<double>(step) / per_doubling);
    if (next >= 0x1p64)
      all.push_back({from, ~std::uint64_t{0}, 0});
    else if (const auto end = static_cast<std::uint64_t>(std::ceil(next)); end > from)
      all.push_back({from, end - 1, 0});
  }
  auto place = all.begin();
  for (const auto& [degree, count] : vertices) {
    while (place->to < degree) ++place;
    place->vertices += count;
  }
  return all;
}

}  // namespace perdure::graph
