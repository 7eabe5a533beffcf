// Completion scripts of shells: which commands, options and values may come next on a command line.
#pragma once

#include <string>

#include "command_description.hpp"

namespace perdure::cli {

// Each returns the script for a program with all its commands.
std::string bash_completion(const described_command& program);
std::string zsh_completion(const described_command& program);
std::string fish_completion(const described_command& program);

/// Calls `visit(command)` for a command and for all commands in it.
template <class Visit>
void for_each_command(const described_command& command, Visit&& visit) {
  visit(command);
  for (const described_command& one : command.commands) for_each_command(one, visit);
}

/// Returns the path of a command without the program's name, with a blank before each word.
inline std::string words_behind_program(const described_command& command) {
  const std::size_t blank = command.path.find(' ');
  return blank == std::string::npos ? std::string() : command.path.substr(blank);
}

/// Returns a program's name as part of the name of a shell function.
std::string function_name(const std::string& path);

}  // namespace perdure::cli
