// How `perdure kmer classify` reads an index that is larger than memory, and what it prints about that.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <perdure/kmer/batch_lookup.hpp>
#include <perdure/kmer/classify_files.hpp>

#include "command.hpp"
#include "output.hpp"

namespace perdure::cli {

/// Options `--budget` and `--plan`.
struct plan_options {
  std::uint64_t budget = 0;  ///< bytes; 0: the index is mapped
  kmer::lookup_plan plan = kmer::lookup_plan::automatic;

  /// Throws `usage_error` where they do not go together.
  void check() const;
  /// Returns the part of the budget that the store gets. It is for all that look-ups do not read.
  std::uint64_t of_store() const noexcept { return budget / 8; }
  /// Sets what classification has of the budget, beside the store and the process itself.
  void set(kmer::classify_options& how) const;
};

void add_plan_options(command target, plan_options& given);

/// The choices of the automatic plan.
///
/// Thread safety: one thread at a time.
class plan_choices {
 public:
  /// `prints`: whether the first choice is printed on standard error.
  explicit plan_choices(bool prints) noexcept : prints_(prints) {}

  void add(const kmer::plan_choice& made);
  /// Returns what is told with `--json`: the plan, the last choice, and what was read by each plan.
  json told(const plan_options& given, const kmer::classify_result& found) const;

 private:
  bool prints_;
  std::optional<kmer::plan_choice> last_;
};

/// Writes a line for each plan by which pages were read.
void write_plans(output& out, const kmer::classify_result& found);

}  // namespace perdure::cli
