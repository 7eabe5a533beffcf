#include "complaint.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>

#include "command.hpp"
#include "terminal.hpp"

namespace perdure::cli {

void complain(const char* program, const std::string& what) {
  std::string line = ": " + what;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  const char* const begin = shows_colours(STDERR_FILENO) ? "\x1b[1;31m" : "";
  std::fprintf(stderr, "%s%s%s%s\n", begin, program, *begin == '\0' ? "" : "\x1b[0m", line.c_str());
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
