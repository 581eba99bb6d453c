// `attest convert IN OUT`: the same instance in another format.
#include "certify/audits/convert.hpp"

#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"

namespace attest {

RunCommand configure_convert(CLI::App& app) {
  struct Options {
    CommonOptions common;
    ConvertRequest request;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("in", options->request.in, instance_files)->required();
  app.add_option("out", options->request.out,
                 "Result: .npz, .json, .json.gz, .txt (canonical text), or a folder")
      ->required();
  add_time_limit(app, options->common, ", then undecided with nothing written");
  add_memory_limit(app, options->common);
  add_force(app, options->common, "a file that exists");
  add_examples(app,
               {{"attest convert data.json data.npz", "arrays of binary64, if every number is one"},
                {"attest convert data.npz data.txt", "the canonical text: its SHA-256 names the dataset"}});
  return [options](ProcessSignals& signals) {
    ConvertRequest asked = options->request;
    asked.memory_limit = options->common.memory_limit;
    asked.force = options->common.force;
    // There is nothing to keep, so the last resort is all that has to keep the time.
    Session session(signals, options->common, AnswerShape::text);
    return session.conduct([&] {
      const auto error = convert(asked, session);
      return error ? report_input_error(*error, false) : static_cast<int>(exit_decided);
    });
  };
}

}  // namespace attest
