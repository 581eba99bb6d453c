// What an audit says of one instance to people.
#pragma once

#include <string>

#include "certify/audits/audit.hpp"

namespace attest {

// The verdict; in full, everything that fits a screen.
std::string audit_text(const AuditEntry& entry, bool in_full);

}  // namespace attest
