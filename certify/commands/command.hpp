// The commands of the program `attest`. A new command is one file commands/NAME.cpp that defines
// configure_NAME and one line in commands.inc.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace attest {

// Exit codes of every command (certify/README.md).
enum ExitCode {
  exit_decided = 0,
  exit_internal_error = 1,
  exit_bad_input = 2,
  exit_not_in_coq = 3,
  exit_cannot_hold = 5,
  exit_undecided = 30,
};

// Adds the command's options to `app` and returns what runs it once they are parsed; the result is the exit
// code.
using Configure = std::function<int()> (*)(CLI::App& app);

}  // namespace attest
