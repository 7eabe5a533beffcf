// An axis of a plot: from values to places, and where it has ticks.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace perdure::cli {

/// Returns a number in up to six digits, for a picture.
inline std::string short_number(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

/// From values to places along an axis.
class axis {
 public:
  axis(bool is_logarithmic, double first, double last)
      : is_logarithmic_(is_logarithmic), first_(first), last_(last) {}

  void see(double value) {
    if (!shows(value)) return;
    const double at = scaled(value);
    low_ = std::min(low_, at);
    high_ = std::max(high_, at);
  }
  void finish() {
    if (low_ > high_) low_ = 0, high_ = 1;
    if (!is_logarithmic_) low_ = std::min(low_, 0.0);
    if (low_ == high_) high_ = low_ + 1;
  }
  bool shows(double value) const { return std::isfinite(value) && (!is_logarithmic_ || value > 0); }
  double place(double value) const {
    return first_ + (scaled(value) - low_) / (high_ - low_) * (last_ - first_);
  }
  std::vector<double> ticks() const {
    std::vector<double> found;
    const double span = high_ - low_;
    double step = std::pow(10, std::floor(std::log10(span / 5)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
      if (span / (step * factor) <= 8) {
        step *= factor;
        break;
      }
    if (is_logarithmic_) step = std::max(1.0, std::round(step));
    for (double at = std::ceil(low_ / step) * step; at <= high_ + step * 1e-9; at += step)
      found.push_back(is_logarithmic_ ? std::pow(10, at) : at);
    return found;
  }

 private:
  double scaled(double value) const { return is_logarithmic_ ? std::log10(value) : value; }

  bool is_logarithmic_;
  double first_;
  double last_;
  double low_ = 1e300;
  double high_ = -1e300;
};

}  // namespace perdure::cli
