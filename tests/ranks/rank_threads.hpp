// Threads of one process as the ranks of a program. One runs at a time, and goes on until it has to wait for
// another, so that a run is the same each time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <perdure/detail/rank_group.hpp>
#include <string>
#include <vector>

#include "support/random_stream.hpp"

namespace perdure {

class rank_threads {
 public:
  /// Which of those that may run is next follows from the seed.
  explicit rank_threads(int size, std::uint64_t seed = 1);

  using program = std::function<void(int rank, std::unique_ptr<detail::rank_group> group)>;
  /// Runs the program on all ranks. What each has thrown, or null.
  std::vector<std::exception_ptr> run(const program& what);

  int size() const { return static_cast<int>(ranks_.size()); }
  /// From now on this rank takes part in nothing. Called by any thread.
  void kill(int rank);
  bool is_dead(int rank) const;
  /// Of the calling thread; -1 for others.
  static int current_rank();
  /// Another group of all ranks, for a second set.
  std::unique_ptr<detail::rank_group> group(int rank);
  /// What `most_gathered` of its groups says.
  void limit_gathers(std::size_t bytes) { most_gathered_ = bytes; }
  /// How often all ranks have come to an agreement.
  std::uint64_t agreements() const { return agreements_; }

 private:
  class member;
  enum class standing { runnable, done };
  struct one_rank {
    standing now = standing::runnable;
    bool is_waiting = false;
    std::uint64_t waited_at = 0;  // the events that it has seen in vain
    std::uint64_t groups = 0;     // that it has asked for
    bool is_dead = false;
  };
  struct meeting {
    std::vector<std::optional<detail::vote>> votes;
    std::vector<std::optional<std::string>> given;
    std::optional<detail::outcome> told;
  };
  // Of one group, by the number of its agreement.
  using meetings = std::map<std::uint64_t, meeting>;

  void happened() { ++events_; }
  void pass(std::unique_lock<std::mutex>& lock, int rank);
  void wait_for(std::unique_lock<std::mutex>& lock, int rank, const std::function<bool()>& is_so);
  std::condition_variable& turn_of(int rank) { return turns_[static_cast<std::size_t>(rank)]; }
  meeting& at(std::uint64_t group, std::uint64_t number);

  mutable std::mutex mutex_;
  // One of each rank, so that only the one is woken whose turn it is.
  std::vector<std::condition_variable> turns_;
  random_stream random_;
  std::vector<one_rank> ranks_;
  std::map<std::uint64_t, meetings> groups_;
  int running_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t agreements_ = 0;
  std::size_t most_gathered_ = std::size_t{1} << 30;
};

}  // namespace perdure
