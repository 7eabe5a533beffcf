// A mishap of one rank of perdure-mpi, linked to the objects of that program: tests/mpi/check_mishaps.sh.
//
// PERDURE_TEST_MISHAP is KIND:RANK:CALL. The rank counts its calls of MPI that send something, and its calls
// that change what is on disk. At that call, counted from 0,
//   kill      it is killed
//   no_space  its disk is full, and stays so
//   count     nothing happens; every rank prints at its end how many calls it has made.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "launcher.hpp"
#include "os/file_observer.hpp"

namespace {

using perdure::os::file_call;
using perdure::os::file_operation;

class mishap final : public perdure::os::file_observer {
 public:
  mishap() {
    const char* const given = std::getenv("PERDURE_TEST_MISHAP");
    if (given == nullptr) return;
    std::istringstream text(given);
    int rank = -1;
    char colon = 0;
    std::getline(text, kind_, ':');
    text >> rank >> colon >> call_;
    own_ = perdure::cli::rank_by_launcher();
    if (kind_ != "count" && rank != own_) return;
    is_planned_ = true;
    perdure::os::observe_files(this);
  }
  mishap(const mishap&) = delete;
  mishap& operator=(const mishap&) = delete;
  ~mishap() override {
    perdure::os::observe_files(nullptr);
    if (is_planned_ && kind_ == "count")
      std::fprintf(stderr, "mishap: rank %d made %llu calls\n", own_,
                   static_cast<unsigned long long>(calls_.load()));
  }

  /// Returns whether the disk is full.
  bool happens() {
    if (!is_planned_) return false;
    const std::uint64_t now = calls_++;
    if (now == call_ && kind_ == "kill") ::kill(::getpid(), SIGKILL);
    return now >= call_ && kind_ == "no_space";
  }

  verdict before(const file_call& call) override {
    const bool needs_room =
        call.operation == file_operation::write || call.operation == file_operation::resize ||
        call.operation == file_operation::reserve_space || call.operation == file_operation::make_directory ||
        (call.operation == file_operation::open && (call.flags & O_CREAT) != 0);
    if (!needs_room && (call.operation == file_operation::open || call.operation == file_operation::read))
      return {};
    const bool is_full = happens();
    return {.error = is_full && needs_room ? ENOSPC : 0};
  }
  void after(const file_call&, std::int64_t, int) override {}

 private:
  bool is_planned_ = false;
  std::string kind_;
  int own_ = -1;
  std::uint64_t call_ = 0;
  std::atomic<std::uint64_t> calls_{0};
};

mishap& planned() {
  static mishap one;
  return one;
}
// Before main: files are observed from the beginning.
[[maybe_unused]] const mishap& at_start = planned();

}  // namespace

// MPI's own way to stand between a program and its calls.
extern "C" {

int MPI_Issend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm in,
               MPI_Request* request) {
  planned().happens();
  return PMPI_Issend(bytes, count, type, to, tag, in, request);
}
int MPI_Ibarrier(MPI_Comm in, MPI_Request* request) {
  planned().happens();
  return PMPI_Ibarrier(in, request);
}
int MPI_Iallreduce(const void* own, void* all, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm in,
                   MPI_Request* request) {
  planned().happens();
  return PMPI_Iallreduce(own, all, count, type, operation, in, request);
}
int MPI_Iallgather(const void* own, int count, MPI_Datatype type, void* all, int each, MPI_Datatype of_each,
                   MPI_Comm in, MPI_Request* request) {
  planned().happens();
  return PMPI_Iallgather(own, count, type, all, each, of_each, in, request);
}
int MPI_Ireduce(const void* own, void* all, int count, MPI_Datatype type, MPI_Op operation, int root,
                MPI_Comm in, MPI_Request* request) {
  planned().happens();
  return PMPI_Ireduce(own, all, count, type, operation, root, in, request);
}
int MPI_Ibcast(void* bytes, int count, MPI_Datatype type, int root, MPI_Comm in, MPI_Request* request) {
  planned().happens();
  return PMPI_Ibcast(bytes, count, type, root, in, request);
}
}
