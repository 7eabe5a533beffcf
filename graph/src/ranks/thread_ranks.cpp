// Ranks that are threads: messages change hands in a table of boxes, between two barriers.
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/thread_ranks.hpp>
#include <string>
#include <thread>
#include <utility>

namespace perdure::graph {
namespace {

/// The common part of the ranks of one call.
class meeting_place {
 public:
  explicit meeting_place(int ranks)
      : ranks_(static_cast<std::size_t>(ranks)), boxes_(ranks_ * ranks_), numbers_(ranks_) {}

  int size() const noexcept { return static_cast<int>(ranks_); }
  /// The message from one rank to another. Filled before a barrier, and emptied behind it.
  std::vector<std::byte>& box(int from, int to) noexcept {
    return boxes_[static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to)];
  }
  std::vector<std::uint64_t>& numbers(int rank) noexcept { return numbers_[static_cast<std::size_t>(rank)]; }

  /// Waits for all ranks. Throws where one has left.
  void meet() {
    std::unique_lock lock(mutex_);
    require_all();
    if (++waiting_ == ranks_) {
      waiting_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    const std::uint64_t round = round_;
    changed_.wait(lock, [&] { return round_ != round || failed_; });
    if (round_ == round) require_all();
  }

  /// Ends all meetings, because a rank has failed.
  void leave(int rank, std::exception_ptr why) {
    const std::lock_guard lock(mutex_);
    if (!failed_) {
      failed_ = std::move(why);
      first_failed_ = rank;
    }
    changed_.notify_all();
  }
  const std::exception_ptr& failed() const noexcept { return failed_; }

 private:
  void require_all() const {
    if (failed_)
      throw error(errc::rank_failed,
                  "rank " + std::to_string(first_failed_) + " has failed, so that no rank can go on");
  }

  std::size_t ranks_;
  std::vector<std::vector<std::byte>> boxes_;
  std::vector<std::vector<std::uint64_t>> numbers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0;
  std::uint64_t round_ = 0;
  std::exception_ptr failed_;
  int first_failed_ = 0;
};

class thread_rank final : public rank_exchange {
 public:
  thread_rank(meeting_place& place, int rank) : place_(place), rank_(rank) {}

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return place_.size(); }

  std::vector<rank_message> exchange(std::vector<rank_message> messages) override {
    count(messages);
    for (rank_message& one : messages) place_.box(rank_, one.rank) = std::move(one.bytes);
    place_.meet();
    std::vector<rank_message> received;
    for (int from = 0; from < size(); ++from)
      if (auto& bytes = place_.box(from, rank_); !bytes.empty())
        received.push_back({from, std::exchange(bytes, {})});
    place_.meet();
    return received;
  }

  void add_up(std::span<std::uint64_t> numbers) override {
    place_.numbers(rank_).assign(numbers.begin(), numbers.end());
    place_.meet();
    for (int other = 0; other < size(); ++other)
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (other != rank_) numbers[i] += place_.numbers(other)[i];
    place_.meet();
  }

  std::vector<std::uint64_t> gather(std::uint64_t number) override {
    place_.numbers(rank_).assign(1, number);
    place_.meet();
    std::vector<std::uint64_t> all;
    all.reserve(static_cast<std::size_t>(size()));
    for (int other = 0; other < size(); ++other) all.push_back(place_.numbers(other).front());
    place_.meet();
    return all;
  }

 private:
  meeting_place& place_;
  int rank_;
};

}  // namespace

void run_thread_ranks(int ranks, const std::function<void(rank_exchange&)>& work) {
  if (ranks < 1)
    throw error(errc::invalid_argument, std::to_string(ranks) + " ranks: there must be at least one");
  meeting_place place(ranks);
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&place, &work, rank] {
        try {
          thread_rank own(place, rank);
          work(own);
        } catch (...) {
          place.leave(rank, std::current_exception());
        }
      });
  }
  if (place.failed()) std::rethrow_exception(place.failed());
}

}  // namespace perdure::graph
