// Ranks whose calls are written down, and fail as planned.
#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "crash/call_recorder.hpp"
#include "crash/ranks/ranks_program.hpp"
#include "ranks/rank_threads.hpp"

namespace perdure::crash {

/// Marks each once, as the first rank comes to it. One rank runs at a time.
class first_marks {
 public:
  explicit first_marks(call_recorder& recorder) : recorder_(recorder) {}
  void begin(std::size_t number) {
    if (begun_.insert(number).second) recorder_.mark_attempt(number);
  }
  void promise(std::size_t number) {
    if (promised_.insert(number).second) recorder_.mark_promise(number);
  }
  void withdraw(std::size_t number) {
    if (withdrawn_.insert(number).second) recorder_.mark_withdrawal(number);
  }

 private:
  call_recorder& recorder_;
  std::set<std::size_t> begun_;
  std::set<std::size_t> promised_;
  std::set<std::size_t> withdrawn_;
};

class recorded_ranks {
 public:
  /// Calls in `root` are recorded while it lives.
  recorded_ranks(const std::filesystem::path& root, const planned_mishap& planned);
  ~recorded_ranks();
  recorded_ranks(const recorded_ranks&) = delete;
  recorded_ranks& operator=(const recorded_ranks&) = delete;

  first_marks& marks() { return marks_; }
  /// Runs it on the team, in which what is planned may happen from now on; what each rank has thrown.
  std::vector<std::exception_ptr> run(rank_threads& team, const rank_threads::program& what);
  /// The same before that.
  std::vector<std::exception_ptr> run_unharmed(rank_threads& team, const rank_threads::program& what) {
    return team.run(what);
  }
  bool has_happened() const;
  const call_log& log() const { return recorder_.log(); }

 private:
  class mishap_maker;
  call_recorder recorder_;
  first_marks marks_;
  std::unique_ptr<mishap_maker> maker_;
};

/// After such an error a rank does not know what counts.
bool leaves_in_doubt(errc code);
/// What it says.
std::string text_of(const std::exception_ptr& failure);

}  // namespace perdure::crash
