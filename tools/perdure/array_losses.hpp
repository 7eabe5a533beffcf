// Prints what a file of arrays has and a store does not keep, or the other way round.
#pragma once

#include <cstddef>
#include <filesystem>
#include <perdure/formats/array_source.hpp>

#include "command.hpp"

namespace perdure::cli {

/// Prints each loss in a line on standard error, the first 20 of them.
class array_losses {
 public:
  /// `file` is named in each line. With `is_strict` a loss is an error.
  array_losses(std::filesystem::path file, bool is_strict) : file_(std::move(file)), is_strict_(is_strict) {}

  /// Prints the loss. Throws `unsupported` if losses are errors.
  void add(const formats::loss& one);
  /// Prints how many losses were not printed.
  void finish() const;
  /// Returns all losses, each with `array` and `what`.
  const json& all() const noexcept { return all_; }

 private:
  static constexpr std::size_t most_printed = 20;

  std::filesystem::path file_;
  bool is_strict_;
  json all_ = json::array();
};

/// Adds `--strict`.
void add_strict_option(command target, bool& is_strict);

}  // namespace perdure::cli
