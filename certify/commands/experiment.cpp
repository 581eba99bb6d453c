// `attest experiment NAME`: repeats an experiment of the papers. The Python package conducts it; this command
// finds the package and becomes its program.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "certify/commands/command.hpp"
#include "certify/commands/interpreter.hpp"
#include "certify/commands/session.hpp"

namespace attest {
namespace {

namespace fs = std::filesystem;

struct ExperimentOptions {
  std::string name, folder;
  long seeds = 0, jobs = 0;
  bool list = false, unchecked = false, fresh = false;
};

// Is the package here, its compiled part included?
bool holds_package(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "attest" / "experiments" / "__main__.py", error)) return false;
  for (const auto& entry : fs::directory_iterator(folder / "attest", error)) {
    if (entry.path().filename().string().starts_with("_attest.") && entry.path().extension() == ".so")
      return true;
  }
  return false;
}

// The package that belongs to this program: of the same build, or of the same installation. Empty: neither.
std::string package_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const char* place : {"../python", "../lib/python3/dist-packages"}) {
    const fs::path folder = (program.parent_path() / place).lexically_normal();
    if (!error && holds_package(folder)) return folder.string();
  }
  return {};
}

std::vector<std::string> words(const ExperimentOptions& options) {
  std::vector<std::string> line{python_interpreter, "-m", "attest.experiments"};
  if (options.list) line.emplace_back("--list");
  if (!options.name.empty()) line.push_back(options.name);
  if (options.seeds > 0) line.insert(line.end(), {"--seeds", std::to_string(options.seeds)});
  if (options.jobs > 0) line.insert(line.end(), {"--jobs", std::to_string(options.jobs)});
  if (!options.folder.empty()) line.insert(line.end(), {"--output", options.folder});
  if (options.unchecked) line.emplace_back("--no-check");
  if (options.fresh) line.emplace_back("--fresh");
  return line;
}

// SIGINT and SIGTERM wait: what this process becomes takes them once it can answer them.
void hold_signals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, nullptr);
}

// Returns only when that fails: the exit status.
int become(const std::vector<std::string>& line) {
  hold_signals();
  std::vector<char*> arguments;
  for (const std::string& word : line) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  return report_input_error({InputError::Kind::malformed, {}, {}, {}, line[0] + ": " + std::strerror(errno)},
                            false);
}

}  // namespace

RunCommand configure_experiment(CLI::App& app) {
  const auto options = std::make_shared<ExperimentOptions>();
  app.add_option("NAME", options->name, "Which one; --list says what there is");
  app.add_flag("--list", options->list, "Say which experiments there are, with the papers' claims");
  app.add_option("--seeds", options->seeds, "Instances of each kind (default: the experiment's own number)")
      ->check(CLI::PositiveNumber);
  app.add_option("--jobs", options->jobs, "Instances at a time (default: one for each processor)")
      ->check(CLI::PositiveNumber);
  app.add_option("-o,--output", options->folder, "Folder of the results (default: experiment-NAME)");
  app.add_flag("--no-check", options->unchecked,
               "Do not have the independent checker verify every certificate");
  app.add_flag("--fresh", options->fresh, "Begin anew where the folder holds results of other settings");
  add_examples(
      app, {{"attest experiment --list", "what can be repeated"},
            {"attest experiment local-convergence --seeds 20 --jobs 2",
             "a table, a figure, a certificate a seed; the same line again goes on where it was stopped"}});
  return [options](ProcessSignals&) {
    const std::string package = package_folder();
    if (*python_interpreter == '\0' || package.empty())
      return report_input_error({InputError::Kind::malformed,
                                 {},
                                 {},
                                 {},
                                 "experiments need the Python package, which is not here: "
                                 "certify/scripts/setup.sh --python, then build or install again"},
                                false);
    const char* const present = std::getenv("PYTHONPATH");
    const std::string path = present == nullptr || *present == '\0' ? package : package + ":" + present;
    setenv("PYTHONPATH", path.c_str(), 1);
    return become(words(*options));
  };
}

}  // namespace attest
