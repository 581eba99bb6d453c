// `attest convert IN OUT`: the same instance in another format.
#include "certify/audits/convert.hpp"

#include <memory>
#include <new>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"

namespace attest {
namespace {

// No time limit, and a signal ends it at once: there is nothing to keep.
class Conversion : public AuditWatch {
 public:
  Conversion(ProcessSignals& signals, const CommonOptions& options)
      : signals_(signals), memory_(signals, options.memory_limit, false) {}
  ProcessSignals* signals() override { return &signals_; }
  void input_is_read() override { memory_.reading_is_over(); }

  int conduct(const ConvertRequest& request) {
    try {
      const auto error = convert(request, *this);
      return error ? report_input_error(*error, false) : static_cast<int>(exit_decided);
    } catch (const std::bad_alloc&) {
      memory_.exceeded();
    }
  }

 private:
  ProcessSignals& signals_;
  MemoryLimit memory_;
};

}  // namespace

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
  add_memory_limit(app, options->common);
  add_force(app, options->common, "a file that exists");
  return [options](ProcessSignals& signals) {
    ConvertRequest asked = options->request;
    asked.memory_limit = options->common.memory_limit;
    asked.force = options->common.force;
    return Conversion(signals, options->common).conduct(asked);
  };
}

}  // namespace attest
