#include "support/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace perdure::test {
namespace {

std::filesystem::path temporary_file() {
  std::string pattern = (std::filesystem::temp_directory_path() / "perdure-cli-XXXXXX").string();
  const int descriptor = ::mkstemp(pattern.data());
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "mkstemp");
  ::close(descriptor);
  return pattern;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

process::process(std::vector<std::string> command, bool piped_input, const std::filesystem::path& output)
    : output_(output), errors_(temporary_file()) {
  if (output_.empty()) {
    output_ = temporary_file();
    remove_output_ = true;
  }
  int ends[2] = {-1, -1};
  if (piped_input && ::pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (piped_input)
    ::posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  else
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_.c_str(), O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors_.c_str(), O_WRONLY, 0);
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const int error = ::posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (piped_input) ::close(ends[0]);
  input_ = ends[1];
  if (error != 0) throw std::system_error(error, std::generic_category(), command[0]);
}

process::~process() {
  if (pid_ > 0) {
    kill();
    wait();
  }
}

void process::write_input(const std::string& text) {
  if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::system_error(errno, std::generic_category(), "write");
}

void process::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

std::string process::output_so_far() const {
  return content(output_);
}

void process::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

void process::interrupt() {
  if (pid_ > 0) ::kill(pid_, SIGINT);
}

bool process::has_ended() const {
  siginfo_t info{};
  // Left to be waited for: until then its id is nobody else's, and `kill` hits nobody else.
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

outcome process::wait() {
  close_input();
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  outcome result{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), "", content(errors_)};
  std::filesystem::remove(errors_);
  if (remove_output_) {
    result.out = content(output_);
    std::filesystem::remove(output_);
  }
  return result;
}

std::string perdure_program() {
  return PERDURE_PROGRAM;
}

outcome perdure_run_to(const std::filesystem::path& output, std::vector<std::string> arguments) {
  std::vector<std::string> command{perdure_program()};
  for (std::string& argument : arguments) command.push_back(std::move(argument));
  return process(std::move(command), false, output).wait();
}

outcome perdure_run(std::vector<std::string> arguments) {
  return perdure_run_to({}, std::move(arguments));
}

}  // namespace perdure::test
