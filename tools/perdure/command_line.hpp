// Commands, their options, and what is said of a wrong command line. The parser behind it is CLI11, which
// takes seconds to compile wherever it is included: command_line.cpp is the only file that does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "command_description.hpp"

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
  /// Sets the text that help shows as the default.
  option default_text(const std::string& text);
  /// Taken from this variable of the environment where the command line does not say.
  option environment_variable(base::variable named);

 private:
  CLI::Option* parsed_;
};

/// Returns whether a command line asks for man pages and completions: `--write-documents DIRECTORY`, which no
/// help shows.
bool wants_documents(int argc, const char* const* argv);

/// Words of a command line behind the program's name.
class command_words {
 public:
  /// `perdure help COMMAND` is another way to write `perdure COMMAND --help`.
  command_words(int argc, const char* const* argv);

  const std::vector<std::string>& all() const noexcept { return all_; }
  /// Returns whether a command of this name may be called by these words.
  bool may_call(const std::string& name) const { return documents_.is_wanted || set_.contains(name); }
  /// Returns whether a word may ask for the help of a command, which lists the commands in it.
  bool may_ask_for_help() const noexcept { return may_ask_for_help_; }

  struct documents {
    bool is_wanted = false;
    std::filesystem::path directory;
  };
  const documents& wanted_documents() const noexcept { return documents_; }

 private:
  std::vector<std::string> all_;
  std::set<std::string, std::less<>> set_;
  bool may_ask_for_help_ = false;
  documents documents_;
};

/// Notes on a program's commands that the parser does not keep.
struct command_notes {
  command_words words;
  std::string launcher;         ///< stands before the program's name in examples
  std::set<std::string> paths;  ///< words of all commands, including those that the parser does not know
  std::map<const CLI::App*, std::vector<described_example>> examples;
  std::map<const CLI::Option*, value_kind> values;  ///< without an entry: `text`, if it has a value
  std::map<const CLI::Option*, std::vector<std::string>> choices;
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
  command(CLI::App& parser, command_notes& notes, std::string_view path)
      : notes_(&notes), parser_(&parser), shown_(&parser), path_(path) {}

  /// Returns whether the command may be called: whether it needs its options.
  bool may_be_called() const noexcept { return parser_ != nullptr; }
  command add_command(const std::string& name, const std::string& description);
  /// One of the commands added has to be given.
  void require_command();
  /// Text after the help, each line of which is a paragraph.
  void footer(const std::string& text);
  /// A call of the command, with these words behind its name, and what it is good for.
  void example(const std::string& words, const std::string& purpose);
  /// Sets the work of the command, which is called once its command line is known to be correct.
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

  command_notes* notes_;
  CLI::App* parser_;       // null if the command cannot be called
  CLI::App* shown_;        // the innermost command, of this one and those around it, that may be called
  std::string_view path_;  // its words, beginning with the program's; of the notes or of the parser
};

/// The command line of a program.
class command_line {
 public:
  /// `version` is what `--version` prints. `launcher` is what examples begin with, as "mpirun -n 4 ".
  command_line(const std::string& program, const std::string& description, const std::string& version,
               int argc, const char* const* argv, const std::string& launcher = {});
  ~command_line();

  /// The program, to add commands to.
  command program();
  /// Calls back the command that was given, or prints what `--help` or `--version` asks for. Throws
  /// `usage_error`, and what the command throws.
  void run();
  /// Returns whether the command that was given takes this option.
  bool takes(const std::string& option) const;

 private:
  [[noreturn]] void refuse_unknown(const CLI::App& given, const std::string& path,
                                   const std::string& word) const;
  void refuse_what_is_unknown() const;
  void parse();

  std::string version_;
  command_notes notes_;
  std::unique_ptr<CLI::App> parser_;
};

}  // namespace perdure::cli
