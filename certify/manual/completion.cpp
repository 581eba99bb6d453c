#include "certify/manual/completion.hpp"

namespace attest {
namespace {

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : separator) + word;
  return all;
}

std::string names(const std::vector<CommandHelp>& commands) {
  std::vector<std::string> all;
  for (const CommandHelp& command : commands) all.push_back(command.name);
  return joined(all, " ");
}

// Inside single quotes of any of the three shells.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// A description in zsh's "[...]": brackets and colons would end it.
std::string in_brackets(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string bash_completion(const std::vector<CommandHelp>& commands) {
  std::string script =
      "# bash completion of attest\n"
      "_attest() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      names(commands) +
      " --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const CommandHelp& command : commands) {
    std::vector<std::string> options;
    std::string values;
    for (const OptionHelp& option : command.options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
      if (option.choices.empty()) continue;
      values += "        " + joined(option.names, " | ") + ") COMPREPLY=($(compgen -W '" +
                joined(option.choices, " ") + "' -- \"$word\")); return ;;\n";
    }
    script += "    " + command.name + ")\n";
    if (!values.empty()) script += "      case $before in\n" + values + "      esac\n";
    script += "      [[ $word == -* ]] && COMPREPLY=($(compgen -W '" + joined(options, " ") +
              "' -- \"$word\"))\n      ;;\n";
  }
  return script + "  esac\n}\ncomplete -o default -F _attest attest\n";
}

std::string zsh_completion(const std::vector<CommandHelp>& commands) {
  std::string script =
      "#compdef attest\n"
      "_attest() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands=(";
  for (const CommandHelp& command : commands)
    script += "\n      " + in_quotes(command.name + ":" + command.summary);
  script +=
      "\n    )\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n  shift words\n"
      "  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandHelp& command : commands) {
    script += "    " + command.name + ")\n      _arguments";
    for (const OptionHelp& option : command.options) {
      for (const std::string& name : option.names) {
        std::string one = name + "[" + in_brackets(option.description) + "]";
        if (!option.choices.empty()) one += ":value:(" + joined(option.choices, " ") + ")";
        if (option.choices.empty() && !option.value.empty()) one += ":value:_files";
        script += " \\\n        " + in_quotes(one);
      }
    }
    script += " \\\n        '*:file:_files' ;;\n";
  }
  return script + "  esac\n}\n_attest \"$@\"\n";
}

std::string fish_completion(const std::vector<CommandHelp>& commands) {
  std::string script = "# fish completion of attest\n";
  for (const CommandHelp& command : commands) {
    script += "complete -c attest -f -n __fish_use_subcommand -a " + command.name + " -d " +
              in_quotes(command.summary) + "\n";
  }
  for (const CommandHelp& command : commands) {
    for (const OptionHelp& option : command.options) {
      script += "complete -c attest -n '__fish_seen_subcommand_from " + command.name + "'";
      for (const std::string& name : option.names)
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty()) script += " -x -a " + in_quotes(joined(option.choices, " "));
      if (option.choices.empty() && !option.value.empty()) script += " -r";
      script += " -d " + in_quotes(option.description) + "\n";
    }
  }
  return script;
}

}  // namespace attest
