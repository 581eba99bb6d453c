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
  explicit Conversion(const CommonOptions& options) : memory_(options.memory_limit, false) {}
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
  MemoryLimit memory_;
};

}  // namespace

std::function<int()> configure_convert(CLI::App& app) {
  struct Options {
    CommonOptions common;
    ConvertRequest request;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("in", options->request.in, "Instance: .npz, folder of .npy files, .json or .json.gz")
      ->required();
  app.add_option("out", options->request.out,
                 "Result: .npz, .json, .json.gz, .txt (canonical text), or a folder")
      ->required();
  add_memory_limit(app, options->common);
  add_force(app, options->common, "a file that exists");
  return [options] {
    ConvertRequest asked = options->request;
    asked.memory_limit = options->common.memory_limit;
    asked.force = options->common.force;
    return Conversion(options->common).conduct(asked);
  };
}

}  // namespace attest
