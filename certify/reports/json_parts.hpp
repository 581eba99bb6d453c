// Answers as JSON values, for answers that they are part of.
#pragma once

#include <vector>

#include "certify/audits/certify.hpp"
#include "certify/audits/selected_sets.hpp"
#include "certify/catalogue/row.hpp"
#include "certify/reports/json.hpp"

namespace attest {

// What `certify --json`, with --selected-sets too, and `verify --json` print.
Json json_value(const CertifyAnswer& answer);
Json json_value(const SelectedSetsAnswer& answer);
Json json_value(const std::vector<Row>& rows);

}  // namespace attest
