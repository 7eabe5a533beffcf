// Fits a line by least squares, around the mean, which loses no digits to large numbers.
#include "linear_fit.hpp"

namespace perdure::cli {

std::optional<linear_fit> fit_line(const std::vector<std::pair<double, double>>& points) {
  if (points.empty()) return std::nullopt;
  const auto count = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const auto& [x, y] : points) mean_x += x / count, mean_y += y / count;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (const auto& [x, y] : points) {
    xx += (x - mean_x) * (x - mean_x);
    xy += (x - mean_x) * (y - mean_y);
    yy += (y - mean_y) * (y - mean_y);
  }
  if (xx == 0) return std::nullopt;
  const double slope = xy / xx;
  return linear_fit{slope, mean_y - slope * mean_x, yy == 0 ? 1 : slope * xy / yy};
}

}  // namespace perdure::cli
