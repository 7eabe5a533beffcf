// A program whose ranks have a set of stores, run and written down while a call fails or a rank is killed;
// and what may be found of it afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "crash/call_log.hpp"

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
  std::size_t first = 0;      ///< of the calls after which crashes are of interest
  std::string problem;        ///< empty, or what went wrong in it
  bool has_happened = false;  ///< what was planned
};

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
  int ranks = 0;           ///< that the set is one of
  std::string problem;
};

class ranks_program {
 public:
  ranks_program() = default;
  ranks_program(const ranks_program&) = delete;
  ranks_program& operator=(const ranks_program&) = delete;
  virtual ~ranks_program() = default;

  /// For people.
  virtual std::string name() const = 0;
  /// So many at most, at one time.
  virtual int ranks() const = 0;
  /// How many runs crash states are spread over where not all of a run can be tried.
  static constexpr std::uint64_t runs = 2;

  /// Makes a set in `root`/set, where nothing is, and works with it. Each attempt is written down as the
  /// first rank begins it, its promise or withdrawal as the first is told.
  virtual ranks_run run(const std::filesystem::path& root, std::uint64_t seed,
                        const planned_mishap& planned) const = 0;
  virtual found_set find(const std::filesystem::path& root) const = 0;
  /// Works on with what was found, or makes the set anew where it is absent. Empty, or what went wrong.
  virtual std::string go_on(const std::filesystem::path& root, const found_set& found) const = 0;
};

}  // namespace perdure::crash
