// Communication by MPI between the ranks that have a graph together.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <perdure/mpi/own_communicator.hpp>
#include <span>
#include <utility>
#include <vector>

namespace perdure::graph {

/// The ranks of a communicator. Messages travel only between ranks that have one for each other, and no rank
/// knows beforehand who sends to it. A rank enters a barrier once its own messages have arrived; when the
/// barrier is passed, all have arrived (Hoefler, Siebert, Lumsdaine: "Scalable Communication Protocols for
/// Dynamic Sparse Data Exchange", PPoPP 2010). A message of any length is sent in pieces.
///
/// Calls wait like those of sets of stores (`own_communicator`). They throw `timed_out` if other ranks do not
/// arrive, and `io` if MPI fails.
///
/// Thread safety: one thread of a rank calls it; MPI_THREAD_FUNNELED is enough.
class mpi_exchange final : public rank_exchange {
 public:
  /// Collective. Works on a copy of `communicator`. A piece has at most `piece` bytes, from 1 to 2^30, the
  /// same on all ranks. Throws `invalid_argument` if MPI is not initialised or the communicator is null, and
  /// `timed_out`.
  explicit mpi_exchange(MPI_Comm communicator, std::chrono::milliseconds timeout = std::chrono::minutes(10),
                        std::size_t piece = std::size_t{1} << 30)
      : communicator_(communicator, timeout, "a graph of ranks", pace), piece_(piece) {}

  int rank() const noexcept override { return communicator_.rank(); }
  int size() const noexcept override { return communicator_.size(); }

  std::vector<rank_message> exchange(std::vector<rank_message> messages) override {
    require_running();
    count(messages);
    // A rank may be at the next exchange already while another has not seen the end of this one.
    tag_ = 1 - tag_;
    auto call = std::make_unique<round>();
    call->sent = std::move(messages);
    communicator_.wait_until(call, [&] { return is_complete(*call); });
    std::vector<rank_message> received;
    received.reserve(call->received.size());
    for (auto& [from, bytes] : call->received) received.push_back({from, std::move(bytes)});
    return received;
  }

  void add_up(std::span<std::uint64_t> numbers) override {
    require_running();
    struct sums {
      std::vector<std::uint64_t> own;
      std::vector<std::uint64_t> all;
    };
    for (std::size_t done = 0; done < numbers.size();) {
      const std::span<std::uint64_t> some =
          numbers.subspan(done, std::min<std::size_t>(numbers.size() - done, INT_MAX));
      auto call = std::make_unique<mpi::pending<sums>>(sums{
          std::vector<std::uint64_t>(some.begin(), some.end()), std::vector<std::uint64_t>(some.size())});
      communicator_.require(MPI_Iallreduce(call->value.own.data(), call->value.all.data(),
                                           static_cast<int>(some.size()), MPI_UINT64_T, MPI_SUM,
                                           communicator_.get(), &call->request));
      communicator_.wait(call);
      std::copy(call->value.all.begin(), call->value.all.end(), some.begin());
      done += some.size();
    }
  }

  std::vector<std::uint64_t> gather(std::uint64_t number) override {
    require_running();
    struct numbers {
      std::uint64_t own;
      std::vector<std::uint64_t> all;
    };
    auto call = std::make_unique<mpi::pending<numbers>>(
        numbers{number, std::vector<std::uint64_t>(static_cast<std::size_t>(size()))});
    communicator_.require(MPI_Iallgather(&call->value.own, 1, MPI_UINT64_T, call->value.all.data(), 1,
                                         MPI_UINT64_T, communicator_.get(), &call->request));
    communicator_.wait(call);
    return std::move(call->value.all);
  }

 private:
  // MPI brings large messages on only while it is asked, and ranks are mostly as fast as each other.
  static constexpr perdure::detail::asking_pace pace{std::chrono::milliseconds(2),
                                                     std::chrono::microseconds(100)};

  /// An exchange under way.
  struct round {
    std::vector<rank_message> sent;
    std::vector<MPI_Request> sends;
    std::map<int, std::vector<std::byte>> received;
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool is_begun = false;
    bool is_in_barrier = false;
  };

  void require_running() {
    communicator_.require_running("use a graph of ranks between MPI_Init and MPI_Finalize");
  }

  /// Sends whole pieces and then a shorter one, which may be empty: with it the message ends.
  void send(round& call, rank_message& one) {
    std::size_t done = 0;
    for (bool is_last = false; !is_last;) {
      const std::size_t length = std::min(one.bytes.size() - done, piece_);
      is_last = length < piece_;
      MPI_Request& request = call.sends.emplace_back(MPI_REQUEST_NULL);
      communicator_.require(MPI_Issend(one.bytes.data() + done, static_cast<int>(length), MPI_BYTE, one.rank,
                                       tag_, communicator_.get(), &request));
      done += length;
    }
  }

  /// Sends at its first call, and receives what has arrived. Returns whether all messages of all ranks have.
  bool is_complete(round& call) {
    if (!call.is_begun) {
      call.is_begun = true;
      for (rank_message& one : call.sent) send(call, one);
    }
    while (receive_one(call)) {
    }
    int done = 0;
    if (!call.is_in_barrier) {
      communicator_.require(
          MPI_Testall(static_cast<int>(call.sends.size()), call.sends.data(), &done, MPI_STATUSES_IGNORE));
      if (done == 0) return false;
      communicator_.require(MPI_Ibarrier(communicator_.get(), &call.barrier));
      call.is_in_barrier = true;
    }
    communicator_.require(MPI_Test(&call.barrier, &done, MPI_STATUS_IGNORE));
    return done != 0;
  }

  bool receive_one(round& call) {
    int is_there = 0;
    MPI_Status status;
    communicator_.require(MPI_Iprobe(MPI_ANY_SOURCE, tag_, communicator_.get(), &is_there, &status));
    if (is_there == 0) return false;
    int length = 0;
    communicator_.require(MPI_Get_count(&status, MPI_BYTE, &length));
    std::vector<std::byte>& bytes = call.received[status.MPI_SOURCE];
    const std::size_t end = bytes.size();
    bytes.resize(end + static_cast<std::size_t>(length));
    communicator_.require(MPI_Recv(bytes.data() + end, length, MPI_BYTE, status.MPI_SOURCE, tag_,
                                   communicator_.get(), MPI_STATUS_IGNORE));
    return true;
  }

  mpi::own_communicator communicator_;
  std::size_t piece_;
  int tag_ = 0;
};

}  // namespace perdure::graph
