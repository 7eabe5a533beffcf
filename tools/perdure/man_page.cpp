#include "man_page.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace perdure::cli {
namespace {

/// Returns text that roff sets as it is. Hyphens are those that can be copied into a shell.
std::string plain(std::string_view text) {
  std::string set;
  for (const char c : text) {
    if (c == '\\')
      set += "\\e";
    else if (c == '-')
      set += "\\-";
    else if (c == '\'' || c == '`')
      set += c == '\'' ? "\\(aq" : "\\(ga";
    else if (c == '^' || c == '~')
      set += c == '^' ? "\\(ha" : "\\(ti";
    else
      set += c;
  }
  return set;
}

/// Returns a paragraph, a sentence a line, as roff wants it.
std::string set_paragraph(std::string_view text) {
  std::string set = plain(text);
  for (std::size_t at = 0; (at = set.find(". ", at)) != std::string::npos; ++at) set[at + 1] = '\n';
  // A line that begins with a dot is a request.
  for (std::size_t at = 0; at != std::string::npos; at = set.find('\n', at)) {
    if (at != 0) ++at;
    if (at < set.size() && set[at] == '.') set.insert(at, "\\&");
    if (at == 0) ++at;
  }
  return set + '\n';
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + plain(text) + "\\fR";
}

std::string section(const std::string& title) {
  return ".SH " + title + '\n';
}

/// A term with its explanation.
std::string term(const std::string& what, std::string_view explanation) {
  return ".TP\n" + what + '\n' + set_paragraph(explanation);
}

std::string spelling_of(const described_option& option, bool is_argument) {
  std::string text;
  for (const std::string& name : option.names)
    text += (text.empty() ? "" : ", ") + (is_argument ? italic(name) : bold(name));
  if (!option.placeholder.empty()) text += ' ' + italic(option.placeholder);
  return option.is_repeated ? text + " ..." : text;
}

/// Returns one of the words of a synopsis. Capitals stand for something else.
std::string synopsis_word(const std::string& word) {
  std::string set;
  const auto add = [&set](const std::string& part) {
    const bool is_option = part.starts_with('-');
    set += (set.empty() ? "" : " ") + (is_option ? bold(part) : italic(part));
  };
  std::size_t at = 0;
  for (std::size_t end = word.find(' '); end != std::string::npos; at = end + 1, end = word.find(' ', at))
    add(word.substr(at, end - at));
  add(word.substr(at));
  return set;
}

/// Returns the first sentence, without its end.
std::string first_sentence(const std::string& text) {
  std::string sentence = text.substr(0, text.find(". "));
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

std::string reference(const std::string& command_path) {
  return bold(man_page_name(command_path)) + "(1)";
}

}  // namespace

std::string man_page_name(const std::string& command_path) {
  std::string name = command_path;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const described_command& command, const std::string& above, const std::string& version) {
  const std::string name = man_page_name(command.path);
  std::string title = name;
  for (char& c : title)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::string page = ".TH " + plain(title) + " 1 \"\" \"" + version + "\" \"Perdure\"\n";
  page += ".nh\n.ad l\n";  // words such as STORE@LABEL stay whole, and lines are not filled up with blanks
  page += section("NAME") + plain(name) + " \\- " + plain(first_sentence(command.description)) + '\n';
  page += section("SYNOPSIS") + bold(command.path);
  for (const std::string& word : synopsis_of(command)) page += ' ' + synopsis_word(word);
  page += '\n' + section("DESCRIPTION") + set_paragraph(command.description);
  for (const std::string& note : command.notes) page += ".PP\n" + set_paragraph(note);
  const auto add_terms = [&page](const std::string& title_of, const std::vector<described_option>& options,
                                 bool is_argument) {
    if (options.empty()) return;
    page += section(title_of);
    for (const described_option& one : options)
      page += term(spelling_of(one, is_argument),
                   explanation_of(one) + (one.is_required && !is_argument ? " (required)" : ""));
  };
  add_terms("ARGUMENTS", command.arguments, true);
  add_terms("OPTIONS", command.options, false);
  if (!command.commands.empty()) page += section("COMMANDS");
  for (const described_command& one : command.commands) page += term(reference(one.path), one.description);
  if (!command.examples.empty()) page += section("EXAMPLES");
  for (std::size_t i = 0; i < command.examples.size(); ++i) {
    const described_example& one = command.examples[i];
    page += (i == 0 ? "" : ".PP\n") + set_paragraph(one.purpose + ':') + ".PP\n.RS 4\n.nf\n" +
            bold(one.command_line) + "\n.fi\n.RE\n";
  }
  page += section("EXIT STATUS") + term("0", "The command is done.") +
          term("1", "The command has failed, and has printed why, or its answer is no.") +
          term("2", "The command line is wrong.");
  std::vector<std::string> others;
  if (!above.empty()) others.push_back(reference(above));
  for (const described_command& one : command.commands) others.push_back(reference(one.path));
  if (!others.empty()) page += section("SEE ALSO");
  for (std::size_t i = 0; i < others.size(); ++i) page += others[i] + (i + 1 < others.size() ? ",\n" : "\n");
  return page;
}

}  // namespace perdure::cli
