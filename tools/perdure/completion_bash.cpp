// Completion for bash: one function, with a case for each command.
#include "completions.hpp"

namespace perdure::cli {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

/// Returns the lines for one command: what may come next, and what its options take.
std::string case_of(const described_command& command) {
  std::vector<std::string> options;
  std::vector<std::string> commands;
  std::string values;
  std::vector<std::string> paths;
  std::vector<std::string> texts;
  for (const described_option& one : command.options) {
    options.insert(options.end(), one.names.begin(), one.names.end());
    const std::string names = joined(one.names, "|");
    if (!one.choices.empty())
      values += "        " + names + ") values=\"" + joined(one.choices, " ") + "\" kind=values ;;\n";
    else if (one.value == value_kind::path)
      paths.push_back(names);
    else if (one.value == value_kind::text)
      texts.push_back(names);
  }
  if (!paths.empty()) values += "        " + joined(paths, "|") + ") kind=path ;;\n";
  if (!texts.empty()) values += "        " + joined(texts, "|") + ") kind=text ;;\n";
  commands.reserve(command.commands.size());
  for (const described_command& one : command.commands) commands.push_back(one.name());
  std::string lines = "    \"" + words_behind_program(command) + "\")\n";
  lines += "      options=\"" + joined(options, " ") + "\"\n";
  if (!commands.empty()) lines += "      commands=\"" + joined(commands, " ") + "\"\n";
  if (!values.empty()) lines += "      case $previous in\n" + values + "      esac\n";
  return lines + "      ;;\n";
}

}  // namespace

std::string function_name(const std::string& path) {
  std::string name = "_";
  for (const char c : path) name += c == ' ' || c == '-' ? '_' : c;
  return name;
}

std::string bash_completion(const described_command& program) {
  std::string known;
  std::string cases;
  for_each_command(program, [&](const described_command& one) {
    const std::string words = words_behind_program(one);
    if (!words.empty()) known += (known.empty() ? "" : "|") + ('"' + words + '"');
    cases += case_of(one);
  });
  const std::string function = function_name(program.path);
  return "# Completion of " + program.path + " for bash, written by the program itself.\n" + function +
         R"(() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command= commands= options= values= kind= word
  local -i first=1 i
  # "--option=value" is three words.
  if [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $current == = ]]; then
    current=
  fi
  COMPREPLY=()
  [[ ${COMP_WORDS[1]} == help ]] && first=2
  for ((i = first; i < COMP_CWORD; i++)); do
    case "$command ${COMP_WORDS[i]}" in
      )" +
         known +
         R"()
        command+=" ${COMP_WORDS[i]}" ;;
    esac
  done
  case $command in
)" + cases +
         R"(  esac
  [[ $first -eq 1 && $COMP_CWORD -eq 1 ]] && commands+=" help"
  if [[ $first -eq 2 ]]; then
    options= kind=
  fi
  case $kind in
    values) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current") ;;
    path) compopt -o default 2>/dev/null ;;
    text) ;;
    *)
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
      elif [[ -n $commands ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
      elif [[ $first -eq 1 ]]; then
        compopt -o default 2>/dev/null
      fi
      ;;
  esac
}
complete -F )" +
         function + ' ' + program.path + '\n';
}

}  // namespace perdure::cli
