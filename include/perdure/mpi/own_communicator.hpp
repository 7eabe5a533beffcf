// A communicator of the library's own, and waiting for calls in it.
#pragma once

#include <mpi.h>

#include <chrono>
#include <memory>
#include <perdure/detail/rank_wait.hpp>
#include <perdure/error.hpp>
#include <string>
#include <utility>

namespace perdure::mpi {

/// A call of MPI under way, with all that MPI reads and writes meanwhile.
template <class Value>
struct pending {
  /// Starts with a value.
  explicit pending(Value initial) : value(std::move(initial)) {}
  /// The value, and the call that reads or writes it.
  ///@{
  Value value;
  MPI_Request request = MPI_REQUEST_NULL;
  ///@}
};

/// A copy of a communicator, so that its messages meet no others. Calls are waited for by asking for them
/// from time to time: who waits does not take a processor from who computes. Where the time is over the
/// communicator and what is under way in it are left as they are, since MPI lets nobody take them back.
///
/// It makes calls of MPI in the thread that uses it only, so MPI_THREAD_FUNNELED is enough.
class own_communicator {
 public:
  /// Collective. `what` is said of in errors, as "a set of stores". `invalid_argument` where MPI is not
  /// initialised or the communicator is none, `timed_out`.
  own_communicator(MPI_Comm of, std::chrono::milliseconds timeout, const char* what,
                   const detail::asking_pace& pace = {})
      : timeout_(timeout), pace_(pace) {
    int is_initialized = 0;
    MPI_Initialized(&is_initialized);
    if (is_initialized == 0 || has_ended())
      throw error(errc::invalid_argument, std::string("MPI is not initialised, or has ended: ") + what +
                                              " is opened between MPI_Init and MPI_Finalize");
    if (of == MPI_COMM_NULL)
      throw error(errc::invalid_argument, std::string(what) + " cannot be opened on MPI_COMM_NULL");
    auto made = std::make_unique<pending<MPI_Comm>>(MPI_COMM_NULL);
    require(MPI_Comm_idup(of, &made->value, &made->request));
    wait(made);
    communicator_ = made->value;
    require(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
    require(MPI_Comm_rank(communicator_, &rank_));
    require(MPI_Comm_size(communicator_, &size_));
  }
  own_communicator(const own_communicator&) = delete;
  own_communicator& operator=(const own_communicator&) = delete;
  ~own_communicator() {
    if (is_usable()) MPI_Comm_free(&communicator_);
  }

  /// Returns the communicator.
  MPI_Comm get() const noexcept { return communicator_; }
  /// Returns this process's rank, or the number of ranks.
  ///@{
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  ///@}

  /// Returns whether MPI_Finalize was called.
  static bool has_ended() {
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    return is_finalized != 0;
  }
  /// Returns whether nothing was left under way in it, and MPI has not ended.
  bool is_usable() const { return !is_left_ && !has_ended(); }
  /// Throws `invalid_argument` where MPI has ended, with `then` behind "MPI has ended, and no rank can be
  /// asked: ". MPI ends the whole program where one of its functions is called after its end.
  void require_running(const char* then) {
    if (!has_ended()) return;
    is_left_ = true;
    throw error(errc::invalid_argument, std::string("MPI has ended, and no rank can be asked: ") + then);
  }

  /// Throws `io` unless a function of MPI has returned its success.
  void require(int status) {
    if (status == MPI_SUCCESS) return;
    is_left_ = true;
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw error(errc::io, "a message to the other ranks failed: " + std::string(text));
  }

  /// Waits for a call. Throws `timed_out`, `io`.
  template <class Value>
  void wait(std::unique_ptr<pending<Value>>& call) {
    wait_until(call, [&] {
      int done = 0;
      require(MPI_Test(&call->request, &done, MPI_STATUS_IGNORE));
      return done != 0;
    });
  }
  /// Waits for calls whose values are at `held`, until `is_done()` is true. If that throws, or the time is
  /// over, they are kept for ever, as MPI may still write there.
  template <class Held, class IsDone>
  void wait_until(std::unique_ptr<Held>& held, IsDone&& is_done) {
    try {
      if (detail::wait_until_done(is_done, timeout_, pace_)) return;
    } catch (...) {
      static_cast<void>(held.release());
      throw;
    }
    is_left_ = true;
    static_cast<void>(held.release());
    detail::throw_waited_in_vain(rank_, timeout_);
  }

 private:
  std::chrono::milliseconds timeout_;
  detail::asking_pace pace_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool is_left_ = false;  // with something under way in it
};

}  // namespace perdure::mpi
