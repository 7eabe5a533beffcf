// The distribution of degrees.
#include <bit>
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

std::vector<degree_distribution::bin> degree_distribution::bins() const {
  std::vector<bin> all;
  for (const auto& [degree, count] : vertices) {
    const auto index = static_cast<std::size_t>(std::bit_width(degree));
    while (all.size() <= index) {
      const std::size_t width = all.size();
      all.push_back(width == 0
                        ? bin{0, 0, 0}
                        : bin{std::uint64_t{1} << (width - 1), (std::uint64_t{1} << (width - 1)) * 2 - 1, 0});
    }
    all[index].vertices += count;
  }
  return all;
}

}  // namespace perdure::graph
