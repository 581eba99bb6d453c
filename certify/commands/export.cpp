// `attest export --coq INSTANCE CERTIFICATE -o FILE.v`: a certificate's claims as theorems of Coq.
#include "certify/reports/export.hpp"

#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"

namespace attest {
namespace {

int print(const Result<ExportAnswer>& result) {
  if (const auto* error = std::get_if<InputError>(&result)) return report_input_error(*error, false);
  const ExportAnswer& found = std::get<ExportAnswer>(result);
  std::fputs(text(found).c_str(), stdout);
  const std::string why = complaint(found);
  if (!why.empty()) std::fprintf(stderr, "attest: %s\n", why.c_str());
  if (found.decided()) return exit_decided;
  return found.not_in_coq ? exit_not_in_coq : exit_undecided;
}

}  // namespace

RunCommand configure_export(CLI::App& app) {
  struct Options {
    CommonOptions common;
    ExportRequest request;
    bool coq = false;
  };
  const auto options = std::make_shared<Options>();
  ExportRequest& request = options->request;
  add_instance(app, request.instance);
  app.add_option("certificate", request.certificate, "Certificate about it, plain or gzip")->required();
  app.add_option("-o,--output", request.output, "File to write")->required();
  add_force(app, options->common, "an existing file that is not an exported one");
  add_time_limit(app, options->common, ", then undecided with nothing written");
  add_memory_limit(app, options->common);
  app.add_flag("--coq", options->coq, "Write a Coq file whose theorems are the certificate's claims")
      ->required();
  add_examples(app, {{"attest export --coq data.npz data.cert -o Data.v",
                      "the claims as theorems; coqc -Q .../theories Attest Data.v proves them"}});
  return [options](ProcessSignals& signals) {
    ExportRequest asked = options->request;
    asked.force = options->common.force;
    // Nothing is known before everything is, so the last resort is all that has to keep the time.
    Session session(signals, options->common, AnswerShape::text);
    return session.conduct([&] { return print(export_coq(asked, session)); });
  };
}

}  // namespace attest
