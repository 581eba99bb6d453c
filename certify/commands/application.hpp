// The command line of `attest` as a value: every command with its options, from commands.inc. The program
// runs it; certify/manual describes it.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "certify/commands/command.hpp"

namespace attest {

struct Runner {
  const CLI::App* command;
  RunCommand run;  // once the options are parsed; returns the exit code
};

// Adds name, version and all commands to an empty `app`; the runners are in the order of its help.
std::vector<Runner> configure_application(CLI::App& app);

}  // namespace attest
