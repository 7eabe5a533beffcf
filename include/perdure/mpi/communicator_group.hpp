// The ranks of a communicator, as sets of stores need them.
#pragma once

#include <mpi.h>

#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <perdure/detail/rank_group.hpp>
#include <perdure/mpi/own_communicator.hpp>
#include <string>
#include <thread>
#include <vector>

namespace perdure::mpi {

/// The ranks of a communicator, for sets of stores. It talks by a copy of the communicator
/// (`own_communicator`). After MPI_Finalize every member that talks to other ranks throws `invalid_argument`.
/// Used by one thread at a time.
class communicator_group final : public detail::rank_group {
 public:
  /// Copies the communicator. Collective. Throws `invalid_argument` where MPI is not initialised or the
  /// communicator is none, `timed_out`.
  communicator_group(MPI_Comm communicator, std::chrono::milliseconds timeout)
      : communicator_(communicator, timeout, "a set of stores") {
    communicator_.require(MPI_Type_contiguous(static_cast<int>(sizeof(detail::vote)), MPI_BYTE, &vote_type_));
    communicator_.require(MPI_Type_commit(&vote_type_));
    communicator_.require(MPI_Op_create(&add_votes, 1, &addition_));
  }

  ~communicator_group() override {
    if (!communicator_.is_usable()) return;
    MPI_Op_free(&addition_);
    MPI_Type_free(&vote_type_);
  }

  /// Returns this process's rank, or the number of ranks.
  ///@{
  int rank() const noexcept override { return communicator_.rank(); }
  int size() const noexcept override { return communicator_.size(); }
  ///@}

  /// Collective: combines the votes of all ranks. Returns them on rank 0, and anything elsewhere. Throws
  /// `timed_out`, `io`.
  detail::vote reduce(const detail::vote& own) override {
    require_running();
    struct votes {
      detail::vote own;
      detail::vote all;
    };
    auto call = std::make_unique<pending<votes>>(votes{own, own});
    count(counted_.reductions, sizeof own);
    communicator_.require(MPI_Ireduce(&call->value.own, &call->value.all, 1, vote_type_, addition_, 0,
                                      communicator_.get(), &call->request));
    communicator_.wait(call);
    return call->value.all;
  }

  /// Collective: tells all ranks what rank 0 has in `told`. Throws `timed_out`, `io`.
  void broadcast(detail::outcome& told) override {
    require_running();
    auto call = std::make_unique<pending<detail::outcome>>(told);
    count(counted_.broadcasts, sizeof told);
    communicator_.require(MPI_Ibcast(&call->value, static_cast<int>(sizeof told), MPI_BYTE, 0,
                                     communicator_.get(), &call->request));
    communicator_.wait(call);
    told = call->value;
  }

  /// Collective: returns on rank 0 what each rank gave, in their order, and nothing elsewhere. Throws
  /// `timed_out`, `io`.
  std::vector<std::string> gather(const std::string& bytes) override {
    require_running();
    const auto ranks = static_cast<std::size_t>(rank() == 0 ? size() : 0);
    struct lengths {
      int own;
      std::vector<int> all;
    };
    auto sizes =
        std::make_unique<pending<lengths>>(lengths{static_cast<int>(bytes.size()), std::vector<int>(ranks)});
    count(counted_.gathers, sizeof(int) + bytes.size());
    communicator_.require(MPI_Igather(&sizes->value.own, 1, MPI_INT, sizes->value.all.data(), 1, MPI_INT, 0,
                                      communicator_.get(), &sizes->request));
    communicator_.wait(sizes);
    struct parts {
      std::string own;
      std::vector<int> sizes;
      std::vector<int> begins;
      std::string all;
    };
    auto call = std::make_unique<pending<parts>>(parts{bytes, sizes->value.all, {}, {}});
    int end = 0;
    for (const int size : call->value.sizes) {
      call->value.begins.push_back(end);
      end += size;
    }
    call->value.all.resize(static_cast<std::size_t>(end));
    communicator_.require(MPI_Igatherv(call->value.own.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                                       call->value.all.data(), call->value.sizes.data(),
                                       call->value.begins.data(), MPI_BYTE, 0, communicator_.get(),
                                       &call->request));
    communicator_.wait(call);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < ranks; ++i)
      result.push_back(call->value.all.substr(static_cast<std::size_t>(call->value.begins[i]),
                                              static_cast<std::size_t>(call->value.sizes[i])));
    return result;
  }

  /// Returns the most bytes that a rank may give `gather`.
  std::size_t most_gathered() const noexcept override { return static_cast<std::size_t>(INT_MAX / size()); }

  /// Waits a little for what another rank is about to do.
  void pause() override {
    require_running();
    // Lets MPI pass on what others wait for.
    int is_there = 0;
    communicator_.require(
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_.get(), &is_there, MPI_STATUS_IGNORE));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  /// Returns what this rank has sent and been sent.
  traffic counted() const noexcept override { return counted_; }

 private:
  void require_running() {
    communicator_.require_running("checkpoint and close a set of stores before MPI_Finalize");
  }

  static void add_votes(void* from, void* into, int* count, MPI_Datatype*) {
    // Where MPI keeps them they need not be aligned.
    for (int i = 0; i < *count; ++i) {
      detail::vote one;
      detail::vote sum;
      char* const to = static_cast<char*>(into) + static_cast<std::size_t>(i) * sizeof sum;
      std::memcpy(&one, static_cast<const char*>(from) + static_cast<std::size_t>(i) * sizeof one,
                  sizeof one);
      std::memcpy(&sum, to, sizeof sum);
      sum.add(one);
      std::memcpy(to, &sum, sizeof sum);
    }
  }

  void count(std::uint64_t& what, std::size_t bytes) noexcept {
    ++what;
    counted_.bytes += bytes;
  }

  own_communicator communicator_;
  MPI_Datatype vote_type_ = MPI_DATATYPE_NULL;
  MPI_Op addition_ = MPI_OP_NULL;
  traffic counted_;
};

}  // namespace perdure::mpi
