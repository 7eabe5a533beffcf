#include "crash/expected_violation.hpp"

#include <algorithm>
#include <cstdio>
#include <regex>
#include <sstream>
#include <string_view>

namespace perdure::crash {

namespace {

constexpr std::string_view then = " ... ";

// Line by line: libstdc++ matches by recursion, and what a rig says may be as long as its stack is deep.
bool says(const std::string& violation, const std::string& pattern) {
  std::istringstream lines(violation);
  std::string line;
  std::getline(lines, line);
  for (std::size_t from = 0; from < pattern.size();) {
    const std::size_t to = std::min(pattern.find(then, from), pattern.size());
    const std::regex wanted(pattern.substr(from, to - from));
    std::smatch found;
    while (!std::regex_search(line, found, wanted))
      if (!std::getline(lines, line)) return false;
    line = found.suffix();
    from = to + then.size();
  }
  return true;
}

}  // namespace

bool expected_violation::settles(const std::string& violation) const {
  return !pattern_ || says(violation, *pattern_);
}

int expected_violation::judge(const std::string& violation) const {
  if (!pattern_) return violation.empty() ? 0 : 1;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (violation.empty()) {
    std::printf("not caught in %.1f s\n", seconds);
    return 1;
  }
  if (!settles(violation)) {
    std::printf("after %.1f s a violation that does not say: %s\n", seconds, pattern_->c_str());
    return 1;
  }
  std::printf("caught after %.1f s by: %s\n", seconds, violation.substr(0, violation.find('\n')).c_str());
  return 0;
}

}  // namespace perdure::crash
