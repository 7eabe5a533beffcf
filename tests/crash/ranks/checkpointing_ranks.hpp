// Ranks that checkpoint objects of their own together, one checkpoint of which one of them turns down.
#pragma once

#include "crash/ranks/ranks_program.hpp"

namespace perdure::crash {

class checkpointing_ranks final : public ranks_program {
 public:
  /// Makes a program of so many ranks. With `is_late` their set is there from its first checkpoint on only.
  explicit checkpointing_ranks(int ranks, bool is_late = false) : ranks_(ranks), is_late_(is_late) {}

  std::string name() const override {
    return std::to_string(ranks_) + " ranks" + (is_late_ ? " of a set that a checkpoint makes" : "");
  }
  int ranks() const override { return ranks_; }
  ranks_run run(const std::filesystem::path& root, std::uint64_t seed,
                const planned_mishap& planned) const override;
  found_set find(const std::filesystem::path& root) const override;
  /// Makes one more checkpoint.
  std::string go_on(const std::filesystem::path& root, const found_set& before) const override;

 private:
  int ranks_;
  bool is_late_;
};

}  // namespace perdure::crash
