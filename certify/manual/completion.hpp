// Completions of shells: commands, their options, the values of options that take few words; else files.
#pragma once

#include <string>
#include <vector>

#include "certify/manual/command_help.hpp"

namespace attest {

std::string bash_completion(const std::vector<CommandHelp>& commands);
std::string zsh_completion(const std::vector<CommandHelp>& commands);
std::string fish_completion(const std::vector<CommandHelp>& commands);

}  // namespace attest
