// The line that lies nearest to points.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace perdure::cli {

struct linear_fit {
  double slope;
  double intercept;  ///< at 0
  double r2;         ///< which part of the variance the line explains, 0 to 1

  double at(double x) const { return intercept + slope * x; }
};

/// By least squares. Nothing where the points do not lie at two or more different places.
std::optional<linear_fit> fit_line(const std::vector<std::pair<double, double>>& points);

}  // namespace perdure::cli
