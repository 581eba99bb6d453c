// The page of `attest audit --report`.
#pragma once

#include <string>

#include "certify/audits/audit.hpp"

namespace attest {

// HTML that needs nothing beside it; well-formed XML.
std::string html(const AuditAnswer& answer);

}  // namespace attest
