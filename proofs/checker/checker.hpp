// The whole check: instance and certificate in, verdict and printed lines out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

class CertificateText;
struct Certificate;
class Progress;
struct Instance;

struct VerifiedClaim {
  std::size_t claim = 0;
  std::string kind;
  std::size_t problem = 0;
  std::string line;  // "claim N …", all that is claimed, from the values that were checked
};

struct Verdict {
  bool vacuous = false;  // no cited problem has constraints
  std::vector<VerifiedClaim> claims;
};

// Checks the certificate against the instance. Throws Failure with the exit status of GRAMMAR.md section 6
// unless every claim is proved and every kind in `required` occurs among them. `progress`, if any, is told
// how far it is. A check has no state but its arguments and the memory budget of its thread
// (base/memory.hpp), so several can run at once in one process.
Verdict check(const std::string& instance_path, const std::string& certificate_path,
              const std::vector<std::string>& required, Progress* progress = nullptr);
// The certificate as a value (text/context.hpp): its problems, and the evidence of its claims, of which
// nothing is proved yet. Takes the text to its end. The instance must outlive it.
std::unique_ptr<const Certificate> read_certificate(const Instance& instance, CertificateText& text);
// The check of one that has been read.
Verdict check(const Certificate& certificate, const std::vector<std::string>& required,
              Progress* progress = nullptr);

}  // namespace attest_check
