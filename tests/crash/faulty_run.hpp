// A run of the workload under faults, in a process of its own, and the judgement of it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "crash/workload.hpp"

namespace perdure::crash {

/// What may become of a run.
struct fault_rules {
  bool may_strike_again = false;  ///< the fault may meet every call until it is lifted
  bool is_harmless = false;       ///< every call is to be repeated until it works
  bool loses_pages =
      false;              ///< files may come to read as they did before, and the store may ask to be reopened
  unsigned patience = 1;  ///< so many calls may fail before everything must work again
  bool kills = false;     ///< the fault ends the process
};

/// What makes the faults, in the process of the run.
class fault_source {
 public:
  virtual ~fault_source() = default;
  virtual bool struck() const = 0;
  /// From now on everything works.
  virtual void lift() = 0;
};

class faulty_run {
 public:
  static constexpr std::size_t steps = 6;

  faulty_run();
  faulty_run(const faulty_run&) = delete;
  faulty_run& operator=(const faulty_run&) = delete;
  ~faulty_run();

  /// Runs the workload in a child, in which `make_faults` is called first; what it returns lives as long as
  /// the run. The process must end, with an error or without, never by a signal; a handle must be of use
  /// again once the fault is gone. Empty, or what was wrong.
  std::string make(const std::filesystem::path& store, std::uint64_t seed, const fault_rules& rules,
                   const std::function<std::unique_ptr<fault_source>()>& make_faults);
  /// Afterwards the store must hold what it was promised, and be of use. Empty, or what is wrong.
  std::string check(const std::filesystem::path& store, std::uint64_t seed, const fault_rules& rules) const;

  /// Whether the last run's fault struck, and how often a call on the store failed.
  bool struck() const;
  unsigned failures() const;

 private:
  struct report;
  class reporting_witness;

  [[noreturn]] void work(const std::filesystem::path& store, std::uint64_t seed, const fault_rules& rules,
                         fault_source& faults);
  std::string judge(int status, const fault_rules& rules) const;

  report* told_;  // in memory that parent and child share
};

}  // namespace perdure::crash
