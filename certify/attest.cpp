// The program `attest`: finds the command, runs it, and turns whatever escapes into exit codes.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "certify/commands/application.hpp"
#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"
#include "certify/process/ranks.hpp"
#include "certify/process/signals.hpp"
#include "certify/process/standard_output.hpp"
#include "proofs/checker/base/last_resort.hpp"

namespace {

// How many letters must be changed, left out or put in to make one word the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// The message about a first word that names no command; empty when there is none.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  const char* const* const end = argv + argc;
  const auto word = std::find_if(argv + 1, argv + argc, [](const char* given) { return given[0] != '-'; });
  if (word == end) return {};
  std::string all;
  std::string nearest;
  std::size_t least = std::string_view(*word).size() / 2 + 1;  // more than half of it wrong is no misspelling
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string name = command->get_name();
    if (*word == name) return {};
    all += (all.empty() ? "" : ", ") + name;
    const std::size_t distance = edit_distance(*word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  std::string text = std::string("unknown command '") + std::string(*word).substr(0, 60) + "'";
  if (!nearest.empty()) text += ", did you mean '" + nearest + "'?";
  return text + " (commands: " + all + ")";
}

// Commands that split their work over the processes of a job. Several processes of another command would all
// do the same.
bool shares_its_work(std::string_view command) {
  return command == "audit" || command == "certify" || command == "experiment";
}

// The error, said once.
int several_processes(bool json) {
  if (attest::started_ranks().rank > 0) return attest::exit_bad_input;
  return attest::report_input_error(
      {attest::InputError::Kind::malformed,
       {},
       {},
       {},
       "started as several processes, which only audit, certify and experiment share their work with"},
      json);
}

int run(int argc, char** argv, attest::ProcessSignals& signals) {
  CLI::App app;
  const std::vector<attest::Runner> runners = attest::configure_application(app);
  const bool json =
      std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
  if (const std::string unknown = unknown_command(app, argc, argv); !unknown.empty()) {
    return attest::report_input_error({attest::InputError::Kind::malformed, {}, {}, {}, unknown}, json);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return attest::report_input_error({attest::InputError::Kind::malformed, {}, {}, {}, error.what()}, json);
  }
  for (const attest::Runner& runner : runners) {
    if (!runner.command->parsed()) continue;
    if (attest::started_ranks().size > 1 && !shares_its_work(runner.command->get_name()))
      return several_processes(json);
    return runner.run(signals);
  }
  return attest::exit_bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  attest_check::install_last_resort("attest", attest::exit_internal_error, attest::exit_cannot_hold);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is output that cannot be written
  attest::ProcessSignals signals;
  try {
    return attest::once_printed(run(argc, argv, signals));
  } catch (const std::bad_alloc&) {
    std::fputs("attest: memory: not even the options fit\n", stderr);
    return attest::exit_cannot_hold;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "attest: internal error: %s\n", error.what());
  } catch (...) {
    std::fputs("attest: internal error: an exception of an unknown kind\n", stderr);
  }
  return attest::exit_internal_error;
}
