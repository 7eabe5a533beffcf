#include "complaint.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>

#include "command.hpp"
#include "progress.hpp"
#include "terminal.hpp"

namespace perdure::cli {

namespace {

void write_line(const std::string& program, std::string what) {
  while (!what.empty() && what.back() == '\n') what.pop_back();
  for (char& c : what)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  const progress_pause pause;
  std::fprintf(stderr, "%s: %s\n", program.c_str(), what.c_str());
}

}  // namespace

void complain(const char* program, const std::string& what) {
  const std::string name = program;
  write_line(shows_colours(STDERR_FILENO) ? "\x1b[1;31m" + name + "\x1b[0m" : name, what);
}

void remark(const char* program, const std::string& what) {
  write_line(program, what);
}

void print_failure(const std::string& what, std::string_view code) {
  try {
    print({{"error", {{"code", code}, {"message", what}}}});
  } catch (const std::exception&) {
    // The line on the standard error stream still says it.
  }
}

bool wants_json(int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
    if (std::string_view(argv[i]) == "--json") return true;
  return false;
}

}  // namespace perdure::cli
