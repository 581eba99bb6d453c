// `attest convert IN OUT`: the same instance in another format.
#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/input.hpp"
#include "certify/instance/write.hpp"

namespace attest {

std::function<int()> configure_convert(CLI::App& app) {
  struct Options {
    std::string in, out;
    std::size_t memory_limit = 0;
    bool force = false;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("in", options->in, "Instance: .npz, folder of .npy files, .json or .json.gz")->required();
  app.add_option("out", options->out, "Result: .npz, .json, .json.gz, .txt (canonical text), or a folder")
      ->required();
  app.add_option("--memory-limit", options->memory_limit, memory_limit_help);
  app.add_flag("--force", options->force, "Replace a file that exists");
  return [options] {
    int exit_code = exit_decided;
    OutputFiles files(options->force);
    files.input(options->in);
    auto obstacle = declare_instance(files, options->out);
    if (!obstacle) obstacle = files.check();
    if (obstacle) return report_input_error(*obstacle, false);
    const auto instance = read_or_report(options->in, options->memory_limit, false, exit_code);
    if (!instance) return exit_code;
    if (const auto error = write_instance(*instance, options->out, files))
      return report_input_error(*error, false);
    return static_cast<int>(exit_decided);
  };
}

}  // namespace attest
