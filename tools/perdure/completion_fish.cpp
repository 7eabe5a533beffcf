// Completion for fish: a line for each command and option, under the condition that its command was given.
#include <string_view>

#include "completions.hpp"

namespace perdure::cli {
namespace {

std::string fish_text(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe + '\'';
}

/// Returns a word among those of `-a`, which fish takes apart as it does a command line.
std::string fish_word(const std::string& word) {
  constexpr std::string_view plain = "-.0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return word.find_first_not_of(plain) == std::string::npos ? word : fish_text(word);
}

std::string line_of(const described_option& option) {
  std::string line;
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.value != value_kind::none) line += " -r";
  if (!option.choices.empty()) {
    std::string all;
    for (const std::string& one : option.choices) all += (all.empty() ? "" : " ") + fish_word(one);
    line += " -f -a " + fish_text(all);
  } else if (option.value == value_kind::path) {
    line += " -F";
  } else if (option.value == value_kind::text) {
    line += " -f";
  }
  return line + " -d " + fish_text(option.description);
}

}  // namespace

std::string fish_completion(const described_command& program) {
  const std::string test = "_" + function_name(program.path) + "_is_at";
  std::string known;
  std::string lines;
  for_each_command(program, [&](const described_command& one) {
    const std::string words = words_behind_program(one);
    if (!words.empty()) known += ' ' + fish_text(words);
    const std::string begin = "complete -c " + program.path + " -n " + fish_text(test + " \"" + words + '"');
    for (const described_command& inner : one.commands)
      lines += begin + " -f -a " + fish_text(inner.name()) + " -d " + fish_text(inner.description) + '\n';
    for (const described_option& option : one.options) lines += begin + line_of(option) + '\n';
  });
  return "# Completion of " + program.path + " for fish, written by the program itself.\nfunction " + test +
         R"(
    set -l command ''
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case)" +
         known + R"(
                set command "$command $word"
        end
    end
    test "$command" = "$argv[1]"
end
complete -c )" +
         program.path + " -n " + fish_text(test + " \"\"") + " -f -a help -d 'Explain a command'\n" + lines;
}

}  // namespace perdure::cli
