// Ranks that divide the arrays of their set among another number of them, and back.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/detail/rank_group.hpp>

#include "crash/ranks/ranks_program.hpp"

namespace perdure::crash {

class divided_ranks final : public ranks_program {
 public:
  /// `by_program`: a divider has rules of its own for some arrays.
  divided_ranks(int first, int then, bool by_program) : first_(first), then_(then), by_program_(by_program) {}

  std::string name() const override {
    return std::to_string(first_) + " ranks divided among " + std::to_string(then_) + " and back" +
           (by_program_ ? ", by a program's rules" : "");
  }
  int ranks() const override { return first_ > then_ ? first_ : then_; }
  ranks_run run(const std::filesystem::path& root, std::uint64_t seed,
                const planned_mishap& planned) const override;
  found_set find(const std::filesystem::path& root) const override;
  /// Divides the set once more, and makes one more checkpoint.
  std::string go_on(const std::filesystem::path& root, const found_set& before) const override;

 private:
  void divide(std::unique_ptr<detail::rank_group> group, const std::filesystem::path& root) const;
  std::optional<std::size_t> number_of(int content, int ranks) const;

  int first_;
  int then_;
  bool by_program_;
};

}  // namespace perdure::crash
