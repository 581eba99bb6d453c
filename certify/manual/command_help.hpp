// What the manual says of a command, read off its options: the one source of man pages and completions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attest {

struct OptionHelp {
  std::vector<std::string> names;    // "-o", "--output"; of a positional its one name
  std::string value;                 // what follows the option: "TEXT", "N in [16 - 65536]"; empty for a flag
  std::vector<std::string> choices;  // the values it takes, where they are few words
  std::string description;
  bool required = false;
};

struct CommandHelp {
  std::string name, summary;
  std::vector<OptionHelp> positionals, options;
  std::string examples;  // lines: a command, then what it does, indented further; empty when there are none
};

// Every command of the program, in the order of its help.
std::vector<CommandHelp> command_help(const CLI::App& app);

}  // namespace attest
