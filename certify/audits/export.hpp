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
  std::vector<Claim> skipped;  // for which no hints prove what they need, or that cite such a claim
  // What the checker in Coq does not know, in the claim of that number; then nothing is exported, and what
  // follows it is not looked at.
  std::string unknown;
  std::size_t unknown_claim = 0;

  bool decided() const { return exported > 0; }
};

// Checks the certificate first, so that what is exported is known to be well-formed and true of this
// instance.
Result<ExportAnswer> export_coq(const ExportRequest& request, AuditWatch& watch);

}  // namespace attest
