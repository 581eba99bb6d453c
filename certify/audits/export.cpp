#include "certify/audits/export.hpp"

#include "certify/coq/file.hpp"
#include "certify/process/output_files.hpp"
#include "proofs/checker/checker.hpp"
#include "proofs/checker/instance/instance.hpp"

namespace attest {
namespace {

// What can be exported of the claims.
ExportAnswer sorted_out(const ExportRequest& request, const std::vector<CoqClaims>& parts) {
  ExportAnswer answer;
  answer.output = request.output;
  for (const CoqClaims& claims : parts) {
    answer.claims += claims.claims.size();
    for (const CoqClaim& claim : claims.claims) {
      answer.not_in_coq = answer.not_in_coq || !claim.unknown.empty();
      if (claim.skipped.empty()) {
        ++answer.exported;
      } else {
        answer.skipped.push_back({claim.number, claim.kind, claim.skipped});
      }
    }
  }
  return answer;
}

}  // namespace

Result<ExportAnswer> export_coq(const ExportRequest& request, AuditWatch& watch) {
  OutputFiles files(request.force, watch.signals());
  files.input(request.instance);
  files.input(request.certificate);
  files.output(request.output, FileKind::coq);
  if (auto error = files.check()) return std::move(*error);
  try {
    attest_check::CertificateText source(request.certificate);
    const attest_check::Instance instance = attest_check::read_instance(request.instance);
    if (instance.offsets.size() > 0)
      return InputError{InputError::Kind::resource,
                        request.instance,
                        "offsets",
                        {},
                        "certificates of data with offsets cannot be exported to Coq yet"};
    const auto certificate = attest_check::read_certificate(instance, source);
    attest_check::check(*certificate, {});
    const std::vector<CoqClaims> parts = state_coq_claims(*certificate);
    ExportAnswer answer = sorted_out(request, parts);
    if (!answer.decided()) return answer;
    const std::string text = coq_file(*certificate, parts, request.certificate + " for " + request.instance);
    watch.computed();
    if (auto error = files.write(request.output, text)) return std::move(*error);
    return answer;
  } catch (const attest_check::Failure& failure) {
    const bool resource = failure.status() == attest_check::Exit::resource;
    return InputError{
        resource ? InputError::Kind::resource : InputError::Kind::malformed, {}, {}, {}, failure.what()};
  }
}

}  // namespace attest
