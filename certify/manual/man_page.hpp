// Man pages: attest(1) with the list of commands, attest-COMMAND(1) with its options.
#pragma once

#include <string>
#include <vector>

#include "certify/manual/command_help.hpp"

namespace attest {

std::string program_man_page(const std::string& version, const std::vector<CommandHelp>& commands);
std::string command_man_page(const std::string& version, const CommandHelp& command);

}  // namespace attest
