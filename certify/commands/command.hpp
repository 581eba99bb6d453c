// The commands of the program `attest`. A new command is one file NAME.cpp that defines configure_NAME and
// one line in commands.inc.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "certify/process/signals.hpp"

namespace attest {

// Adds the command's options to `app` and returns what runs it once they are parsed; the result is the exit
// status (process/exit_status.hpp).
using RunCommand = std::function<int(ProcessSignals& signals)>;
using Configure = RunCommand (*)(CLI::App& app);

}  // namespace attest
