// Ctrl-C while a command has something to set right before it ends.
#pragma once

#include <stdexcept>
#include <string>
#include <thread>

namespace perdure::cli {

/// The command ended as its user wished, and says what it leaves. Ends with the signal's own death.
struct interrupted : std::runtime_error {
  interrupted(int by, const std::string& what) : std::runtime_error(what), signal(by) {}
  int signal;
};

/// While it lives, the first SIGINT, SIGTERM or SIGHUP only leaves a note, and the next one ends the program;
/// so do four seconds without an end, in the middle of what does not look at the note. A store is then as its
/// last checkpoint left it. Signals that were ignored stay so. One at a time.
class interruption_watch {
 public:
  interruption_watch();
  interruption_watch(const interruption_watch&) = delete;
  interruption_watch& operator=(const interruption_watch&) = delete;
  ~interruption_watch();

  /// The signal that came, or 0. From any thread.
  static int signal() noexcept;
  /// Can be read from once a signal has come.
  int descriptor() const noexcept { return descriptor_; }

 private:
  void end_after_a_while() const;

  int descriptor_;
  int stop_;
  std::thread guard_;
};

/// Throws once a signal has come: in the middle of a long piece of work, which cleans up behind itself.
void end_if_interrupted();

/// Ends the program by this signal.
[[noreturn]] void end_by(int signal);

}  // namespace perdure::cli
