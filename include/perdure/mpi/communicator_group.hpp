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
#include <perdure/detail/rank_wait.hpp>
#include <perdure/error.hpp>
#include <string>
#include <thread>
#include <vector>

namespace perdure::mpi {

/// Has a communicator of its own, so that its messages meet no others. Messages are waited for by asking for
/// them from time to time: who waits does not take a processor from who computes. Where the time is over the
/// communicator and what is under way in it are left as they are, since MPI lets nobody take them back.
///
/// It makes calls of MPI in the thread that uses it only, so MPI_THREAD_FUNNELED is enough. After
/// MPI_Finalize every member that talks to other ranks throws `invalid_argument`.
class communicator_group final : public detail::rank_group {
 public:
  /// Collective. `invalid_argument` where MPI is not initialised or the communicator is none, `timed_out`.
  communicator_group(MPI_Comm communicator, std::chrono::milliseconds timeout) : timeout_(timeout) {
    int is_initialized = 0;
    MPI_Initialized(&is_initialized);
    if (is_initialized == 0 || has_ended())
      throw error(errc::invalid_argument,
                  "MPI is not initialised, or has ended: a set of stores is opened between MPI_Init and "
                  "MPI_Finalize");
    if (communicator == MPI_COMM_NULL)
      throw error(errc::invalid_argument, "a set of stores cannot be opened on MPI_COMM_NULL");
    auto made = std::make_unique<pending<MPI_Comm>>(MPI_COMM_NULL);
    require(MPI_Comm_idup(communicator, &made->value, &made->request));
    wait(made);
    communicator_ = made->value;
    require(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
    require(MPI_Comm_rank(communicator_, &rank_));
    require(MPI_Comm_size(communicator_, &size_));
    require(MPI_Type_contiguous(static_cast<int>(sizeof(detail::vote)), MPI_BYTE, &vote_type_));
    require(MPI_Type_commit(&vote_type_));
    require(MPI_Op_create(&add_votes, 1, &addition_));
  }

  ~communicator_group() override {
    if (is_left_ || has_ended()) return;
    MPI_Op_free(&addition_);
    MPI_Type_free(&vote_type_);
    MPI_Comm_free(&communicator_);
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }

  detail::vote reduce(const detail::vote& own) override {
    require_running();
    struct votes {
      detail::vote own;
      detail::vote all;
    };
    auto call = std::make_unique<pending<votes>>(votes{own, own});
    count(counted_.reductions, sizeof own);
    require(MPI_Ireduce(&call->value.own, &call->value.all, 1, vote_type_, addition_, 0, communicator_,
                        &call->request));
    wait(call);
    return call->value.all;
  }

  void broadcast(detail::outcome& told) override {
    require_running();
    auto call = std::make_unique<pending<detail::outcome>>(told);
    count(counted_.broadcasts, sizeof told);
    require(
        MPI_Ibcast(&call->value, static_cast<int>(sizeof told), MPI_BYTE, 0, communicator_, &call->request));
    wait(call);
    told = call->value;
  }

  std::vector<std::string> gather(const std::string& bytes) override {
    require_running();
    const auto ranks = static_cast<std::size_t>(rank_ == 0 ? size_ : 0);
    struct lengths {
      int own;
      std::vector<int> all;
    };
    auto sizes =
        std::make_unique<pending<lengths>>(lengths{static_cast<int>(bytes.size()), std::vector<int>(ranks)});
    count(counted_.gathers, sizeof(int) + bytes.size());
    require(MPI_Igather(&sizes->value.own, 1, MPI_INT, sizes->value.all.data(), 1, MPI_INT, 0, communicator_,
                        &sizes->request));
    wait(sizes);
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
    require(MPI_Igatherv(call->value.own.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                         call->value.all.data(), call->value.sizes.data(), call->value.begins.data(),
                         MPI_BYTE, 0, communicator_, &call->request));
    wait(call);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < ranks; ++i)
      result.push_back(call->value.all.substr(static_cast<std::size_t>(call->value.begins[i]),
                                              static_cast<std::size_t>(call->value.sizes[i])));
    return result;
  }

  std::size_t most_gathered() const noexcept override { return static_cast<std::size_t>(INT_MAX / size_); }

  void pause() override {
    require_running();
    // Lets MPI pass on what others wait for.
    int is_there = 0;
    require(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &is_there, MPI_STATUS_IGNORE));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  traffic counted() const noexcept override { return counted_; }

 private:
  // A call under way, with all that MPI reads and writes meanwhile.
  template <class Value>
  struct pending {
    explicit pending(Value initial) : value(std::move(initial)) {}
    Value value;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  static bool has_ended() {
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    return is_finalized != 0;
  }

  // MPI ends the whole program where one of its functions is called after its end.
  void require_running() {
    if (!has_ended()) return;
    is_left_ = true;
    throw error(errc::invalid_argument,
                "MPI has ended, and no rank can be asked: checkpoint and close a set of stores before "
                "MPI_Finalize");
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

  void require(int status) {
    if (status == MPI_SUCCESS) return;
    is_left_ = true;
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw error(errc::io, "a message to the other ranks failed: " + std::string(text));
  }

  template <class Value>
  void wait(std::unique_ptr<pending<Value>>& call) {
    const auto is_done = [&] {
      int done = 0;
      const int status = MPI_Test(&call->request, &done, MPI_STATUS_IGNORE);
      if (status != MPI_SUCCESS) static_cast<void>(call.release());
      require(status);
      return done != 0;
    };
    if (detail::wait_until_done(is_done, timeout_)) return;
    is_left_ = true;
    static_cast<void>(call.release());  // MPI may still write there
    detail::throw_waited_in_vain(rank_, timeout_);
  }

  std::chrono::milliseconds timeout_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  MPI_Datatype vote_type_ = MPI_DATATYPE_NULL;
  MPI_Op addition_ = MPI_OP_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool is_left_ = false;  // with something under way in it
  traffic counted_;
};

}  // namespace perdure::mpi
