// A process beside a rank that names the rank if something kills it.
#pragma once

namespace perdure::cli {

/// A watch over this process. Some launchers (MPICH's) report only the number of a process that was killed,
/// so a small child process waits for the end of this one, and names its rank on the standard error stream if
/// it ends without `end`. A launcher that ends the remaining ranks signals their process groups, and so ends
/// their watches with them.
class death_watch {
 public:
  /// Starts the child. Called before MPI_Init, and before there are other threads. Without memory or
  /// processes to be had there is no watch.
  death_watch() noexcept;
  death_watch(const death_watch&) = delete;
  death_watch& operator=(const death_watch&) = delete;
  ~death_watch() { end(); }

  /// Names the rank that this process is. Until then the launcher's variables name it.
  void set_rank(int rank) noexcept;
  /// Ends the watch: whatever ends this process from now on has been reported. Called by the thread that has
  /// made it.
  void end() noexcept;

 private:
  struct shared_state;

  shared_state* shared_ = nullptr;
  int child_ = -1;
};

}  // namespace perdure::cli
