// Completion for zsh: a function for each command.
#include <string_view>

#include "completions.hpp"

namespace perdure::cli {
namespace {

/// Returns text for a specification between single quotes, in which brackets and colons mean something.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

/// Returns a word of a list between parentheses, which zsh takes apart as it does a command line.
std::string zsh_word(const std::string& word) {
  constexpr std::string_view plain = "-.0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string safe;
  for (const char c : word) {
    if (plain.find(c) == std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

/// Returns what follows the description of an option or argument: what its value is called, and may be.
std::string action_of(const described_option& option) {
  std::string action =
      ':' + zsh_text(option.placeholder.empty() ? option.names.back() : option.placeholder) + ':';
  if (!option.choices.empty()) {
    action += '(';
    for (const std::string& one : option.choices) action += zsh_word(one) + ' ';
    action.back() = ')';
    return action;
  }
  return action + (option.value == value_kind::path ? "_files" : " ");
}

std::string specification_of(const described_option& option) {
  std::string names = option.names.front();
  std::string excluded;
  if (option.names.size() > 1) {
    names = "'{";
    for (const std::string& one : option.names) {
      names += (names.size() == 2 ? "" : ",") + one;
      excluded += (excluded.empty() ? "" : " ") + one;
    }
    names += "}'";
    excluded = '(' + excluded + ')';
  }
  return '\'' + (option.is_repeated ? "*" : excluded) + names + '[' + zsh_text(option.description) + ']' +
         (option.value == value_kind::none ? "" : action_of(option)) + '\'';
}

std::string function_of(const described_command& command, bool is_program) {
  std::string text = function_name(command.path) + "() {\n";
  if (!command.commands.empty()) {
    text += "  local -a commands=(\n";
    for (const described_command& one : command.commands)
      text += "    '" + zsh_text(one.name()) + ':' + zsh_text(one.description) + "'\n";
    if (is_program) text += "    'help:Explain a command'\n";
    text += "  )\n  local curcontext=$curcontext state line\n";
  }
  text += "  _arguments -s";
  if (!command.commands.empty()) text += " -C";
  for (const described_option& one : command.options) text += " \\\n    " + specification_of(one);
  for (const described_option& one : command.arguments)
    text += " \\\n    '" + std::string(one.is_repeated ? "*" : "") + action_of(one) + '\'';
  if (command.commands.empty()) return text + "\n}\n\n";
  const std::string name = function_name(command.path);
  text += " \\\n    '1: :->command' '*:: :->arguments'\n  case $state in\n";
  text += "    command) _describe command commands ;;\n    arguments)\n";
  if (is_program)
    text += "      if [[ $words[1] == help ]]; then\n        " + name + "\n        return\n      fi\n";
  text +=
      "      (( $+functions[" + name + "_${words[1]//-/_}] )) && " + name + "_${words[1]//-/_}\n      ;;\n";
  return text + "  esac\n}\n\n";
}

}  // namespace

std::string zsh_completion(const described_command& program) {
  std::string text = "#compdef " + program.path + "\n# Completion of " + program.path +
                     " for zsh, written by the program itself.\n\n";
  for_each_command(program,
                   [&](const described_command& one) { text += function_of(one, &one == &program); });
  return text + function_name(program.path) + " \"$@\"\n";
}

}  // namespace perdure::cli
