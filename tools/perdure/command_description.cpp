#include "command_description.hpp"

namespace perdure::cli {

std::vector<std::string> synopsis_of(const described_command& command) {
  if (!command.commands.empty()) return {"COMMAND", "[OPTIONS]"};
  std::vector<std::string> words;
  for (const described_option& one : command.arguments) {
    const std::string name = one.names.front() + (one.is_repeated ? "..." : "");
    words.push_back(one.is_required ? name : '[' + name + ']');
  }
  for (const described_option& one : command.options)
    if (one.is_required)
      words.push_back(one.names.back() + ' ' + one.placeholder + (one.is_repeated ? "..." : ""));
  words.emplace_back("[OPTIONS]");
  return words;
}

std::string explanation_of(const described_option& option) {
  std::string text = option.description;
  const auto add = [&text](const std::string& more) { text += " (" + more + ')'; };
  if (!option.choices.empty() && option.placeholder.find('|') == std::string::npos) {
    std::string all;
    for (const std::string& one : option.choices) all += (all.empty() ? "" : ", ") + one;
    add("one of " + all);
  }
  if (!option.default_text.empty()) add("default: " + option.default_text);
  if (!option.environment_variable.empty()) add("variable: " + option.environment_variable);
  return text;
}

}  // namespace perdure::cli
