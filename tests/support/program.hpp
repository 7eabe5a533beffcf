// Runs the built command-line program as its users do.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace perdure::test {

/// How a program ended and what it said.
struct outcome {
  int status = -1;  ///< exit code, or minus the signal that ended it
  std::string out;
  std::string err;
};

/// A running program. Its standard output and error go to files, its input comes from a pipe or is empty.
class process {
 public:
  explicit process(std::vector<std::string> command, bool piped_input = false,
                   const std::filesystem::path& output = {});
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  /// Kills it if it still runs.
  ~process();

  void write_input(const std::string& text);
  void close_input();
  /// What it has written to its standard output so far.
  std::string output_so_far() const;
  void kill();
  /// As Ctrl-C does.
  void interrupt();
  /// Whether `wait` would return at once.
  bool has_ended() const;
  outcome wait();

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  std::filesystem::path output_;
  std::filesystem::path errors_;
  bool remove_output_ = false;
};

/// `perdure ARGUMENTS…`, to its end.
outcome perdure_run(std::vector<std::string> arguments);
/// The same, with standard output going to a file or device.
outcome perdure_run_to(const std::filesystem::path& output, std::vector<std::string> arguments);
/// The program's own path, to start it with `process`.
std::string perdure_program();

}  // namespace perdure::test
