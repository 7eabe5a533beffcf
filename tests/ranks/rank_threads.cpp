#include "ranks/rank_threads.hpp"

#include <algorithm>
#include <perdure/error.hpp>
#include <thread>

namespace perdure {

namespace {

thread_local int rank_of_this_thread = -1;

}  // namespace

class rank_threads::member final : public detail::rank_group {
 public:
  member(rank_threads& all, int rank, std::uint64_t group) : all_(all), rank_(rank), group_(group) {}

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return all_.size(); }

  detail::vote reduce(const detail::vote& own) override {
    std::unique_lock lock(all_.mutex_);
    require_alive();
    const std::uint64_t number = meetings_++;
    count(counted_.reductions, sizeof own);
    all_.at(group_, number).votes[static_cast<std::size_t>(rank_)] = own;
    all_.happened();
    if (rank_ != 0) return {};
    std::vector<std::optional<detail::vote>>& votes = all_.at(group_, number).votes;
    all_.wait_for(lock, rank_, [&] {
      return std::all_of(votes.begin(), votes.end(), [](const auto& one) { return one.has_value(); });
    });
    ++all_.agreements_;
    detail::vote together = *votes[0];
    for (std::size_t i = 1; i < votes.size(); ++i) together.add(*votes[i]);
    return together;
  }

  void broadcast(detail::outcome& told) override {
    std::unique_lock lock(all_.mutex_);
    require_alive();
    count(counted_.broadcasts, sizeof told);
    std::optional<detail::outcome>& there = all_.at(group_, meetings_ - 1).told;
    if (rank_ == 0) {
      there = told;
      all_.happened();
      return;
    }
    all_.wait_for(lock, rank_, [&] { return there.has_value(); });
    told = *there;
  }

  std::vector<std::string> gather(const std::string& bytes) override {
    std::unique_lock lock(all_.mutex_);
    require_alive();
    count(counted_.gathers, bytes.size());
    std::vector<std::optional<std::string>>& given = all_.at(group_, meetings_ - 1).given;
    given[static_cast<std::size_t>(rank_)] = bytes;
    all_.happened();
    if (rank_ != 0) return {};
    all_.wait_for(lock, rank_, [&] {
      return std::all_of(given.begin(), given.end(), [](const auto& one) { return one.has_value(); });
    });
    std::vector<std::string> result;
    for (const auto& one : given) result.push_back(*one);
    return result;
  }

  std::size_t most_gathered() const noexcept override { return all_.most_gathered_; }

  void pause() override {
    std::unique_lock lock(all_.mutex_);
    require_alive();
    all_.pass(lock, rank_);
  }
  traffic counted() const noexcept override { return counted_; }

 private:
  void require_alive() const {
    if (all_.ranks_[static_cast<std::size_t>(rank_)].is_dead)
      throw error(errc::io, "this rank has been killed");
  }
  void count(std::uint64_t& what, std::size_t bytes) {
    ++what;
    counted_.bytes += bytes;
  }

  rank_threads& all_;
  int rank_;
  std::uint64_t group_;
  std::uint64_t meetings_ = 0;
  traffic counted_;
};

rank_threads::rank_threads(int size, std::uint64_t seed)
    : turns_(static_cast<std::size_t>(size)), random_(seed, 31), ranks_(static_cast<std::size_t>(size)) {}

rank_threads::meeting& rank_threads::at(std::uint64_t group, std::uint64_t number) {
  meeting& here = groups_[group][number];
  here.votes.resize(ranks_.size());
  here.given.resize(ranks_.size());
  return here;
}

int rank_threads::current_rank() {
  return rank_of_this_thread;
}

void rank_threads::kill(int rank) {
  const std::scoped_lock lock(mutex_);
  ranks_[static_cast<std::size_t>(rank)].is_dead = true;
}

bool rank_threads::is_dead(int rank) const {
  const std::scoped_lock lock(mutex_);
  return ranks_[static_cast<std::size_t>(rank)].is_dead;
}

std::unique_ptr<detail::rank_group> rank_threads::group(int rank) {
  const std::scoped_lock lock(mutex_);
  return std::make_unique<member>(*this, rank, ranks_[static_cast<std::size_t>(rank)].groups++);
}

// Lets another one run, and comes back when it is this one's turn again.
void rank_threads::pass(std::unique_lock<std::mutex>& lock, int rank) {
  std::vector<int> others;
  for (int i = 0; i < size(); ++i)
    if (i != rank && ranks_[static_cast<std::size_t>(i)].now != standing::done) others.push_back(i);
  if (others.empty()) return;
  running_ = others[static_cast<std::size_t>(random_.below(others.size()))];
  std::condition_variable& next = turn_of(running_);
  // The other one has the lock for itself when it wakes.
  lock.unlock();
  next.notify_one();
  lock.lock();
  turn_of(rank).wait(lock, [&] { return running_ == rank; });
}

// Where all wait for what will never be, as one of them is dead or has gone, it is as if their time were
// over.
void rank_threads::wait_for(std::unique_lock<std::mutex>& lock, int rank,
                            const std::function<bool()>& is_so) {
  one_rank& own = ranks_[static_cast<std::size_t>(rank)];
  while (!is_so()) {
    own.is_waiting = true;
    own.waited_at = events_;
    const bool is_in_vain = std::all_of(ranks_.begin(), ranks_.end(), [this](const one_rank& one) {
      return one.now == standing::done || (one.is_waiting && one.waited_at == events_);
    });
    if (is_in_vain) {
      own.is_waiting = false;
      happened();
      throw error(errc::timed_out, "other ranks did not come");
    }
    pass(lock, rank);
  }
  own.is_waiting = false;
}

std::vector<std::exception_ptr> rank_threads::run(const program& what) {
  groups_.clear();
  for (one_rank& one : ranks_) one = {};
  running_ = static_cast<int>(random_.below(ranks_.size()));
  std::vector<std::exception_ptr> thrown(ranks_.size());
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size(); ++rank) {
      threads.emplace_back([this, rank, &what, &thrown] {
        rank_of_this_thread = rank;
        {
          std::unique_lock lock(mutex_);
          turn_of(rank).wait(lock, [&] { return running_ == rank; });
        }
        try {
          what(rank, group(rank));
        } catch (...) {
          thrown[static_cast<std::size_t>(rank)] = std::current_exception();
        }
        std::unique_lock lock(mutex_);
        ranks_[static_cast<std::size_t>(rank)].now = standing::done;
        happened();
        std::vector<int> others;
        for (int i = 0; i < size(); ++i)
          if (ranks_[static_cast<std::size_t>(i)].now != standing::done) others.push_back(i);
        if (others.empty()) return;
        running_ = others[static_cast<std::size_t>(random_.below(others.size()))];
        turn_of(running_).notify_one();
      });
    }
  }
  return thrown;
}

}  // namespace perdure
