// What `attest audit` tells of each instance: the verdict in words, what its tokens are, what stands against
// it.
#pragma once

#include <string>

#include "certify/audits/audit.hpp"

namespace attest {

// For people: each instance on a screen; of more than three, the verdicts only.
std::string text(const AuditAnswer& answer);
// One JSON value with complete lists (certify/JSON.md).
std::string json(const AuditAnswer& answer);

// The command that re-checks the certificate of a certified instance; names are quoted where a shell needs
// it.
std::string check_command(const CertifyAnswer& certified);

}  // namespace attest
