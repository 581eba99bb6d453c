// The program `attest`: finds the command, runs it, and turns whatever escapes into exit codes.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

#include "certify/command.hpp"
#include "certify/command_input.hpp"
#include "certify/file_bytes.hpp"
#include "proofs/checker/last_resort.hpp"

namespace attest {
#define ATTEST_COMMAND(name, summary) std::function<int()> configure_##name(CLI::App& app);
#include "certify/commands.inc"
#undef ATTEST_COMMAND
}  // namespace attest

namespace {

struct Command {
  const char* name;
  const char* summary;
  attest::Configure configure;
};

constexpr Command commands[] = {
#define ATTEST_COMMAND(name, summary) {#name, summary, attest::configure_##name},
#include "certify/commands.inc"
#undef ATTEST_COMMAND
};

int run(int argc, char** argv) {
  CLI::App app("Certified optimisation geometry of softmax attention.", "attest");
  app.set_version_flag("--version", "attest 0.1.0");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  std::vector<std::pair<CLI::App*, std::function<int()>>> runners;
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    runners.emplace_back(sub, command.configure(*sub));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const bool json = std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
    return attest::report_input_error({attest::InputError::Kind::malformed, {}, {}, {}, error.what()}, json);
  }
  for (const auto& [sub, runner] : runners) {
    if (sub->parsed()) return runner();
  }
  return attest::exit_bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  attest_check::install_last_resort("attest", attest::exit_internal_error, attest::exit_cannot_hold);
  attest::install_interrupt_cleanup();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("attest: out of memory\n", stderr);
    return attest::exit_cannot_hold;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "attest: internal error: %s\n", error.what());
  } catch (...) {
    std::fputs("attest: internal error: an exception of an unknown kind\n", stderr);
  }
  return attest::exit_internal_error;
}
