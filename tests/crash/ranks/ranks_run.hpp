// Runs of the ranks of a set of stores, written down, in which a call fails or a rank is killed; and what may
// be found afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "crash/call_log.hpp"
#include "crash/call_recorder.hpp"

namespace perdure::crash {

/// What befalls one rank.
enum class mishap {
  none,
  kill,         ///< it is killed before a call
  io_error,     ///< a call fails
  no_space,     ///< one that takes space does
  io_errors,    ///< that call and all later ones
  sync_errors,  ///< syncs, from one on
};
const char* name_of(mishap what);

struct planned_mishap {
  mishap what = mishap::none;
  int rank = 0;
  std::uint64_t call = 0;  ///< which of those of that rank that it can befall, counted from 0
};

struct ranks_run {
  disk_image before;
  call_log log;
  std::string problem;        ///< empty, or what went wrong in it
  bool has_happened = false;  ///< what was planned
};

/// The ranks make a set in `root`/set, which is empty, and checkpoints of it, one of which a rank turns down.
/// Each attempt is written down as the first rank begins it, its promise or withdrawal as the first is told.
ranks_run run_ranks(const std::filesystem::path& root, int ranks, std::uint64_t seed,
                    const planned_mishap& planned);

/// What the marks in a log say may be found; attempt 0 is the new set.
class ranks_expectation {
 public:
  ranks_expectation() = default;
  /// Only that.
  explicit ranks_expectation(std::size_t found) : promised_(found), begun_(found) {}
  void learn(const logged_call& call);
  bool may_be_absent() const { return !promised_; }
  /// Empty where attempt `number` may be found, else why not.
  std::string objection(std::size_t number) const;
  std::string text() const;

 private:
  std::optional<std::size_t> promised_;
  std::size_t begun_ = 0;
  std::set<std::size_t> withdrawn_;
};

/// What all ranks find together.
struct found_set {
  bool is_absent = false;
  std::size_t number = 0;  ///< of the attempt
  std::string problem;
};
found_set find_set(const std::filesystem::path& root, int ranks);
/// Makes one more checkpoint of a set that is there, or makes it anew. Empty, or what went wrong.
std::string go_on(const std::filesystem::path& root, int ranks, std::size_t number, bool is_absent);

}  // namespace perdure::crash
