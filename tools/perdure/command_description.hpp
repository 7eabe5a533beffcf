// Texts that help, man pages and completions show of a program's commands: plain data, taken from the
// commands that the parser has.
#pragma once

#include <string>
#include <vector>

namespace perdure::cli {

/// Kind of value that an option takes.
enum class value_kind { none, text, path };

/// An option or an argument.
struct described_option {
  std::vector<std::string> names;  ///< "-o" and "--output"; of an argument its one name
  value_kind value = value_kind::none;
  std::string placeholder;  ///< stands for the value, as N; empty: a flag
  std::string description;
  std::string default_text;
  std::string environment_variable;
  std::vector<std::string> choices;  ///< empty: any value
  bool is_required = false;
  bool is_repeated = false;
};

/// A call of a command.
struct described_example {
  std::string command_line;
  std::string purpose;
};

/// A command with those in it, or a program.
struct described_command {
  std::string path;  ///< its words, beginning with the program's, as "perdure graph bfs"
  std::string description;
  std::vector<described_option> arguments;
  std::vector<described_option> options;
  std::vector<described_command> commands;
  std::vector<described_example> examples;
  std::vector<std::string> notes;  ///< paragraphs behind the rest

  /// Returns the last word of the path.
  std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

/// Returns how a command is called, without its path: required options, arguments, and "[OPTIONS]".
std::vector<std::string> synopsis_of(const described_command& command);

/// Returns an option's description with what it may be, its default, and the variable that stands for it.
std::string explanation_of(const described_option& option);

}  // namespace perdure::cli
