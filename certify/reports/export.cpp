#include "certify/reports/export.hpp"

namespace attest {

std::string text(const ExportAnswer& answer) {
  std::string out;
  for (const ExportAnswer::Claim& claim : answer.skipped) {
    out +=
        "c claim " + std::to_string(claim.number) + " " + claim.kind + " not exported: " + claim.why + "\n";
  }
  if (!answer.decided()) return out;
  return out + "c wrote " + answer.output + "\ns EXPORTED claims " + std::to_string(answer.exported) +
         " of " + std::to_string(answer.claims) + "\n";
}

std::string complaint(const ExportAnswer& answer) {
  return answer.decided() ? "" : "no claim of the certificate can be exported";
}

}  // namespace attest
