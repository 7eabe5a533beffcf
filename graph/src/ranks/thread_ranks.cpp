// Ranks that are threads: messages change hands in a table of boxes, at a barrier.
#include <atomic>
#include <cstddef>
#include <cstdint>
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
///
/// A rank fills its boxes before a meeting, and the others empty them behind it. Meanwhile it may fill boxes
/// for the next meeting: so there are two of each, for even and for odd meetings.
class meeting_place {
 public:
  explicit meeting_place(int ranks)
      : ranks_(static_cast<std::size_t>(ranks)), boxes_(2 * ranks_ * ranks_), numbers_(2 * ranks_) {}

  int size() const noexcept { return static_cast<int>(ranks_); }
  /// The message from one rank to another. Filled before a meeting, and emptied behind it.
  std::vector<std::byte>& box(bool is_odd, int from, int to) noexcept {
    return boxes_[((is_odd ? ranks_ : 0) + static_cast<std::size_t>(from)) * ranks_ +
                  static_cast<std::size_t>(to)];
  }
  std::vector<std::uint64_t>& numbers(bool is_odd, int rank) noexcept {
    return numbers_[(is_odd ? ranks_ : 0) + static_cast<std::size_t>(rank)];
  }

  /// Waits for all ranks. Throws where one has left.
  void meet() {
    std::uint32_t now = meetings_.load();
    if ((now & has_failed) != 0) throw_failed();
    if (waiting_.fetch_add(1) + 1 == ranks_) {
      waiting_ = 0;
      meetings_.fetch_add(a_meeting);
      meetings_.notify_all();
      return;
    }
    const std::uint32_t before = now;
    while (now == before) {
      meetings_.wait(now);
      now = meetings_.load();
    }
    if (now == (before | has_failed)) throw_failed();
  }

  /// Ends all meetings, because a rank has failed.
  void leave(int rank, std::exception_ptr why) {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    failed_ = std::move(why);
    first_failed_ = rank;
    meetings_.fetch_or(has_failed);
    meetings_.notify_all();
  }
  const std::exception_ptr& failed() const noexcept { return failed_; }

 private:
  static constexpr std::uint32_t has_failed = 1;
  static constexpr std::uint32_t a_meeting = 2;

  [[noreturn]] void throw_failed() const {
    throw error(errc::rank_failed,
                "rank " + std::to_string(first_failed_) + " has failed, so that no rank can go on");
  }

  std::size_t ranks_;
  std::vector<std::vector<std::byte>> boxes_;
  std::vector<std::vector<std::uint64_t>> numbers_;
  std::atomic<std::size_t> waiting_{0};
  // Meetings that were held, twice their number modulo 2^32, and `has_failed`: as large as the kernel waits
  // for.
  std::atomic<std::uint32_t> meetings_{0};
  std::mutex mutex_;
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
    for (rank_message& one : messages) place_.box(is_odd_, rank_, one.rank) = std::move(one.bytes);
    const bool was_odd = meet();
    std::vector<rank_message> received;
    for (int from = 0; from < size(); ++from)
      if (auto& bytes = place_.box(was_odd, from, rank_); !bytes.empty())
        received.push_back({from, std::exchange(bytes, {})});
    return received;
  }

  void add_up(std::span<std::uint64_t> numbers) override {
    place_.numbers(is_odd_, rank_).assign(numbers.begin(), numbers.end());
    const bool was_odd = meet();
    for (int other = 0; other < size(); ++other)
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (other != rank_) numbers[i] += place_.numbers(was_odd, other)[i];
  }

  std::vector<std::uint64_t> gather(std::uint64_t number) override {
    place_.numbers(is_odd_, rank_).assign(1, number);
    const bool was_odd = meet();
    std::vector<std::uint64_t> all;
    all.reserve(static_cast<std::size_t>(size()));
    for (int other = 0; other < size(); ++other) all.push_back(place_.numbers(was_odd, other).front());
    return all;
  }

 private:
  /// Returns whether this was an odd meeting.
  bool meet() {
    place_.meet();
    return std::exchange(is_odd_, !is_odd_);
  }

  meeting_place& place_;
  int rank_;
  bool is_odd_ = false;
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
