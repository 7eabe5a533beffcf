// Commands, their options, and what is said of a wrong command line. The parser behind it is CLI11, which
// takes seconds to compile wherever it is included: command_line.cpp is the only file that does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace perdure::cli {

/// A wrong command line; ends with exit code 2. Commands throw it for what the parser cannot see.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An option or an argument of a command. Copies stand for the same one.
class option {
 public:
  /// `parsed` is null for an option of a command that is not on the command line.
  explicit option(CLI::Option* parsed) : parsed_(parsed) {}

  option required();
  /// What the help shows as the default.
  option default_text(const std::string& text);
  /// Taken from this variable of the environment where the command line does not say.
  option environment_variable(base::variable named);

 private:
  CLI::Option* parsed_;
};

/// Words of a command line.
class command_words {
 public:
  command_words(int argc, const char* const* argv);
  /// Returns whether one of the words is this one.
  bool contains(const std::string& word) const { return words_.contains(word); }
  /// Returns whether a word may ask for the help of a command, which lists the commands in it.
  bool may_ask_for_help() const noexcept { return may_ask_for_help_; }

 private:
  std::set<std::string, std::less<>> words_;
  bool may_ask_for_help_ = false;
};

/// A command, or the program itself. Copies stand for the same one.
///
/// Options are named "--long" or "-s,--long", arguments "NAME". Options of texts and paths refuse an empty
/// value. Where values go must outlive the parse.
///
/// A program has far more commands and options than one call of it needs. A command whose name is not among
/// the words of the command line cannot be called, so it gets no options; the parser learns its name only if
/// some help may list it.
class command {
 public:
  command(CLI::App& parser, const command_words& words) : words_(&words), parser_(&parser), shown_(&parser) {}

  /// Returns whether the command may be called: whether it needs its options.
  bool may_be_called() const noexcept { return parser_ != nullptr; }
  command add_command(const std::string& name, const std::string& description);
  /// One of the commands added has to be given.
  void require_command();
  /// Text after the help.
  void footer(const std::string& text);
  /// What the command does, called once its command line is known to be right.
  void callback(std::function<void()> action);

  option add_flag(const std::string& name, bool& given, const std::string& description);
  /// A flag that may also stand before the command's own name, behind those that it belongs to.
  option add_flag_anywhere(const std::string& name, bool& given, const std::string& description);
  option add_text(const std::string& name, std::string& text, const std::string& description);
  option add_path(const std::string& name, std::filesystem::path& path, const std::string& description);
  /// One or more paths.
  option add_paths(const std::string& name, std::vector<std::filesystem::path>& paths,
                   const std::string& description);
  /// A whole number within bounds, passed to `store`. (The parser's own conversion lets a negative number
  /// through as a huge one.)
  option add_number(const std::string& name, std::uint64_t smallest, std::uint64_t largest,
                    const std::string& description, std::function<void(std::uint64_t)> store);
  /// Any whole number; the help shows what `number` holds as the default.
  option add_number(const std::string& name, std::uint64_t& number, const std::string& description);
  /// A real number within bounds; the help shows what `number` holds as the default.
  option add_real(const std::string& name, double smallest, double largest, double& number,
                  const std::string& description);
  /// A number of bytes, with or without a unit, as 64GiB.
  option add_size(const std::string& name, std::uint64_t& bytes, const std::string& description);
  /// One of several values of an enumeration, by name.
  template <class Enum>
  option add_choice(const std::string& name, Enum& chosen,
                    const std::vector<std::pair<std::string, Enum>>& choices,
                    const std::string& description) {
    std::vector<std::pair<std::string, int>> numbers;
    numbers.reserve(choices.size());
    for (const auto& [text, value] : choices) numbers.emplace_back(text, static_cast<int>(value));
    return add_numbered_choice(
        name, numbers, [&chosen](int number) { chosen = static_cast<Enum>(number); }, description);
  }

 private:
  option add_numbered_choice(const std::string& name, const std::vector<std::pair<std::string, int>>& choices,
                             std::function<void(int)> store, const std::string& description);

  const command_words* words_;
  CLI::App* parser_;  // null if the command cannot be called
  CLI::App* shown_;   // the innermost command, of this one and those around it, that may be called
};

/// The command line of a program.
class command_line {
 public:
  /// `version` is what `--version` prints. `argv` must outlive this object.
  command_line(const std::string& program, const std::string& description, const std::string& version,
               int argc, const char* const* argv);
  ~command_line();

  /// The program, to add commands to.
  command program();
  /// Calls back the command that was given, or prints what `--help` or `--version` asks for. Throws
  /// `usage_error`, and what the command throws.
  void run();
  /// Whether the command that was given takes this option.
  bool takes(const std::string& option) const;

 private:
  int argc_;
  const char* const* argv_;
  command_words words_;
  std::unique_ptr<CLI::App> parser_;
};

}  // namespace perdure::cli
