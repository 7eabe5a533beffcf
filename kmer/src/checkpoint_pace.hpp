// When a build makes the checkpoints that it can go on from.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace perdure::kmer::detail {

class checkpoint_pace {
 public:
  /// `make` makes a checkpoint; `interval` is the least time between two within a stage.
  checkpoint_pace(std::chrono::milliseconds interval, std::function<void()> make)
      : interval_(interval), make_(std::move(make)) {}

  bool is_due() const { return std::chrono::steady_clock::now() - last_ >= interval_; }
  void checkpoint() {
    make_();
    last_ = std::chrono::steady_clock::now();
  }

 private:
  std::chrono::milliseconds interval_;
  std::function<void()> make_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace perdure::kmer::detail
