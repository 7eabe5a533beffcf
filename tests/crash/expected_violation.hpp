// What a rig must find: nothing or, in a mutant, the violation that the mutant was planted for.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace perdure::crash {

/// Judges what a rig found. A mutant counts as caught only by the violation that its mistake must cause:
/// another one may be a mistake of the mutant's, of the rig's, or of the store's own, and none of them proves
/// that the rig sees this one.
class expected_violation {
 public:
  /// A violation is expected that says what `pattern` does: a regular expression (ECMAScript) that some line
  /// matches in part, or several joined by " ... ", of which each is found after the one before.
  void expect(const std::string& pattern) { pattern_ = pattern; }
  bool is_expected() const { return pattern_.has_value(); }
  /// Whether a violation ends the search: without a pattern any does, else one that says it.
  bool settles(const std::string& violation) const;
  /// Whether a mutant's violation has been found.
  bool is_caught(const std::string& violation) const {
    return is_expected() && !violation.empty() && settles(violation);
  }
  /// Says in one line how the rig ended, and returns its exit status. `violation` is empty where none was
  /// found. Of a mutant the line is "caught after N s by: …", from which scripts/report-tests.py makes its
  /// table.
  int judge(const std::string& violation) const;

 private:
  std::optional<std::string> pattern_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace perdure::crash
