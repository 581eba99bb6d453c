// The use case `export`: a certificate's claims as theorems of Coq.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "certify/audits/audit_watch.hpp"
#include "certify/process/input_error.hpp"

namespace attest {

struct ExportRequest {
  std::string certificate, instance;  // paths
  std::string output;                 // path to write to
  bool force = false;                 // replace an existing file that is not an exported one
};

struct ExportAnswer {
  struct Claim {
    std::size_t number = 0;  // in the certificate
    std::string kind, why;
  };
  std::string output;
  std::size_t exported = 0, claims = 0;
  // Those of kinds that are not known here, those for which no hints prove what they need, and those
  // that cite such a claim.
  std::vector<Claim> skipped;
  bool not_in_coq = false;  // are there any of the first kind?

  bool decided() const { return exported > 0; }
};

// Checks the certificate first, so that what is exported is known to be well-formed and true of this
// instance.
Result<ExportAnswer> export_coq(const ExportRequest& request, AuditWatch& watch);

}  // namespace attest
