// `attest export --coq INSTANCE CERTIFICATE -o FILE.v`: a certificate's claims as theorems of Coq.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "certify/commands/clock.hpp"
#include "certify/commands/command.hpp"
#include "certify/commands/input.hpp"
#include "certify/commands/memory_limit.hpp"
#include "certify/coq/file.hpp"
#include "certify/process/output_files.hpp"
#include "proofs/checker/checker.hpp"
#include "proofs/checker/instance/instance.hpp"

namespace attest {
namespace {

struct ExportOptions {
  std::string certificate, instance, output;
  double time_limit = 0;
  std::size_t memory_limit = 0;
  bool coq = false, force = false;
};

// Checks the certificate, so that what is exported is known to be well-formed and true of this instance, and
// writes.
int write_coq(const ExportOptions& options, const OutputFiles& files, CommandClock& clock) {
  attest_check::check(options.instance, options.certificate, {});
  const attest_check::Instance instance = attest_check::read_instance(options.instance);
  const attest_check::Features features(instance);
  const CoqClaims claims = read_coq_claims(options.certificate, features);
  std::size_t exported = 0;
  for (const CoqClaim& claim : claims.claims) {
    if (!claim.unknown.empty()) {
      std::fprintf(stderr, "attest: claim %zu: the checker in Coq does not know %s; nothing is exported\n",
                   claim.number, claim.unknown.c_str());
      return exit_not_in_coq;
    }
    if (claim.skipped.empty()) {
      ++exported;
    } else {
      std::printf("c claim %zu %s not exported: %s\n", claim.number, claim.kind.c_str(),
                  claim.skipped.c_str());
    }
  }
  if (exported == 0) {
    std::fputs("attest: no claim of the certificate can be exported\n", stderr);
    return exit_undecided;
  }
  const std::string text = coq_file(features, claims, options.certificate + " for " + options.instance);
  clock.answering();
  if (const auto error = files.write(options.output, text)) return report_input_error(*error, false);
  std::printf("c wrote %s\ns EXPORTED claims %zu of %zu\n", options.output.c_str(), exported,
              claims.claims.size());
  return exit_decided;
}

int export_certificate(const ExportOptions& options) {
  // Nothing is known before everything is, so the clock's last resort is all that has to keep the time.
  CommandClock clock(options.time_limit, AnswerShape::text);
  OutputFiles files(options.force);
  files.input(options.instance);
  files.input(options.certificate);
  files.output(options.output, FileKind::coq);
  if (const auto error = files.check()) return report_input_error(*error, false);
  try {
    limit_process_memory(options.memory_limit, false);
    return write_coq(options, files, clock);
  } catch (const attest_check::Failure& failure) {
    std::fprintf(stderr, "attest: %s\n", failure.what());
    return failure.status() == attest_check::Exit::resource ? exit_cannot_hold : exit_bad_input;
  }
}

}  // namespace

std::function<int()> configure_export(CLI::App& app) {
  const auto options = std::make_shared<ExportOptions>();
  app.add_option("instance", options->instance, "Instance: .npz, folder of .npy files, .json or .json.gz")
      ->required();
  app.add_option("certificate", options->certificate, "Certificate about it, plain or gzip")->required();
  app.add_option("-o,--output", options->output, "File to write")->required();
  app.add_flag("--force", options->force, "Replace an existing file that is not an exported one");
  app.add_option("--time-limit", options->time_limit, "Seconds, then undecided with nothing written")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit", options->memory_limit, memory_limit_help);
  app.add_flag("--coq", options->coq, "Write a Coq file whose theorems are the certificate's claims")
      ->required();
  return [options] { return export_certificate(*options); };
}

}  // namespace attest
