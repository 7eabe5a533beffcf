// The child waits for a mutex that the rank holds, and that the kernel gives it at the rank's end. It keeps
// open what the rank was started with: MPICH's launcher ends all processes when a rank's socket closes, and
// the last copy of that is the child's, which has been heard by then.
#include "death_watch.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <new>

#include "launcher.hpp"

namespace perdure::cli {

/// In memory that both processes have.
struct death_watch::shared_state {
  pthread_mutex_t alive;
  std::atomic<int> rank{-1};

  [[noreturn]] void watch(pid_t watched);
};

namespace {

/// Makes a mutex that another process gets when the thread that holds it ends. Returns whether it could.
bool make_robust(pthread_mutex_t& mutex) {
  pthread_mutexattr_t kind;
  if (::pthread_mutexattr_init(&kind) != 0) return false;
  const bool is_made = ::pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED) == 0 &&
                       ::pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST) == 0 &&
                       ::pthread_mutex_init(&mutex, &kind) == 0;
  ::pthread_mutexattr_destroy(&kind);
  return is_made;
}

}  // namespace

void death_watch::shared_state::watch(pid_t watched) {
  if (::pthread_mutex_lock(&alive) == EOWNERDEAD) {
    std::array<char, 256> line{};
    const int own = rank;
    const int size = own < 0 ? std::snprintf(line.data(), line.size(),
                                             "perdure-mpi: process %d was killed or has crashed\n", watched)
                             : std::snprintf(line.data(), line.size(),
                                             "perdure-mpi: rank %d (process %d) was killed or has crashed\n",
                                             own, watched);
    static_cast<void>(!::write(STDERR_FILENO, line.data(), static_cast<std::size_t>(size)));
  }
  ::_exit(0);
}

death_watch::death_watch() noexcept {
  void* const memory =
      ::mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  shared_ = new (memory) shared_state;
  if (!make_robust(shared_->alive)) return;
  ::pthread_mutex_lock(&shared_->alive);
  shared_->rank = rank_by_launcher();
  const pid_t watched = ::getpid();
  child_ = ::fork();
  if (child_ == 0) shared_->watch(watched);
}

void death_watch::set_rank(int rank) noexcept {
  if (shared_ != nullptr) shared_->rank = rank;
}

void death_watch::end() noexcept {
  if (child_ <= 0) return;
  ::pthread_mutex_unlock(&shared_->alive);
  ::waitpid(child_, nullptr, 0);
  child_ = -1;
}

}  // namespace perdure::cli
