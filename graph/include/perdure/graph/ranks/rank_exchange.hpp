// Communication between the ranks that hold a graph together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace perdure::graph {

/// Bytes for a rank, or from one.
struct rank_message {
  int rank = 0;                  ///< the rank that the bytes go to, or come from
  std::vector<std::byte> bytes;  ///< content
};

/// The ranks that hold a graph together: `mpi_exchange`, `run_thread_ranks`, `lone_exchange`, or one of your
/// own.
///
/// All functions but `rank`, `size` and the counters are collective: every rank must call the same ones in
/// the same order. They throw `errc::rank_failed` if another rank has failed.
///
/// Thread safety: one thread of a rank calls them.
class rank_exchange {
 public:
  rank_exchange() = default;
  rank_exchange(const rank_exchange&) = delete;
  rank_exchange& operator=(const rank_exchange&) = delete;
  virtual ~rank_exchange() = default;

  /// Returns the number of this rank, from 0.
  virtual int rank() const noexcept = 0;
  /// Returns the number of ranks.
  virtual int size() const noexcept = 0;

  /// Sends each message to its rank, and returns the messages for this rank, in the order of their senders.
  /// Ranks without a message for each other do not communicate. A rank sends at most one message to another
  /// one, and none to itself.
  virtual std::vector<rank_message> exchange(std::vector<rank_message> messages) = 0;
  /// Replaces each number by the sum of the numbers of all ranks at the same place. All ranks must pass the
  /// same count of numbers.
  virtual void add_up(std::span<std::uint64_t> numbers) = 0;
  /// Returns the numbers of all ranks, in the order of the ranks.
  virtual std::vector<std::uint64_t> gather(std::uint64_t number) = 0;

  /// Returns the bytes that this rank has sent by `exchange`.
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }
  /// Returns the number of messages that this rank has sent by `exchange`.
  std::uint64_t messages_sent() const noexcept { return messages_sent_; }

 protected:
  /// Counts messages for `bytes_sent` and `messages_sent`. Implementations call it in `exchange`.
  void count(const std::vector<rank_message>& messages) noexcept {
    for (const rank_message& one : messages) bytes_sent_ += one.bytes.size();
    messages_sent_ += messages.size();
  }

 private:
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t messages_sent_ = 0;
};

/// The only rank of a graph that is in one process.
class lone_exchange final : public rank_exchange {
 public:
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  std::vector<rank_message> exchange(std::vector<rank_message>) override { return {}; }
  void add_up(std::span<std::uint64_t>) override {}
  std::vector<std::uint64_t> gather(std::uint64_t number) override { return {number}; }
};

}  // namespace perdure::graph
