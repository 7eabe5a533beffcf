// The distribution of degrees.
#include <bit>
#include <perdure/graph/degrees.hpp>

namespace perdure::graph {

degree_distribution::degree_distribution(const std::vector<std::uint64_t>& degrees) {
  std::uint64_t sum = 0;
  for (const std::uint64_t degree : degrees) {
    ++vertices[degree];
    sum += degree;
  }
  if (degrees.empty()) return;
  smallest = vertices.begin()->first;
  largest = vertices.rbegin()->first;
  mean = static_cast<double>(sum) / static_cast<double>(degrees.size());
  const auto at = [&](std::uint64_t rank) {
    for (const auto& [degree, count] : vertices) {
      if (rank < count) return static_cast<double>(degree);
      rank -= count;
    }
    return static_cast<double>(largest);
  };
  median = (at((degrees.size() - 1) / 2) + at(degrees.size() / 2)) / 2;
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
