// Every command of commands.inc, configured.
#include "certify/commands/application.hpp"

#include "certify/commands/command.hpp"
#include "certify/instance/foreign.hpp"

namespace attest {

#define ATTEST_COMMAND(name, summary) RunCommand configure_##name(CLI::App& app);
#include "certify/commands/commands.inc"
#undef ATTEST_COMMAND

namespace {

struct Entry {
  const char* name;
  const char* summary;
  Configure configure;
};

constexpr Entry commands[] = {
#define ATTEST_COMMAND(name, summary) {#name, summary, configure_##name},
#include "certify/commands/commands.inc"
#undef ATTEST_COMMAND
};

}  // namespace

std::vector<Runner> configure_application(CLI::App& app) {
  app.name("attest");
  app.description("Certified optimisation geometry of softmax attention.");
  app.set_version_flag("--version", "attest " ATTEST_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Instances are .npz, .safetensors, .json, .json.gz or a folder of .npy files, with the keys X, Y, v\n"
      "(or scores). Other files are converted first, by one line of Python:\n" +
      conversions());
  app.get_formatter()->column_width(34);
  std::vector<Runner> runners;
  for (const Entry& command : commands) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    runners.push_back({sub, command.configure(*sub)});
  }
  return runners;
}

}  // namespace attest
