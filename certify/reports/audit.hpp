// What `attest audit` tells of each instance: the verdict in words, what its tokens are, what stands against
// it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "certify/audits/audit.hpp"
#include "certify/reports/json.hpp"

namespace attest {

// What is said of one instance, in every form that is asked for: what the process that looked at it hands to
// the one that prints.
struct AuditPart {
  std::size_t number = 0;  // among the instances
  int exit_status = 0;
  std::size_t outcome = 0;  // feasible, infeasible, undecided, refused
  std::string text;         // on a screen; of more than three instances, the verdicts only
  Json json;                // if it is wanted: complete lists (certify/JSON.md)
  std::string path;
  std::string word, words, page;  // the verdict in the page's table, and what stands below it; once drawn
};

// The instances of an answer, without their parts of the page (html/audit draws them), and without JSON
// unless that is wanted.
std::vector<AuditPart> audit_parts(const AuditAnswer& answer, bool json_wanted);

// One part as a JSON value and back.
Json packed(const AuditPart& part);
AuditPart unpacked(const Json& value);

// All of them, in the order of the instances: what is printed, and the exit status.
std::string text(const std::vector<AuditPart>& parts);
std::string json(const std::vector<AuditPart>& parts);
int exit_status(const std::vector<AuditPart>& parts);

// The command that re-checks the certificate of a certified instance; names are quoted where a shell needs
// it.
std::string check_command(const CertifyAnswer& certified);

}  // namespace attest
