#include "command_line.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "help_text.hpp"
#include "output.hpp"
#include "program_documents.hpp"
#include "progress.hpp"
#include "spelling.hpp"
#include "terminal.hpp"

namespace perdure::cli {

namespace {

/// "64GiB", "64 gb" and "64g" are the same; nothing where it is no whole number, or too large a one.
std::optional<std::uint64_t> size_in(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) return std::nullopt;
  std::string unit;
  for (const char c : std::string_view(end, text.data() + text.size()))
    if (c != ' ') unit += static_cast<char>(c | 0x20);
  if (unit.ends_with('b')) unit.pop_back();
  if (unit.size() == 2 && unit[1] == 'i') unit.pop_back();
  if (unit.empty()) return number;
  const std::size_t power = std::string_view("kmgtpe").find(unit);
  if (unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
  const std::size_t shift = 10 * (power + 1);
  if (number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

/// Has the parser refuse an option with an empty value, as `--output ''`. An argument may be empty: a command
/// that has no use for that says so.
CLI::Option* not_empty(CLI::Option* added, const std::string& name) {
  if (!name.starts_with('-')) return added;
  return added->check([](const std::string& text) { return std::string(text.empty() ? "it is empty" : ""); });
}

}  // namespace

option option::required() {
  if (parsed_ != nullptr) parsed_->required();
  return *this;
}

option option::default_text(const std::string& text) {
  if (parsed_ != nullptr) parsed_->default_str(text);
  return *this;
}

option option::environment_variable(base::variable named) {
  if (parsed_ != nullptr) parsed_->envname(named.row().name);
  return *this;
}

bool wants_documents(int argc, const char* const* argv) {
  return argc == 3 && std::string_view(argv[1]) == "--write-documents";
}

command_words::command_words(int argc, const char* const* argv) : all_(argv + 1, argv + argc) {
  if (wants_documents(argc, argv)) {
    documents_ = {true, all_[1]};
    all_.clear();
  }
  if (!all_.empty() && all_.front() == "help") {
    all_.erase(all_.begin());
    all_.emplace_back("--help");
  }
  for (const std::string& word : all_) {
    set_.insert(word);
    // "-h" among other flags too.
    const bool is_short = word.starts_with('-') && !word.starts_with("--");
    if (word.starts_with("--help") || (is_short && word.find('h') != std::string::npos))
      may_ask_for_help_ = true;
  }
}

command command::add_command(const std::string& name, const std::string& description) {
  command added = *this;
  added.parser_ = nullptr;
  added.path_ = *notes_->paths.insert(std::string(path_) + ' ' + name).first;
  if (parser_ == nullptr) return added;
  const bool is_named = notes_->words.may_call(name);
  if (!is_named && !notes_->words.may_ask_for_help()) return added;
  CLI::App* const parser = parser_->add_subcommand(name, description);
  parser->footer(std::string());  // the parser would give it that of the command around it
  if (is_named) added.parser_ = added.shown_ = parser;
  return added;
}

void command::require_command() {
  if (may_be_called()) parser_->require_subcommand(1);
}

void command::footer(const std::string& text) {
  if (may_be_called()) parser_->footer(text);
}

void command::example(const std::string& words, const std::string& purpose) {
  if (may_be_called())
    notes_->examples[parser_].push_back(
        {notes_->launcher + std::string(path_) + (words.empty() ? "" : " ") + words, purpose});
}

void command::callback(std::function<void()> action) {
  if (!may_be_called()) return;
  const std::string name(path_.substr(path_.find(' ') + 1));
  parser_->callback([name, action = std::move(action)] {
    const command_progress progress(name);
    action();
  });
}

option command::add_flag(const std::string& name, bool& given, const std::string& description) {
  return option(may_be_called() ? parser_->add_flag(name, given, description) : nullptr);
}

option command::add_flag_anywhere(const std::string& name, bool& given, const std::string& description) {
  // Commands around one that cannot be called have its flag too.
  CLI::App* above = may_be_called() ? parser_->get_parent() : shown_;
  for (; above != nullptr; above = above->get_parent()) {
    CLI::Option* flag = above->get_option_no_throw(name);
    if (flag == nullptr) flag = above->add_flag(name, description);
    if (may_be_called()) flag->each([&given](const std::string&) { given = true; });
  }
  return add_flag(name, given, description);
}

option command::add_text(const std::string& name, std::string& text, const std::string& description) {
  return option(may_be_called() ? not_empty(parser_->add_option(name, text, description), name) : nullptr);
}

option command::add_path(const std::string& name, std::filesystem::path& path,
                         const std::string& description) {
  if (!may_be_called()) return option(nullptr);
  CLI::Option* const added = not_empty(parser_->add_option(name, path, description), name);
  notes_->values[added] = value_kind::path;
  return option(added->type_name("PATH"));
}

option command::add_paths(const std::string& name, std::vector<std::filesystem::path>& paths,
                          const std::string& description) {
  if (!may_be_called()) return option(nullptr);
  CLI::Option* const added = not_empty(parser_->add_option(name, paths, description), name);
  notes_->values[added] = value_kind::path;
  return option(added->type_name("PATH"));
}

option command::add_number(const std::string& name, std::uint64_t smallest, std::uint64_t largest,
                           const std::string& description, std::function<void(std::uint64_t)> store) {
  if (!may_be_called()) return option(nullptr);
  CLI::Option* added = parser_->add_option_function<std::string>(
      name,
      [name, smallest, largest, store = std::move(store)](const std::string& text) {
        std::uint64_t value = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (problem != std::errc{} || end != text.data() + text.size() || value < smallest || value > largest)
          throw CLI::ValidationError(name, "'" + text + "' is not a whole number from " +
                                               std::to_string(smallest) + " to " + std::to_string(largest));
        store(value);
      },
      description);
  return option(added->type_name("N"));
}

option command::add_number(const std::string& name, std::uint64_t& number, const std::string& description) {
  return add_number(name, 0, std::numeric_limits<std::uint64_t>::max(), description,
                    [&number](std::uint64_t value) { number = value; })
      .default_text(std::to_string(number));
}

option command::add_real(const std::string& name, double smallest, double largest, double& number,
                         const std::string& description) {
  const auto written = [](double value) {
    std::array<char, 32> text;
    return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
  };
  if (!may_be_called()) return option(nullptr);
  CLI::Option* added = parser_->add_option_function<std::string>(
      name,
      [name, smallest, largest, written, &number](const std::string& text) {
        double value = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (problem != std::errc{} || end != text.data() + text.size() ||
            !(value >= smallest && value <= largest))
          throw CLI::ValidationError(
              name, "'" + text + "' is not a number from " + written(smallest) + " to " + written(largest));
        number = value;
      },
      description);
  return option(added->type_name("X")).default_text(written(number));
}

option command::add_size(const std::string& name, std::uint64_t& bytes, const std::string& description) {
  if (!may_be_called()) return option(nullptr);
  CLI::Option* added = parser_->add_option_function<std::string>(
      name,
      [name, &bytes](const std::string& text) {
        const std::optional<std::uint64_t> size = size_in(text);
        if (!size) throw CLI::ValidationError(name, "'" + text + "' is no number of bytes, as 64GiB");
        bytes = *size;
      },
      description);
  return option(added->type_name("SIZE"));
}

option command::add_numbered_choice(const std::string& name,
                                    const std::vector<std::pair<std::string, int>>& choices,
                                    std::function<void(int)> store, const std::string& description) {
  if (!may_be_called()) return option(nullptr);
  std::string names;
  for (const auto& [text, number] : choices) names += (names.empty() ? "" : "|") + text;
  // Known to the function once it is made.
  const auto self = std::make_shared<const CLI::Option*>(nullptr);
  CLI::Option* added = parser_->add_option_function<std::string>(
      name,
      [name, names, choices, self, store = std::move(store)](const std::string& text) {
        for (const auto& [choice, number] : choices)
          if (text == choice) return store(number);
        for (const base::environment_variable& one : base::environment) {
          if (one.name != (*self)->get_envname() || base::value_of(one) != text) continue;
          if (const auto refusal = base::why_refused(one, text)) throw CLI::ValidationError(*refusal);
        }
        std::vector<std::string> known;
        known.reserve(choices.size());
        for (const auto& [choice, number] : choices) known.push_back(choice);
        throw CLI::ValidationError(
            name, "'" + text + "' is none of " + names + did_you_mean(nearest_word(text, known)));
      },
      description);
  *self = added;
  for (const auto& [choice, number] : choices) notes_->choices[added].push_back(choice);
  // Long lists are in the explanation only.
  return option(added->type_name(names.size() <= 24 ? names : "WORD"));
}

namespace {

std::string see_help_of(const std::string& command) {
  return " (see '" + command + " --help')";
}

/// Returns the names of an option as a user writes them; of an argument its one name.
std::vector<std::string> names_of(const CLI::Option& one) {
  std::vector<std::string> names;
  if (one.get_positional()) {
    names.push_back(one.get_name(true));
    return names;
  }
  for (const std::string& name : one.get_snames()) names.push_back('-' + name);
  for (const std::string& name : one.get_lnames()) names.push_back("--" + name);
  return names;
}

described_option description_of(const CLI::Option& one, const command_notes& notes) {
  described_option option;
  option.names = names_of(one);
  option.description = one.get_description();
  option.default_text = one.get_default_str();
  option.environment_variable = one.get_envname();
  option.is_required = one.get_required();
  if (one.get_items_expected_max() == 0) return option;
  option.is_repeated = one.get_items_expected_max() > 1;
  const auto value = notes.values.find(&one);
  option.value = value == notes.values.end() ? value_kind::text : value->second;
  if (!one.get_positional()) option.placeholder = one.get_type_name();
  const auto choices = notes.choices.find(&one);
  if (choices == notes.choices.end()) return option;
  option.choices = choices->second;
  return option;
}

/// Returns what is shown of a command, which is called by the words of `path`.
described_command description_of(const CLI::App& one, const std::string& path, const command_notes& notes) {
  described_command command;
  command.path = path;
  command.description = one.get_description();
  for (const CLI::Option* option : one.get_options())
    (option->get_positional() ? command.arguments : command.options)
        .push_back(description_of(*option, notes));
  for (const CLI::App* inner : one.get_subcommands([](const CLI::App*) { return true; }))
    command.commands.push_back(description_of(*inner, path + ' ' + inner->get_name(), notes));
  if (const auto examples = notes.examples.find(&one); examples != notes.examples.end())
    command.examples = examples->second;
  std::string footer = one.get_footer();
  for (std::size_t end = 0; !footer.empty(); footer.erase(0, end)) {
    end = std::min(footer.find('\n'), footer.size() - 1) + 1;
    command.notes.push_back(footer.substr(0, footer.find('\n')));
  }
  return command;
}

/// Returns the command that was given, and its path: the innermost one.
std::pair<const CLI::App*, std::string> given_command(const CLI::App& program) {
  const CLI::App* given = &program;
  std::string path = given->get_name();
  while (!given->get_subcommands().empty()) {
    given = given->get_subcommands().front();
    path += ' ' + given->get_name();
  }
  return {given, path};
}

void say(const std::string& text) {
  output out = output::standard();
  out.write(text);
  out.finish();
}

}  // namespace

command_line::command_line(const std::string& program, const std::string& description,
                           const std::string& version, int argc, const char* const* argv,
                           const std::string& launcher)
    : version_(version),
      notes_{.words = {argc, argv},
             .launcher = launcher,
             .paths = {},
             .examples = {},
             .values = {},
             .choices = {}},
      parser_(std::make_unique<CLI::App>(description, program)) {
  parser_->set_help_flag("-h,--help", "Print this help");
  parser_->set_version_flag("--version", version, "Print the version");
}

command_line::~command_line() = default;

command command_line::program() {
  return {*parser_, notes_, parser_->get_name()};
}

bool command_line::takes(const std::string& option) const {
  return given_command(*parser_).first->get_option_no_throw(option) != nullptr;
}

/// Throws for a word that a command does not know, and names the one that may have been meant.
void command_line::refuse_unknown(const CLI::App& given, const std::string& path,
                                  const std::string& word) const {
  std::string refusal = '\'' + path;
  std::string meant;
  if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* one : given.get_options())
      if (!one->get_positional())
        for (const std::string& spelling : names_of(*one)) known.push_back(spelling);
    refusal += "' has no option '";
    meant = nearest_word(name, known);
  } else if (given.get_require_subcommand_min() != 0) {
    std::vector<std::string> known;
    for (const std::string& one : notes_.paths)
      if (one.starts_with(path + ' ') && one.find(' ', path.size() + 1) == std::string::npos)
        known.push_back(one.substr(path.size() + 1));
    refusal += "' has no command '";
    meant = nearest_word(word, known);
    // A command of this very name in a group, as 'bfs' without 'graph'.
    const auto elsewhere = std::find_if(notes_.paths.begin(), notes_.paths.end(),
                                        [&](const std::string& one) { return one.ends_with(' ' + word); });
    if (meant.empty() && elsewhere != notes_.paths.end()) meant = *elsewhere;
  } else {
    refusal += "' takes no argument '";
  }
  throw usage_error(refusal.append(word) + '\'' + did_you_mean(meant) + see_help_of(path));
}

/// Throws for what the outermost of the commands that were given does not know: where that is a command's
/// name, what follows was taken for arguments of others, and only misleads.
void command_line::refuse_what_is_unknown() const {
  const CLI::App* given = parser_.get();
  for (std::string path = given->get_name();; path += ' ' + given->get_name()) {
    for (const std::string& unknown : given->remaining())
      if (unknown != "--") refuse_unknown(*given, path, unknown);
    if (given->get_subcommands().empty()) return;
    given = given->get_subcommands().front();
  }
}

void command_line::parse() {
  std::vector<std::string> words(notes_.words.all().rbegin(), notes_.words.all().rend());
  try {
    parser_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    refuse_what_is_unknown();
    const auto [given, path] = given_command(*parser_);
    say(help_text(description_of(*given, path, notes_), columns_for_text(), shows_colours(STDOUT_FILENO)));
  } catch (const CLI::CallForVersion&) {
    say(version_ + '\n');
  } catch (const CLI::ParseError& e) {
    refuse_what_is_unknown();
    throw usage_error(e.what() + see_help_of(given_command(*parser_).second));
  }
}

void command_line::run() {
  if (notes_.words.may_call("--json")) hide_progress();
  const command_words::documents& documents = notes_.words.wanted_documents();
  if (documents.is_wanted)
    write_program_documents(description_of(*parser_, parser_->get_name(), notes_), documents.directory,
                            version_.substr(0, version_.find(',')));
  else
    parse();
}

}  // namespace perdure::cli
