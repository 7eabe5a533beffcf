#include "same_command_line.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perdure::cli {
namespace {

/// Words of a command line behind the program's name, each with a zero at its end.
std::string words_of(int argc, const char* const* argv) {
  std::string words;
  for (int i = 1; i < argc; ++i) words.append(argv[i]).push_back('\0');
  return words;
}

/// Returns the first word of `own` that differs from `other`; empty where `own` ends.
std::string first_difference(const std::string& own, const std::string& other) {
  const auto at = std::mismatch(own.begin(), own.end(), other.begin(), other.end()).first - own.begin();
  const std::size_t before = at == 0 ? std::string::npos : own.rfind('\0', static_cast<std::size_t>(at) - 1);
  return own.c_str() + (before == std::string::npos ? 0 : before + 1);
}

std::string told(const std::string& word) {
  return word.empty() ? "nothing more" : '\'' + word + '\'';
}

}  // namespace

void require_same_command_line(graph::rank_exchange& ranks, int argc, const char* const* argv) {
  const std::string own = words_of(argc, argv);
  const std::vector<std::uint64_t> all = ranks.gather(std::hash<std::string>()(own));
  const auto other = std::find_if(all.begin(), all.end(), [&](std::uint64_t one) { return one != all[0]; });
  if (other == all.end()) return;
  const auto rank = static_cast<int>(other - all.begin());
  std::vector<graph::rank_message> sent;
  if (ranks.rank() == 0) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(own.data());
    sent.push_back({rank, {bytes, bytes + own.size()}});
  }
  std::optional<error> difference;
  for (const graph::rank_message& one : ranks.exchange(std::move(sent))) {
    const std::string first(reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size());
    difference.emplace(errc::invalid_argument, "rank " + std::to_string(rank) + " was started with " +
                                                   told(first_difference(own, first)) + " where rank 0 has " +
                                                   told(first_difference(first, own)) +
                                                   ": start all ranks with the same options");
  }
  graph::throw_first_error(ranks, difference);
}

}  // namespace perdure::cli
