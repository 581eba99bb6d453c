// The page of `attest audit --report`.
#pragma once

#include <string>
#include <vector>

#include "certify/reports/audit.hpp"

namespace attest {

// Draws the instances' parts of the page, which `parts` are of.
void draw(std::vector<AuditPart>& parts, const AuditAnswer& answer);

// HTML that needs nothing beside it; well-formed XML.
std::string html(const std::vector<AuditPart>& parts);

}  // namespace attest
