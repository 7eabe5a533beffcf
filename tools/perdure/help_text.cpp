#include "help_text.hpp"

#include <algorithm>
#include <vector>

#include "terminal.hpp"

namespace perdure::cli {
namespace {

/// A row of a list: what is explained, and its explanation.
struct help_row {
  std::string what;
  std::string explanation;
};

constexpr std::size_t row_indent = 2;

/// Lists rows in two columns. What is too long for the first one has its explanation on the next line.
std::string listed_rows(const std::vector<help_row>& rows, std::size_t width) {
  const std::size_t widest = std::min<std::size_t>(28, width / 3);
  std::size_t column = 0;
  for (const help_row& row : rows)
    if (columns_of(row.what) <= widest) column = std::max(column, columns_of(row.what));
  column += row_indent + 2;
  std::string text;
  for (const help_row& row : rows) {
    std::string line = std::string(row_indent, ' ') + row.what;
    if (row.explanation.empty()) {
      text += line + '\n';
      continue;
    }
    if (columns_of(line) + 2 > column) {
      text += line + '\n';
      line.clear();
    }
    line.resize(line.size() + column - columns_of(line), ' ');
    text += line + wrapped(row.explanation, column, column, width);
  }
  return text;
}

std::string spelling_of(const described_option& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + name;
  if (!option.placeholder.empty()) text += ' ' + option.placeholder;
  return option.is_repeated ? text + "..." : text;
}

std::vector<help_row> rows_of(const std::vector<described_option>& options) {
  std::vector<help_row> rows;
  rows.reserve(options.size());
  for (const described_option& one : options)
    rows.push_back(
        {spelling_of(one),
         explanation_of(one) + (one.is_required && !one.placeholder.empty() ? " (required)" : "")});
  return rows;
}

}  // namespace

std::string wrapped(std::string_view paragraph, std::size_t indent, std::size_t begin, std::size_t width) {
  std::string text;
  std::size_t at = begin;
  bool is_first = true;
  while (!paragraph.empty()) {
    const std::size_t end = std::min(paragraph.find(' '), paragraph.size());
    const std::string_view word = paragraph.substr(0, end);
    paragraph.remove_prefix(std::min(end + 1, paragraph.size()));
    if (word.empty()) continue;
    if (!is_first && at + 1 + columns_of(word) > width) {
      text.append("\n").append(indent, ' ');
      at = indent;
    } else if (!is_first) {
      text += ' ';
      ++at;
    }
    text += word;
    at += columns_of(word);
    is_first = false;
  }
  return text += '\n';
}

std::string help_text(const described_command& command, std::size_t width, bool has_style) {
  const auto heading = [has_style](const std::string& title) {
    return has_style ? "\x1b[1m" + title + "\x1b[0m" : title;
  };
  std::string text = wrapped(command.description, 0, 0, width) + '\n';
  std::string usage = command.path;
  for (const std::string& word : synopsis_of(command)) usage += ' ' + word;
  text += heading("Usage:") + ' ' + wrapped(usage, 4, std::string_view("Usage: ").size(), width);
  const auto add_rows = [&](const std::string& title, const std::vector<help_row>& rows) {
    if (!rows.empty()) text += '\n' + heading(title) + '\n' + listed_rows(rows, width);
  };
  add_rows("Arguments:", rows_of(command.arguments));
  add_rows("Options:", rows_of(command.options));
  std::vector<help_row> commands;
  commands.reserve(command.commands.size());
  for (const described_command& one : command.commands) commands.push_back({one.name(), one.description});
  add_rows("Commands:", commands);
  if (!command.examples.empty()) text += '\n' + heading("Examples:") + '\n';
  for (const described_example& one : command.examples)
    text += std::string(row_indent, ' ') + wrapped(one.purpose + ':', row_indent, row_indent, width) +
            "    " + one.command_line + '\n';
  for (const std::string& note : command.notes) text += '\n' + wrapped(note, 0, 0, width);
  return text;
}

}  // namespace perdure::cli
