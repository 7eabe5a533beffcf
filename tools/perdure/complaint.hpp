// Messages of a program that has failed.
#pragma once

#include <string>
#include <string_view>

namespace perdure::cli {

/// Writes "PROGRAM: what" to the standard error stream, as one line in which nothing is that a terminal would
/// obey.
void complain(const char* program, const std::string& what);

/// Writes the same without colours: of what is no failure.
void remark(const char* program, const std::string& what);

/// Prints a failure as JSON. Where that fails too it is not said: standard output may be what failed.
void print_failure(const std::string& what, std::string_view code);

/// Returns whether a command line asks for JSON. Known before it is parsed: what is wrong with it is told as
/// JSON too.
bool wants_json(int argc, const char* const* argv);

}  // namespace perdure::cli
