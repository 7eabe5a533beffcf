// Communication between the ranks that have a graph together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace perdure::graph {

/// Bytes for a rank, or from one.
struct rank_message {
  int rank = 0;
  std::vector<std::byte> bytes;
};

/// The ranks that have a graph together. All functions but `rank` and `size` are collective: every rank calls
/// the same ones in the same order. They throw `errc::rank_failed` where another rank has failed.
///
/// Thread safety: one thread of a rank calls them.
class rank_exchange {
 public:
  rank_exchange() = default;
  rank_exchange(const rank_exchange&) = delete;
  rank_exchange& operator=(const rank_exchange&) = delete;
  virtual ~rank_exchange() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;

  /// Sends each message to its rank, and returns the messages for this one, in the order of the ranks that
  /// sent them. Nothing is sent between two ranks that have no message for each other. A rank sends at most
  /// one message to another one, and none to itself.
  virtual std::vector<rank_message> exchange(std::vector<rank_message> messages) = 0;
  /// Replaces each number by the sum of all ranks' numbers at the same place.
  virtual void add_up(std::span<std::uint64_t> numbers) = 0;
  /// Returns the numbers of all ranks, in their order.
  virtual std::vector<std::uint64_t> gather(std::uint64_t number) = 0;

  /// Bytes that this rank has sent by `exchange`.
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }
  /// Messages that this rank has sent by `exchange`.
  std::uint64_t messages_sent() const noexcept { return messages_sent_; }

 protected:
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
