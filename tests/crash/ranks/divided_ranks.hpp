// Ranks that divide the arrays of their set among another number of them, and back.
#pragma once

#include <optional>

#include "crash/ranks/ranks_program.hpp"

namespace perdure::crash {

class divided_ranks final : public ranks_program {
 public:
  divided_ranks(int first, int then) : first_(first), then_(then) {}

  std::string name() const override {
    return std::to_string(first_) + " ranks divided among " + std::to_string(then_) + " and back";
  }
  int ranks() const override { return first_ > then_ ? first_ : then_; }
  ranks_run run(const std::filesystem::path& root, std::uint64_t seed,
                const planned_mishap& planned) const override;
  found_set find(const std::filesystem::path& root) const override;
  /// Divides the set once more, and makes one more checkpoint.
  std::string go_on(const std::filesystem::path& root, const found_set& before) const override;

 private:
  std::optional<std::size_t> number_of(int content, int ranks) const;

  int first_;
  int then_;
};

}  // namespace perdure::crash
