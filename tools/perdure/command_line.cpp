#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "output.hpp"

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

command_words::command_words(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    words_.emplace(word);
    // "-h" among other flags too.
    const bool is_short = word.starts_with('-') && !word.starts_with("--");
    if (word.starts_with("--help") || (is_short && word.find('h') != std::string_view::npos))
      may_ask_for_help_ = true;
  }
}

command command::add_command(const std::string& name, const std::string& description) {
  command added = *this;
  added.parser_ = nullptr;
  if (parser_ == nullptr) return added;
  const bool is_named = words_->contains(name);
  if (!is_named && !words_->may_ask_for_help()) return added;
  CLI::App* const parser = parser_->add_subcommand(name, description);
  if (is_named) added.parser_ = added.shown_ = parser;
  return added;
}

void command::require_command() {
  if (may_be_called()) parser_->require_subcommand(1);
}

void command::footer(const std::string& text) {
  if (may_be_called()) parser_->footer(text);
}

void command::callback(std::function<void()> action) {
  if (may_be_called()) parser_->callback(std::move(action));
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
  return option(may_be_called() ? not_empty(parser_->add_option(name, path, description), name) : nullptr);
}

option command::add_paths(const std::string& name, std::vector<std::filesystem::path>& paths,
                          const std::string& description) {
  return option(may_be_called() ? not_empty(parser_->add_option(name, paths, description), name) : nullptr);
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
        throw CLI::ValidationError(name, "'" + text + "' is none of " + names);
      },
      description);
  *self = added;
  return option(added->type_name(names));
}

namespace {

std::string see_help_of(const std::string& command) {
  return " (see '" + command + " --help')";
}

/// Of a command line that could not be parsed, what the outermost of its commands does not know: where that
/// is a command's name, what follows was taken for arguments of others, and only misleads.
void refuse_what_is_unknown(const CLI::App& given, const std::string& name) {
  for (const std::string& unknown : given.remaining()) {
    if (unknown == "--") continue;
    std::string refusal = '\'' + name;
    refusal += unknown.starts_with('-')                  ? "' has no option '"
               : given.get_require_subcommand_min() != 0 ? "' has no command '"
                                                         : "' takes no argument '";
    throw usage_error(refusal.append(unknown) + '\'' + see_help_of(name));
  }
}

}  // namespace

command_line::command_line(const std::string& program, const std::string& description,
                           const std::string& version, int argc, const char* const* argv)
    : argc_(argc),
      argv_(argv),
      words_(argc, argv),
      parser_(std::make_unique<CLI::App>(description, program)) {
  parser_->set_version_flag("--version", version);
}

command_line::~command_line() = default;

command command_line::program() {
  return command(*parser_, words_);
}

bool command_line::takes(const std::string& option) const {
  const CLI::App* given = parser_.get();
  while (!given->get_subcommands().empty()) given = given->get_subcommands().front();
  return given->get_option_no_throw(option) != nullptr;
}

void command_line::run() {
  const auto say = [](const std::string& text) {
    output out = output::standard();
    out.write(text);
    out.finish();
  };
  try {
    parser_->parse(argc_, argv_);
  } catch (const CLI::CallForHelp&) {
    say(parser_->help());
  } catch (const CLI::CallForVersion& version) {
    say(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& e) {
    const CLI::App* given = parser_.get();
    std::string name = given->get_name();
    refuse_what_is_unknown(*given, name);
    while (!given->get_subcommands().empty()) {
      given = given->get_subcommands().front();
      name += ' ' + given->get_name();
      refuse_what_is_unknown(*given, name);
    }
    throw usage_error(e.what() + see_help_of(name));
  }
}

}  // namespace perdure::cli
