// The page of `attest verify --report`.
#pragma once

#include <string>

#include "certify/audits/verify.hpp"
#include "certify/reports/html/table.hpp"

namespace attest {

// HTML that needs nothing beside it; well-formed XML.
std::string html(const VerifyAnswer& answer);

// Statements with verdict and what was found.
Table theorem_table(const std::vector<Row>& rows);

}  // namespace attest
